"""Sentences of the report."""

from __future__ import annotations

import pytest
from report_samples import DESCRIPTIONS, gate, result

from biascheck.report.sections.model_cards import when
from biascheck.report.sentences import contrast_in_words, headline, level_text, p_text, shortened, tally
from biascheck.results.description import Description
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
        ("mean", "The estimate is the mean gap; 0.00 is parity."),
        ("share_positive", "The estimate is the share of positive gaps; 0.00 is parity."),
        ("something_else", "The estimate is the something else; 0.00 is parity."),
    ],
)
def test_a_measure_without_words_for_its_sign_gets_a_plain_sentence(statistic, words):
    text = contrast_in_words(result(measure="mine", statistic=statistic))
    assert text == f"A gap is male minus female: positive points towards male, negative towards female. {words}"


@pytest.mark.parametrize("measure", DESCRIPTIONS)
def test_a_shipped_measure_tells_its_sign_with_the_groups_of_the_result(measure):
    text = contrast_in_words(result(measure=measure, contrast=("tall", "short")))
    assert text
    assert "{" not in text
    assert ("tall" in text) == ("{first}" in DESCRIPTIONS[measure].sign)


def test_the_sign_is_told_in_the_words_of_the_measure():
    assert "set A leans towards male more than set B does" in contrast_in_words(result(measure="effect size"))
    assert "moves towards female as the figure rises" in contrast_in_words(result(measure="workforce correlation"))
    assert "brackets {x} stay" in contrast_in_words(
        result(description=Description("mine", sign="{first}: brackets {x} stay"))
    )


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
