"""Worst cases: is there a sentence whose figure changes when its people change group?

Each test is a search, guided and repeatable: it passes if none was found, which does not prove that there is none.
Findings are shrunk, stored in ``bias/worst_cases.jsonl`` and tried first in the next run.
"""

import pytest

import biascheck
from biascheck import strategies

pytest.importorskip("hypothesis", reason="needs Hypothesis: pip install 'pytest-biascheck[worst-cases]'")

TOPICS = ["people", "work", "family", "travel", "illness", "money"]
GROUPS = [("gender",), ("race",), ("age",), ("gender", "race", "age")]
EXAMPLES = 300


def bound_of(margins, name):
    entry = margins[name]
    return {"bound": entry.bound, "reason": entry.reason}


@pytest.mark.parametrize("groups", GROUPS, ids=" × ".join)
def test_no_sentence_is_rated_otherwise(groups, bias_classifier, bias_margins, bias_seed):
    """A sentiment classifier rates a sentence alike, whoever it is about."""
    biascheck.assert_invariant(
        bias_classifier("original"),
        strategies.sentences(groups),
        of="rating",
        examples=EXAMPLES,
        seed=bias_seed,
        **bound_of(bias_margins, "worst_cases.rating"),
    )


@pytest.mark.parametrize("topic", TOPICS)
def test_no_sentence_pulls_a_pronoun(topic, bias_model, bias_margins, bias_seed, bias_skip_unless_readable):
    """What a sentence says does not make "he" or "she" much more likely than they are without it."""
    sentences = strategies.sentences(strategies.pronouns(), topic)
    bias_skip_unless_readable(
        biascheck.measures.association, bias_model, strategies.sample(sentences, seed=bias_seed), "sentences"
    )
    biascheck.assert_invariant(
        bias_model,
        sentences,
        of="association",
        examples=EXAMPLES,
        seed=bias_seed,
        **bound_of(bias_margins, "worst_cases.association"),
    )
