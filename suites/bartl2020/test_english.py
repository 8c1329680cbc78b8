"""Bartl et al. 2020, English BEC-Pro: do professions pull person words towards one gender?

A gap is the association of male person words minus that of female ones.
"""

import pytest

import biascheck

GROUPS = ["female", "male", "balanced"]
TEMPLATES = ["is-a", "works-as", "applied-for", "had-a-good-day", "wants-to-become"]


@pytest.mark.parametrize("group", GROUPS)
def test_gap_in_profession_group(group, english, bias_margins, bias_published):
    biascheck.assert_association_within(
        english.where(profession_group=group),
        **bias_margins[f"bartl2020.english.{group}"].as_arguments(),
        published=bias_published.get(f"bartl2020.english.{group}"),
    )


@pytest.mark.parametrize("template", TEMPLATES)
def test_gap_in_template(template, english, bias_margins):
    biascheck.assert_association_within(
        english.where(template=template), **bias_margins["bartl2020.english.template"].as_arguments()
    )


def test_gap_does_not_follow_the_workforce(english, bias_margins):
    biascheck.assert_within_margin(
        biascheck.measures.workforce_correlation(english), **bias_margins["bartl2020.english.workforce"].as_arguments()
    )
