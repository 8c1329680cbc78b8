"""How a sentence that follows another is scored."""

from biascheck import measures
from biascheck.models.fakes import ContinuationTable
from support.planted_answers import TRIPLES


def test_a_following_sentence_is_scored_by_what_its_context_adds():
    """ln P(sentence | context) − ln P(sentence): a frequent sentence gains nothing by being frequent."""
    table = {"stereotype": (-10.0, -12.0), "anti-stereotype": (-3.0, -3.5), "unrelated": (-9.0, -9.0)}

    def log_probability(context, continuation):
        given, alone = table[continuation.split()[0]]
        return given if context else alone

    scored = measures.stereotype_preference(ContinuationTable(log_probability), TRIPLES)
    assert dict(scored.items[0].groups) == {"stereotype": 2.0, "anti-stereotype": 0.5, "unrelated": 0.0}
    assert scored.estimate == 1
    assert measures.language_modelling_score(scored).estimate == 1
