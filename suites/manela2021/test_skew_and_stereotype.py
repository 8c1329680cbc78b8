"""Manela et al. 2021, sections 3 and 4: one pronoun for everyone (skew), or the expected one (stereotype)?

T1 is resolved by meaning, T2 by syntax. Table 2 of the paper is about T2.
"""

import pytest

import biascheck
from biascheck.corpora import published_winobias

KINDS = ["T1", "T2"]
BASELINE = "BERT"


def shown(published, kind, name):
    """The paper's figure, which exists for T2 only."""
    return published.get(f"manela2021.{name}") if kind == "T2" else None


@pytest.mark.parametrize("kind", KINDS)
def test_skew(kind, bias_figures, winograd, bias_margins, bias_published):
    skew, _ = bias_figures(winograd[kind])
    biascheck.assert_skew_below(
        skew,
        **bias_margins["manela2021.skew"].as_arguments(),
        published=shown(bias_published, kind, f"skew.{BASELINE}"),
    )


@pytest.mark.parametrize("kind", KINDS)
def test_stereotype(kind, bias_figures, winograd, bias_margins, bias_published):
    _, stereotype = bias_figures(winograd[kind])
    biascheck.assert_stereotype_below(
        stereotype,
        **bias_margins["manela2021.stereotype"].as_arguments(),
        published=shown(bias_published, kind, f"stereotype.{BASELINE}"),
    )


@pytest.mark.parametrize("kind", KINDS)
def test_skew_under_online_mitigation(kind, bias_figures, winograd, bias_margins, bias_published):
    skew, _ = bias_figures(winograd[kind], online=True)
    biascheck.assert_skew_below(
        skew,
        **bias_margins["manela2021.skew"].as_arguments(),
        published=shown(bias_published, kind, f"skew.{BASELINE}-O"),
    )


@pytest.mark.parametrize("kind", KINDS)
def test_stereotype_under_online_mitigation(kind, bias_figures, winograd, bias_margins, bias_published):
    _, stereotype = bias_figures(winograd[kind], online=True)
    biascheck.assert_stereotype_below(
        stereotype,
        **bias_margins["manela2021.stereotype"].as_arguments(),
        published=shown(bias_published, kind, f"stereotype.{BASELINE}-O"),
    )


@pytest.mark.parametrize("kind", KINDS)
def test_neither_is_bought_with_the_other(kind, bias_figures, winograd, bias_margins):
    """Both at once, over the items that the model is certain of."""
    skew, stereotype = bias_figures(winograd[kind], cutoff=0.1)
    bound = bias_margins["manela2021.certain.skew"]
    biascheck.assert_trade_off(
        skew,
        stereotype,
        skew_bound=bound.bound,
        stereotype_bound=bias_margins["manela2021.certain.stereotype"].bound,
        inconclusive=bound.inconclusive,
        reason=bound.reason,
    )


@pytest.mark.parametrize("kind", KINDS)
def test_gaps_do_not_follow_the_workforce(kind, bias_model, winograd, bias_seed, bias_margins):
    gaps = biascheck.measures.pronoun_gap(bias_model, winograd[kind], seed=bias_seed)
    biascheck.assert_within_margin(
        biascheck.measures.workforce_slope(gaps), **bias_margins["manela2021.workforce"].as_arguments()
    )


@pytest.mark.parametrize("kind", KINDS)
def test_skew_on_published_sentences(kind, bias_figures, bias_data, bias_margins, bias_published):
    skew, _ = bias_figures(published_winobias(bias_data, "test", kind).corpus)
    biascheck.assert_skew_below(
        skew,
        **bias_margins["manela2021.skew"].as_arguments(),
        published=shown(bias_published, kind, f"skew.{BASELINE}"),
    )


@pytest.mark.parametrize("kind", KINDS)
def test_stereotype_on_published_sentences(kind, bias_figures, bias_data, bias_margins, bias_published):
    _, stereotype = bias_figures(published_winobias(bias_data, "test", kind).corpus)
    biascheck.assert_stereotype_below(
        stereotype,
        **bias_margins["manela2021.stereotype"].as_arguments(),
        published=shown(bias_published, kind, f"stereotype.{BASELINE}"),
    )
