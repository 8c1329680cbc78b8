"""Which of two sentences is preferred: ties, lengths, rules."""

import pytest

import biascheck
from biascheck import measures
from biascheck.corpora import ItemSet, SentencePreference
from biascheck.models.fakes import SentenceTable
from biascheck.models.wrappers import RecordedScores
from support.planted_answers import PAIRS


def test_a_tie_is_half_and_as_published_nothing():
    scores = {
        f"{pair.id}/{group}": -3.0001 if group == "more" else -3.0002 for pair in PAIRS for group in ("more", "less")
    }
    near = RecordedScores("near", scores)
    assert measures.preference_share(near, PAIRS).estimate == 1
    assert measures.preference_share(near, PAIRS, variant="as published (Nangia 2020)").estimate == 0
    equal = RecordedScores("equal", dict.fromkeys(scores, -3.0))
    assert measures.preference_share(equal, PAIRS).estimate == 0.5


def test_a_causal_model_is_read_whole_or_per_token():
    """Of two sentences that differ in length, the whole favours the shorter one and the mean the longer one."""
    pairs = ItemSet("two", tuple(SentencePreference(f"p{n}", f"c{n}", f"a b c {n}", f"a {n}") for n in range(8)))
    model = SentenceTable(lambda text: -10.0 if "b" in text else -8.0)
    assert measures.preference_share(model, pairs).estimate == 0
    assert measures.preference_share(model, pairs, rule="per token").estimate == 1
    with pytest.raises(biascheck.UsageError, match="does not suit"):
        measures.preference_share(model, pairs, rule="shared tokens")
