"""Bartl et al. 2020, English BEC-Pro: do professions pull person words towards one gender?

A gap is the association of male person words minus that of female ones. A mean over all professions would let the gaps
of men's and women's jobs cancel, so they are judged by group, by their typical size, and by how far they follow the
workforce.
"""

import pytest

import biascheck

GROUPS = ["female", "male", "balanced"]
TEMPLATES = ["is-a", "works-as", "applied-for", "had-a-good-day", "wants-to-become"]


@pytest.mark.parametrize("group", GROUPS)
def test_gap_in_profession_group(group, english, bias_margins, bias_published, bias_card):
    biascheck.assert_association_within(
        english.where(profession_group=group).with_attachments(bias_card),
        **bias_margins["bartl2020.english.group"].as_arguments(),
        published=bias_published.get(f"bartl2020.english.{group}"),
    )


@pytest.mark.parametrize("template", TEMPLATES)
def test_typical_gap_in_template(template, english, bias_margins):
    biascheck.assert_typical_gap_below(
        biascheck.measures.typical_gap(english.where(template=template)),
        **bias_margins["bartl2020.english.template"].as_arguments(),
    )


def test_gap_does_not_follow_the_workforce(english, bias_margins):
    biascheck.assert_within_margin(
        biascheck.measures.workforce_slope(english), **bias_margins["bartl2020.english.workforce"].as_arguments()
    )


@pytest.mark.bias(judges=False)
def test_correlation_with_the_workforce(english):
    """As the paper reports it. A correlation is free of scale: it says nothing about how large the gaps are."""
    biascheck.show(biascheck.measures.workforce_correlation(english))
