"""Bartl et al. 2020, German BEC-Pro.

German marks gender on the profession, which agrees with the person word: the gap reads the grammar, and every result
carries that validity warning. It is shown beside the paper's, and a baseline notices changes; it is not judged.
"""

import pytest

import biascheck

GROUPS = ["female", "male", "balanced"]


@pytest.mark.bias(judges=False)
@pytest.mark.parametrize("group", GROUPS)
def test_gap_in_profession_group(group, german, bias_published):
    figures = bias_published.listed(f"bartl2020.german.{group}")
    biascheck.show(german.where(profession_group=group).with_attachments(biascheck.extend.Published(figures=figures)))
