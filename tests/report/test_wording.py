"""Sentences of the report."""

from __future__ import annotations

import pytest
from biascheck.report.limits import limits_of
from report_samples import gate, result

from biascheck.report.sections.model_cards import when
from biascheck.report.sentences import contrast_in_words, headline, level_text, p_text, shortened, tally
from biascheck.stats import Verdict

E, I, W = Verdict.EXCEEDS, Verdict.INCONCLUSIVE, Verdict.WITHIN  # noqa: E741


@pytest.mark.parametrize(
    ("verdicts", "worst", "text"),
    [
        ([], "none", "No gates were judged"),
        ([W], "within", "The only gate is within its margin"),
        ([W, W], "within", "All 2 gates are within their margins"),
        ([E], "exceeds", "1 of 1 gate exceeds its margin"),
        ([W, E, I], "exceeds", "1 of 3 gates exceeds its margin"),
        ([E, E, W], "exceeds", "2 of 3 gates exceed their margin"),
        ([I, W], "inconclusive", "No gate exceeds its margin, but 1 of 2 is inconclusive"),
        ([I, W, I], "inconclusive", "No gate exceeds its margin, but 2 of 3 are inconclusive"),
    ],
)
def test_headline(verdicts, worst, text):
    found = headline([gate(verdict=verdict) for verdict in verdicts])
    assert (found.verdict, found.text) == (worst, text)


def test_tally_counts_accepted_doubts():
    gates = [gate(verdict=W), gate(), gate(inconclusive_passes=True), gate(verdict=E)]
    assert tally(gates) == "1 exceeds, 2 inconclusive (1 accepted), 1 within"


@pytest.mark.parametrize(
    ("statistic", "words"),
    [
        ("mean", "mean gap; 0.00 is parity"),
        ("share_positive", "above it more attributes lean towards male"),
        ("standardised_difference", "set A leans towards male more than set B"),
        ("spearman", "moves towards female as the figure rises"),
        ("something_else", "0.00 is parity"),
    ],
)
def test_the_sign_is_told_in_words(statistic, words):
    text = contrast_in_words(result(statistic=statistic))
    assert text.startswith("A gap is male minus female: positive points towards male")
    assert words in text


@pytest.mark.parametrize(("level", "text"), [(0.95, "95\xa0%"), (1 - 0.05 / 3, "98.3\xa0%"), (0.99, "99\xa0%")])
def test_levels(level, text):
    assert level_text(level) == text


@pytest.mark.parametrize(("p", "text"), [(0.0004, "< 0.001"), (0.001, "0.001"), (1.0, "1.000")])
def test_p_values(p, text):
    assert p_text(p) == text


def test_shortened_texts_show_that_they_are():
    assert shortened("abcdef", 6) == "abcdef"
    assert shortened("abcdefg", 6) == "abcde…"


@pytest.mark.parametrize(
    ("created", "text"),
    [
        ("2025-03-04T05:06:07+00:00", "2025-03-04 05:06 UTC"),
        ("2025-03-04", "2025-03-04 00:00"),
        ("once", "once"),
        ("", ""),
    ],
)
def test_dates(created, text):
    assert when(created) == text


MEASURES = (
    *("association", "effect size", "positive share", "workforce correlation", "WEAT"),
    *("GAP resolution", "resolution ratio", "neither gap", "topic correlation"),
    *("held-out loss", "pronoun error", "task error"),
    *("skew", "skew-O", "stereotype", "stereotype-O", "pronoun gap", "pronoun resolution", "competency effect"),
    *("sentiment delta", "absolute sentiment delta"),
    *("gender subspace", "direct bias", "cluster accuracy", "classifier accuracy", "neighbour correlation"),
)


@pytest.mark.parametrize("measure", MEASURES)
def test_every_measure_has_limits_of_its_own(measure):
    assert limits_of(measure).about != limits_of("unknown").about
    assert limits_of(measure).limits


def test_every_measure_of_embeddings_has_words_for_its_sign_and_its_limits():
    from biascheck.report.embedding_words import EMBEDDING_LIMITS, EMBEDDING_SIGNS
    from biascheck.report.limits import limits_of

    assert EMBEDDING_LIMITS.keys() == EMBEDDING_SIGNS.keys()
    assert limits_of("WEAT") is EMBEDDING_LIMITS["WEAT"]
    assert "clustering and classification find it" in limits_of("direct bias").limits[-1]
