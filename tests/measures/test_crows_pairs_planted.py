"""Answers drawn with a known score: every measure finds it, parity passes, and chance is invalid."""

import numpy as np
import pytest

import biascheck
from biascheck import measures
from biascheck.core.errors import BiasAssertionError
from biascheck.corpora import Decision, ItemSet, builtin_decisions, builtin_pronouns
from biascheck.models.fakes import ContinuationTable
from biascheck.models.wrappers import RecordedScores
from support.planted_answers import (
    PAIRS,
    PLANTED,
    QUESTIONS,
    TRIPLES,
    decision_answers,
    pair_answers,
    question_answers,
    referent_table,
    triple_answers,
)

ENOUGH = 88
"""Of 100 intervals that are right in 95 of 100 cases, fewer are right once in some 500 trials."""


@pytest.mark.parametrize("name", PLANTED)
def test_the_known_score_lies_in_the_interval(name):
    assert sum(PLANTED[name].covered(seed) for seed in range(100)) >= ENOUGH


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANTED)
def test_the_known_score_lies_in_93_of_100_intervals(name):
    """Over 1,000 seeds, the first ones, so that neither luck nor a choice of seeds decides."""
    assert sum(PLANTED[name].covered(seed) for seed in range(1000)) >= 930


def test_pairs_at_parity_pass_and_a_preference_exceeds():
    fair = measures.preference_share(pair_answers(1, 0.5), PAIRS)
    biascheck.assert_share_within(fair, 0.15)
    with pytest.raises(BiasAssertionError):
        biascheck.assert_share_within(measures.preference_share(pair_answers(1, 0.9), PAIRS), 0.15)


def test_triples_at_parity_pass_and_at_chance_they_are_invalid():
    fair = measures.stereotype_score(triple_answers(3, 0.5, 0.9), TRIPLES)
    assert biascheck.assert_within_margin(fair, 0.15).passed
    guessing = measures.stereotype_score(triple_answers(3, 0.5, 0.5), TRIPLES)
    assert not guessing.competence.passed
    with pytest.raises(BiasAssertionError, match="cannot tell meaningful sentences from unrelated ones"):
        biascheck.assert_within_margin(guessing, 0.15)


def test_answers_at_parity_pass_and_at_chance_they_are_invalid():
    fair = measures.question_answers(question_answers(2, unknown=0.8, biased=0.5, accuracy=0.9), QUESTIONS)
    assert biascheck.assert_within_margin(measures.ambiguous_bias(fair), 0.15).passed
    assert biascheck.assert_within_margin(measures.disambiguated_bias(fair), 0.15).passed
    rng = np.random.default_rng(0)
    guessing = RecordedScores("guessing", {item.id: float(rng.integers(3)) for item in QUESTIONS})
    for score in (measures.ambiguous_bias, measures.disambiguated_bias):
        with pytest.raises(BiasAssertionError, match="cannot answer questions"):
            biascheck.assert_within_margin(score(measures.question_answers(guessing, QUESTIONS)), 0.3)


def test_a_guess_between_the_two_people_is_chance_too():
    """Whoever never says “unknown” has half of the disambiguated questions right without reading them."""
    rng = np.random.default_rng(4)
    answers = measures.question_answers(
        RecordedScores("coin", {item.id: float(rng.integers(2)) for item in QUESTIONS}), QUESTIONS
    )
    found = measures.disambiguated_bias(answers).competence
    assert found.floor > 0.55
    assert not found.passed


def test_decisions_at_parity_pass():
    decisions = builtin_decisions()
    fair = measures.decision_scores(decision_answers(5, decisions, female=0.0, ten_years=0.0), decisions)
    assert biascheck.assert_within_margin(measures.decision_effect(fair, group="female"), 0.4).passed
    assert biascheck.assert_within_margin(measures.age_slope(fair), 0.1).passed


def test_a_model_that_says_neither_yes_nor_no_is_invalid():
    labels = {"age": 60, "race": "white"}
    decisions = ItemSet(
        "two",
        tuple(
            Decision(f"{d}-60-{g}-white", f"{d}", "Should it?", {**labels, "decision": f"{d}", "gender": g})
            for d in range(8)
            for g in ("male", "female")
        ),
    )
    table = ContinuationTable(lambda _context, answer: -6.0 if answer.lower() == " yes" else -7.0)
    effect = measures.decision_effect(measures.decision_scores(table, decisions), attribute="gender", group="female")
    assert effect.estimate == 0
    with pytest.raises(BiasAssertionError, match="does not answer yes or no"):
        biascheck.assert_within_margin(effect, 0.2)


def test_referents_at_parity_pass_and_at_chance_they_are_invalid():
    fair = referent_table(1, gap=0.0, slope=0.0, accuracy=0.9)
    gap = measures.referent_gap(measures.referent_odds(fair, builtin_pronouns()))
    assert biascheck.assert_within_margin(gap, 0.5).passed
    assert biascheck.assert_within_margin(measures.workforce_slope(gap), 1.5).passed
    guessing = referent_table(1, gap=0.0, slope=0.0, accuracy=0.5)
    unread = measures.referent_gap(measures.referent_odds(guessing, builtin_pronouns()))
    for figure in (unread, measures.workforce_slope(unread)):
        with pytest.raises(BiasAssertionError, match="cannot resolve pronouns"):
            biascheck.assert_within_margin(figure, 1.5)
