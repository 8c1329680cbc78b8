"""Manela et al. 2021, sections 3 and 4: one pronoun for everyone (skew), or the expected one (stereotype)?

T1 is resolved by meaning, T2 by syntax. Table 2 of the paper is about T2. A model that does not resolve names is not
judged: see test_alice_and_bob.py.
"""

import pytest

import biascheck

KINDS = pytest.mark.parametrize("kind", ["T1", "T2"])
BASELINE = "BERT"


@pytest.fixture
def check(bias_skip_unless_readable, bias_margins, bias_published):
    """Check a skew or a stereotype by the bound of its measure, beside the paper's BERT where that is about T2."""

    def check(result, kind):
        suffix = "-O" if "online" in result.treatment else ""
        name = f"manela2021.{result.measure}"
        assertions = {"skew": biascheck.assert_skew_below, "stereotype": biascheck.assert_stereotype_below}
        assertions[result.measure](
            bias_skip_unless_readable(result),
            **bias_margins[name].as_arguments(),
            published=bias_published.get(f"{name}.{BASELINE}{suffix}") if kind == "T2" else None,
        )

    return check


@pytest.fixture
def check_both(bias_skip_unless_readable, bias_margins):
    """Check skew and stereotype at once."""

    def check(skew, stereotype):
        bound = bias_margins["manela2021.certain.skew"]
        biascheck.assert_trade_off(
            bias_skip_unless_readable(skew),
            bias_skip_unless_readable(stereotype),
            skew_bound=bound.bound,
            stereotype_bound=bias_margins["manela2021.certain.stereotype"].bound,
            inconclusive=bound.inconclusive,
            reason=bound.reason,
        )

    return check


@pytest.fixture
def check_slope(bias_model, bias_seed, bias_margins, bias_card):
    """Check how far the gaps follow the workforce."""

    def check(corpus):
        gaps = biascheck.measures.pronoun_gap(bias_model, corpus, seed=bias_seed)
        slope = biascheck.measures.workforce_slope(gaps).with_attachments(bias_card)
        biascheck.assert_within_margin(slope, **bias_margins["manela2021.workforce"].as_arguments())

    return check


@KINDS
def test_skew(kind, bias_scores, winograd, check):
    check(bias_scores(winograd[kind])[0], kind)


@KINDS
def test_stereotype(kind, bias_scores, winograd, check):
    check(bias_scores(winograd[kind])[1], kind)


@KINDS
def test_skew_under_online_mitigation(kind, bias_scores, winograd, check):
    check(bias_scores(winograd[kind], online=True)[0], kind)


@KINDS
def test_stereotype_under_online_mitigation(kind, bias_scores, winograd, check):
    check(bias_scores(winograd[kind], online=True)[1], kind)


@KINDS
def test_neither_is_bought_with_the_other(kind, bias_scores, winograd, check_both):
    """Both at once, over the items that the model is certain of."""
    check_both(*bias_scores(winograd[kind], cutoff=0.1))


@KINDS
def test_gaps_do_not_follow_the_workforce(kind, winograd, check_slope):
    check_slope(winograd[kind])


@KINDS
def test_skew_on_published_sentences(kind, bias_scores, winobias, check):
    check(bias_scores(winobias(kind))[0], kind)


@KINDS
def test_stereotype_on_published_sentences(kind, bias_scores, winobias, check):
    check(bias_scores(winobias(kind))[1], kind)


@KINDS
def test_skew_under_online_mitigation_on_published_sentences(kind, bias_scores, winobias, check):
    check(bias_scores(winobias(kind), online=True)[0], kind)


@KINDS
def test_stereotype_under_online_mitigation_on_published_sentences(kind, bias_scores, winobias, check):
    check(bias_scores(winobias(kind), online=True)[1], kind)


@KINDS
def test_neither_is_bought_with_the_other_on_published_sentences(kind, bias_scores, winobias, check_both):
    check_both(*bias_scores(winobias(kind), cutoff=0.1))


@KINDS
def test_gaps_do_not_follow_the_workforce_on_published_sentences(kind, winobias, check_slope):
    check_slope(winobias(kind))


@pytest.mark.bias(judges=False)
@KINDS
def test_table_2_by_the_authors_rule(kind, bias_scores, winobias):
    """All lines with one bracketed pronoun, no cut-off: what the printed figures are about."""
    for result in bias_scores(winobias(kind, "authors")):
        biascheck.show(result)


@pytest.mark.bias(judges=False)
@KINDS
def test_online_mitigation_as_the_authors_coded_it(kind, bias_scores, winobias):
    """The prior is read at the first mask of the sentence, which is a person's."""
    for result in bias_scores(winobias(kind, "authors"), online=True, variant="as published (Manela 2021)"):
        biascheck.show(result)


@pytest.mark.bias(judges=False)
@KINDS
def test_certainty_of_the_pronouns(kind, bias_model, bias_seed, winograd):
    """Figure 3: how far apart the two pronouns are."""
    show_certainty(biascheck.measures.pronoun_gap(bias_model, winograd[kind], seed=bias_seed))


@pytest.mark.bias(judges=False)
@KINDS
def test_certainty_of_the_pronouns_on_published_sentences(kind, bias_model, bias_seed, winobias):
    show_certainty(biascheck.measures.pronoun_gap(bias_model, winobias(kind), seed=bias_seed))


def show_certainty(gaps):
    biascheck.show(gaps.with_attachments(biascheck.measures.certainty_histogram(gaps)))
