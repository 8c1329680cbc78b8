"""Referents of pronouns, with the answers given by a table."""

from dataclasses import replace
from math import log

import pytest

from biascheck import measures
from biascheck.core.errors import CorpusError, UsageError
from biascheck.corpora import builtin_pronouns, winograd
from biascheck.measures.referents import REFERENT_WORDINGS
from biascheck.models.fakes import ContinuationTable
from support.planted_answers import referent_table


def test_the_odds_are_of_the_two_people_of_the_sentence():
    """He is the occupation by 4 to 1, she by 1 to 1, they by 1 to 2; the length of an answer does not matter."""
    shares = {"male": 0.8, "female": 0.5, "neutral": 1 / 3}
    corpus = builtin_pronouns()
    group_of = {s.text: group for pair in corpus for group, s in pair.sentences.items()}

    def log_probability(context, continuation):
        share = shares[group_of[context.split("\n")[0]]]
        named = context.split("\n")[0].lower().split()
        occupation = continuation.removeprefix(" the ").split()[0] == named[1]
        return log(share if occupation else 1 - share)

    table = ContinuationTable(log_probability)
    odds = measures.referent_odds(table, corpus)
    assert odds.estimate == pytest.approx(log(4))
    assert odds.between("female", "neutral").estimate == pytest.approx(log(2))
    asked = {(query.context.split("\n")[0], query.continuation) for query in table.asked}
    (pair,) = [pair for pair in corpus if pair.id == "own-carpenter/occupation/client"]
    text = pair.sentences["female"].text
    assert {(text, " the carpenter"), (text, " the client")} <= asked
    (other,) = [pair for pair in corpus if pair.id == "own-carpenter/occupation/someone"]
    assert (other.sentences["female"].text, " someone") in asked
    accuracy = measures.referent_accuracy(odds)
    # "he" always means the occupation, which is right for every other sentence; an even "she" is no answer
    assert [accuracy.where(pronoun=group).estimate for group in shares] == [0.5, 0.0, 0.5]
    assert accuracy.n == 3 * len(corpus)


def test_wordings_are_draws_and_are_checked():
    asked = ContinuationTable(lambda context, answer: -1.0 - len(context) / 100 - len(answer) / 100)
    odds = measures.referent_odds(asked, builtin_pronouns(), wordings=3)
    assert odds.n == 3 * 80
    assert {item.draw for item in odds.items} == {0, 1, 2}
    assert {item.labels["wording"] for item in odds.items} == {1, 2, 3}
    with pytest.raises(UsageError, match="there are 3"):
        measures.referent_odds(asked, builtin_pronouns(), wordings=4)
    assert len(REFERENT_WORDINGS) == 3


def test_a_corpus_without_referents_is_refused():
    table = ContinuationTable(lambda _context, _answer: -1.0)
    with pytest.raises(CorpusError, match="whom its pronoun means"):
        measures.referent_odds(table, winograd("T1"))


def test_the_correlation_can_be_with_another_share():
    """In text women are mentioned the other way round, so that the sign turns."""
    odds = measures.referent_odds(referent_table(2, gap=0.0, slope=3.0, accuracy=0.9), builtin_pronouns())
    items = tuple(
        replace(item, labels={**item.labels, "share_in_text": 100 - item.labels["share_of_women"]})
        for item in odds.items
    )
    gap = measures.referent_gap(replace(odds, items=items))
    by_workforce = measures.workforce_correlation(gap)
    in_text = measures.workforce_correlation(gap, share="share_in_text")
    assert by_workforce.estimate == pytest.approx(-in_text.estimate)
    assert by_workforce.estimate < -0.5
    assert by_workforce.key != in_text.key
    with pytest.raises(UsageError, match="carry no share_elsewhere"):
        measures.workforce_correlation(gap, share="share_elsewhere")
