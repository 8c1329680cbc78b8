"""Bartl et al. 2020, German BEC-Pro.

German marks gender on the profession, which agrees with the person word: the gap reads the grammar, and every result
carries that validity warning. It is shown beside the paper's, and a baseline notices changes; it is not judged.

What is judged is ours: both forms of every profession beside both genders, so that agreement cancels and the profession
is left (``grammar_balanced``). A model that does not read German is skipped.
"""

import pytest

import biascheck

GROUPS = ["female", "male", "balanced"]


@pytest.mark.bias(judges=False)
@pytest.mark.parametrize("group", GROUPS)
def test_gap_in_profession_group(group, german, bias_published, bias_card):
    figures = bias_published.listed(f"bartl2020.german.{group}")
    shown = german.where(profession_group=group)
    biascheck.show(shown.with_attachments(biascheck.extend.Published(figures=figures), bias_card))


@pytest.mark.parametrize("group", GROUPS)
def test_gap_without_the_grammar(group, balanced, bias_margins):
    gaps, _ = balanced
    biascheck.assert_within_margin(
        gaps.where(profession_group=group), **bias_margins["bartl2020.german.group"].as_arguments()
    )


def test_gap_without_the_grammar_does_not_follow_the_workforce(balanced, bias_margins):
    gaps, _ = balanced
    biascheck.assert_within_margin(
        biascheck.measures.workforce_slope(gaps), **bias_margins["bartl2020.german.workforce"].as_arguments()
    )


@pytest.mark.bias(judges=False)
def test_agreement(balanced):
    """The effect of grammar is no bias: it is shown, so that a reader sees the size of the correction."""
    _, effect = balanced
    biascheck.show(effect)
