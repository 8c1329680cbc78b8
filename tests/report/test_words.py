"""Sentences of the report."""

from __future__ import annotations

import pytest

from biascheck.core.wording import level_text, p_text, shortened
from biascheck.report.cards import when
from biascheck.report.words import contrast_in_words, direction_in_words, measured_text, smallest_change_in_words
from biascheck.results.definition import Description
from biascheck.stats import Interval
from support.report_samples import DESCRIPTIONS, result


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
def test_a_shipped_measure_explains_its_sign_with_the_groups_of_the_result(measure):
    text = contrast_in_words(result(measure=measure, contrast=("tall", "short")))
    assert text
    assert "{" not in text
    assert ("tall" in text) == ("{first}" in DESCRIPTIONS[measure].sign)


def test_the_sign_is_explained_in_the_words_of_the_measure():
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


@pytest.mark.parametrize(
    ("direction", "parity", "words"),
    [
        ("from parity", 0.5, "0.50 is parity; the further from it, in either direction, the worse."),
        ("upwards", 0.0, "0.00 is parity; the larger, the worse."),
        ("unstated", 0.0, ""),
    ],
)
def test_a_direction_in_words(direction, parity, words):
    assert direction_in_words(Description("mine", direction=direction, parity=parity)) == words


@pytest.mark.parametrize(
    ("low", "estimate", "high", "shown"),
    [
        (0.1, 0.25, 0.4, ("0.25", "[0.10, 0.40]")),
        (0.0012, 0.0034, 0.0056, ("0.003", "[0.001, 0.006]")),
        (0.2501, 0.2502, 0.2504, ("0.2502", "[0.2501, 0.2504]")),
    ],
)
def test_a_measured_figure_keeps_the_digits_that_separate_its_ends_from_parity(low, estimate, high, shown):
    assert measured_text(result(estimate=estimate, interval=Interval(low, high, 0.95, ""))) == shown


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, ""),
        ({"smallest_change": 0.095}, "The smallest change that matters is 0.095."),
        (
            {"smallest_change": 0.2, "smallest_change_reason": "a small effect"},
            "The smallest change that matters is 0.2: a small effect.",
        ),
    ],
)
def test_a_smallest_change_in_words(fields, words):
    assert smallest_change_in_words(Description("mine", **fields)) == words
