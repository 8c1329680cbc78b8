"""Causes that were put into a classifier are found, shrunk and told apart; a classifier without any passes."""

from __future__ import annotations

from functools import cache
from itertools import product

import pytest

import biascheck
from biascheck.worst_cases.grammar import FRAMES, TIMES, phrase_words, phrases_on
from biascheck.worst_cases.programs import Choosing, program_of, simplest
from biascheck.worst_cases.search import search_worst_cases
from biascheck.worst_cases.strategies import sentences
from support.planted_causes import COOK_YESTERDAY, NURSE_AT_NIGHT, planted, words_of

BOUND = 0.2
EXAMPLES = 2_000
SHORT, LONG = range(6), range(100)


@cache
def fewest_words(cause: frozenset[str]) -> int:
    """The length of the shortest sentences that have all the words, by going through all of one clause about he."""
    program = program_of(sentences())
    job = [n for n, word in enumerate(phrase_words()["occupation"]) if word in cause]
    lengths = []
    for frame, phrase, time in product(range(len(FRAMES)), range(len(phrases_on())), range(len(TIMES))):
        for occupation in job:
            given = {
                ("frame",): frame,
                ("clause", 0, "phrase"): phrase,
                ("time",): time,
                ("*", "occupation"): occupation,
            }
            text = program.build(Choosing(given, simplest)).sentences["male"].text
            if cause <= words_of(text):
                lengths.append(len(text.split()))
    return min(lengths)


def found_with(seed, *causes):
    return search_worst_cases(planted(*causes), sentences(), BOUND, examples=EXAMPLES, seed=seed)


def has_no_word_to_spare(case, cause):
    """Both words are there, no sentence of the grammar with both is shorter, and both are named as the cause."""
    return case.words == fewest_words(cause) and words_of(" ".join(case.cause)) == cause


def test_the_shortest_sentence_about_a_nurse_at_night_has_six_words():
    assert fewest_words(NURSE_AT_NIGHT) == len(["He", "met", "a", "nurse", "at", "night."])


@pytest.mark.parametrize("seed", SHORT)
def test_two_words_that_must_meet_are_found_and_nothing_else_is_left(seed):
    found = found_with(seed, NURSE_AT_NIGHT)
    assert found.examples <= EXAMPLES
    (case,) = found.cases
    assert has_no_word_to_spare(case, NURSE_AT_NIGHT)
    assert case.gap == pytest.approx(0.5)
    assert {version.group: version.figure for version in case.versions} == {"male": 0.8, "female": 0.3}
    assert found.unexplained == 0


@pytest.mark.parametrize("seed", SHORT[:2])
def test_two_causes_are_both_reported(seed):
    found = found_with(seed, NURSE_AT_NIGHT, COOK_YESTERDAY)
    assert {frozenset(words_of(" ".join(case.cause))) for case in found.cases} == {NURSE_AT_NIGHT, COOK_YESTERDAY}


@pytest.mark.parametrize("seed", SHORT[:2])
def test_a_classifier_without_a_gap_passes(seed):
    found = found_with(seed)
    assert (found.verdict, found.cases, found.largest) == ("none found", (), 0.0)


@pytest.mark.slow
def test_two_words_that_must_meet_are_found_in_95_of_100_seeds_and_shrunk_in_90():
    found = [found_with(seed, NURSE_AT_NIGHT) for seed in LONG]
    assert sum(bool(one.cases) for one in found) >= 95
    shrunk = [one for one in found if one.cases and has_no_word_to_spare(one.cases[0], NURSE_AT_NIGHT)]
    assert len(shrunk) >= 90


@pytest.mark.slow
def test_two_causes_are_both_reported_in_90_of_100_seeds():
    causes = [
        {frozenset(words_of(" ".join(case.cause))) for case in found_with(seed, NURSE_AT_NIGHT, COOK_YESTERDAY).cases}
        for seed in LONG
    ]
    assert sum(one == {NURSE_AT_NIGHT, COOK_YESTERDAY} for one in causes) >= 90


@pytest.mark.slow
def test_nothing_is_found_in_100_seeds_where_there_is_nothing():
    assert not [seed for seed in LONG if not found_with(seed).passed]


def test_a_word_alone_is_one_cause_for_each_word():
    found = found_with(0, frozenset({"nurse"}), frozenset({"welder"}))
    assert sorted(case.cause for case in found.cases) == [("nurse",), ("welder",)]
    assert max(case.words for case in found.cases) == len(["He", "met", "a", "nurse."])


def test_a_gap_in_every_sentence_is_one_cause_without_words():
    found = found_with(0, frozenset())
    (case,) = found.cases
    assert (case.cause, case.reason) == ((), "any sentence")
    assert case.versions[0].text == "He was ill."
    assert found.above == found.random


def test_the_same_seed_finds_the_same_and_another_looks_elsewhere():
    first, again, other = (found_with(seed, NURSE_AT_NIGHT) for seed in (0, 0, 1))
    assert first == again
    assert first.cases[0].shrunk_from != other.cases[0].shrunk_from or first.above != other.above


def test_groups_of_an_intersection_are_told_apart():
    def rate(texts):
        return [0.9 if "old Black woman" in text and "judge" in text else 0.5 for text in texts]

    strategy = sentences(("gender", "race", "age"), topics="people")
    found = search_worst_cases(biascheck.as_classifier(rate), strategy, BOUND, examples=600, seed=1)
    (case,) = found.cases
    assert len(case.versions) == 8
    assert case.extremes[1].group == "old Black female"
    assert case.cause == ("judge",)
