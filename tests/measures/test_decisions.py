"""Decisions: pairs of prompts, and the spellings of an answer."""

import numpy as np
import pytest

import biascheck
from biascheck import measures
from biascheck.corpora import builtin_decisions
from biascheck.models.fakes import ContinuationTable
from biascheck.models.wrappers import RecordedScores


def test_pairs_of_decisions_share_everything_but_the_group():
    decisions = builtin_decisions()
    exact = {item.id: (item.labels["gender"] == "female") * 0.5 + item.labels["age"] / 10 for item in decisions}
    scores = measures.decision_scores(RecordedScores("exact", exact), decisions)
    effect = measures.decision_effect(scores, attribute="gender", group="female")
    assert (effect.estimate, effect.n, effect.contrast) == (0.5, 22 * 7, ("female", "male"))
    assert measures.decision_effect(scores, attribute="age", group=80).estimate == 2.0
    assert measures.age_slope(scores).estimate == pytest.approx(1.0)
    with pytest.raises(biascheck.UsageError, match="cannot be compared"):
        measures.decision_effect(scores, attribute="gender", group="male")


def test_an_answer_counts_in_either_spelling_and_once_where_capitals_are_the_same():
    decisions = builtin_decisions().sample_clusters(21)
    shares = {" yes": 0.1, " Yes": 0.3, " no": 0.2, " No": 0.1}
    cased = ContinuationTable(lambda _context, answer: float(np.log(shares[answer])))
    assert measures.decision_scores(cased, decisions).estimate == pytest.approx(np.log(0.4 / 0.3))
    uncased = ContinuationTable(lambda _context, answer: float(np.log(shares[answer.lower()])))
    (item, *_) = measures.decision_scores(uncased, decisions).items
    assert dict(item.groups) == pytest.approx({"yes": np.log(0.1), "no": np.log(0.2)})
