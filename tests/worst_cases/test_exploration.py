"""Where a search looks: every word once, no example twice, and several people where a model reads them in one pass."""

from __future__ import annotations

from math import log

import pytest

from biascheck.corpora import religion
from biascheck.models.scoring.queries import Answer
from biascheck.worst_cases.exploration import Exploration
from biascheck.worst_cases.grammar import phrase_words
from biascheck.worst_cases.programs import program_of
from biascheck.worst_cases.search import PEOPLE, search_worst_cases
from biascheck.worst_cases.strategies import described, from_corpus, names, pronouns, sentences, templates


class Masked:
    """A masked model for which every word is as likely, and which remembers what it was asked to read."""

    name, fingerprint = "even", "1"

    def __init__(self):
        self.read = []

    def fill(self, queries, **_):
        self.read += [(one.text[: one.target.start] + "_" + one.text[one.target.end :], one.hidden) for one in queries]
        return [Answer(log(0.5), 1) for _ in queries]


def exploration(strategy, people=1, seed=0):
    return Exploration(program_of(strategy), str(seed), people)


def masked_texts(one):
    return [each.text[: each.target.start] + "_" + each.text[each.target.end :] for each in one.pair.sentences.values()]


def test_companions_are_in_the_same_sentence_but_for_the_person():
    drawn = exploration(sentences(), people=8).random(200)
    first = 0
    for place, one in enumerate(drawn):
        first = place if one.at_random else first
        assert masked_texts(one) == masked_texts(drawn[first])
    assert drawn[0].at_random
    assert len({one.key for one in drawn}) == len(drawn)


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        (sentences(), True),
        (sentences(names("race")), True),
        (sentences(pronouns()), False),  # he and she are one set
        (sentences(described("gender", "race", "age")), False),
        (templates(["{target} left."], pronouns()), False),
    ],
)
def test_only_sets_of_several_people_have_companions(strategy, expected):
    assert exploration(strategy, people=8).has_companions is expected


def test_people_of_another_gender_are_no_companions():
    drawn = exploration(sentences(names("race")), people=20).random(100)
    assert len({one.key for one in drawn if not one.at_random}) > 0
    for one in drawn:
        assert masked_texts(one)[0] == masked_texts(one)[1]


def test_a_masked_model_reads_a_sentence_once_for_all_its_people():
    model = Masked()
    found = search_worst_cases(model, sentences(), 0.1, examples=960, check_readability=False)
    assert found.examples == 960
    # at most four inputs for a sentence: two pronouns, with the attribute and without
    assert len(set(model.read)) * 3 < found.examples * 4
    # a third of the examples belongs to sentences at random; "the man" has fewer companions than James
    assert 320 / PEOPLE <= found.random <= 320 / 3


def test_a_masked_model_without_companions_tries_as_many_sentences_as_examples():
    model = Masked()
    found = search_worst_cases(model, sentences(pronouns()), 0.1, examples=300, check_readability=False)
    assert (found.examples, found.random) == (300, 100)
    assert len({text for text, _ in model.read}) >= 300


@pytest.mark.parametrize("seed", range(5))
def test_every_word_is_tried(seed):
    looking = exploration(sentences(pronouns(), "people"), seed=seed)
    drawn = [*looking.random(80), *looking.guided(170, [], bound=0.1)]
    occupations = {text for one in drawn for path, text in one.texts.items() if path[-1] == "occupation"}
    assert occupations == set(phrase_words()["occupation"])


def test_no_guided_example_repeats_another_where_there_are_enough():
    looking = exploration(sentences())
    drawn = [*looking.random(50), *looking.guided(400, [], bound=0.1)]
    assert len({one.key for one in drawn}) == len(drawn)


def test_a_strategy_of_few_examples_ends_all_the_same():
    drawn = exploration(from_corpus(religion())).guided(20, [], bound=0.1)
    assert len(drawn) == 20
    assert len(exploration(templates(["{target} left."], pronouns())).guided(5, [], bound=0.1)) == 5
