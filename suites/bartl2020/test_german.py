"""Bartl et al. 2020, German BEC-Pro.

German marks gender on the profession, which agrees with the person word. Every result here carries that
validity warning: the gates watch for change between checkpoints, not for social bias.
"""

import pytest

import biascheck

GROUPS = ["female", "male", "balanced"]


@pytest.mark.parametrize("group", GROUPS)
def test_gap_in_profession_group(group, german, bias_margins, bias_published):
    biascheck.assert_association_within(
        german.where(profession_group=group),
        **bias_margins[f"bartl2020.german.{group}"].as_arguments(),
        published=bias_published.get(f"bartl2020.german.{group}"),
    )
