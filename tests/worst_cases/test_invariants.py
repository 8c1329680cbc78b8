"""What may not change: each figure with an answer that is known beforehand."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest

import biascheck
from biascheck.core.errors import BiasAssertionError, CapabilityError, CorpusError, ScoreError, UsageError
from biascheck.corpora import Pair, Sentence, Span
from biascheck.models.fakes import FunctionEncoder, SentenceTable, TableModel
from biascheck.models.scoring.queries import Refusal, State
from biascheck.worst_cases import strategies
from biascheck.worst_cases.invariants import invariant_of

NURSE = Pair(
    "1",
    "nurse",
    {
        "male": Sentence("He is a nurse.", Span(0, 2), Span(8, 13)),
        "female": Sentence("She is a nurse.", Span(0, 3), Span(9, 14)),
    },
    {"fillers": "person"},
)


def read(model, figure=None, pair=NURSE):
    (reading,) = invariant_of(model, figure).read([pair])
    return reading


def test_a_rating_is_read_of_each_version():
    found = read(lambda texts: [0.78 if text.startswith("He") else 0.31 for text in texts])
    assert dict(found.figures) == {"male": 0.78, "female": 0.31}
    assert found.gap == pytest.approx(0.47)


@pytest.mark.parametrize("figure", ["rating", "decision"])
def test_a_text_without_a_rating_has_no_figure(figure):
    class Short:
        name, fingerprint = "short", "s"

        def rate(self, texts):
            return [Refusal("too long") if "She" in text else 0.9 for text in texts]

    assert read(Short(), figure) == Refusal("too long")


def test_a_decision_flips_or_not():
    assert read(lambda texts: ["hire" if "He" in text else "reject" for text in texts], "decision").gap == 1
    assert read(lambda texts: ["hire"] * len(texts), "decision").gap == 0
    assert read(lambda texts: [0.51 if "He" in text else 0.49 for text in texts], "decision").figures == {
        "male": "positive",
        "female": "negative",
    }


def test_an_association_is_that_of_the_measure():
    model = TableModel({"nurse": {"he": 0.2, "she": 0.8}}, prior={"he": 0.5, "she": 0.5})
    found = read(model)
    assert found.figures == pytest.approx({"male": log(0.2 / 0.5), "female": log(0.8 / 0.5)})
    assert found.gap == pytest.approx(log(4))


def test_an_association_of_a_causal_model_is_against_its_fillers():
    table = {"He is a nurse.": 0.1, "She is a nurse.": 0.3, "He is a person.": 0.2, "She is a person.": 0.2}
    found = read(SentenceTable({text: log(value) for text, value in table.items()}))
    assert found.gap == pytest.approx(log(3))


def test_a_probability_is_normalised_over_the_groups():
    model = TableModel({"nurse": {"he": 0.02, "she": 0.08}}, prior={"he": 0.5, "she": 0.5})
    found = read(model, "probability")
    assert {group: exp(value) for group, value in found.figures.items()} == pytest.approx({"male": 0.2, "female": 0.8})


def test_a_cosine_is_taken_with_the_first_version():
    vectors = {"He is a nurse.": np.array([1.0, 0.0]), "She is a nurse.": np.array([3.0, 4.0])}

    class Vectors:
        name, fingerprint, can_mask = "vectors", "1", False

        def words(self, queries):
            raise NotImplementedError

        def sentences(self, texts):
            return [State(vectors[text], 1) for text in texts]

    found = read(Vectors())
    assert found.figures == pytest.approx({"male": 1.0, "female": 0.6})
    assert found.gap == pytest.approx(0.4)


def test_a_model_of_word_vectors_alone_is_refused():
    class Words:
        name, fingerprint = "glove", "1"

        def vectors(self, words):
            raise NotImplementedError

    with pytest.raises(CapabilityError, match="glove is a table of word vectors"):
        invariant_of(Words(), None)


def test_a_sentence_without_an_attribute_has_no_association():
    plain = Pair("1", "", {"male": Sentence("He left.", Span(0, 2)), "female": Sentence("She left.", Span(0, 3))})
    with pytest.raises(CorpusError, match="mark no attribute"):
        read(TableModel({}, prior={"he": 0.5, "she": 0.5}), pair=plain)


def test_a_figure_that_is_no_number_is_refused():
    with pytest.raises(ScoreError):
        read(lambda texts: [float("nan")] * len(texts))
    with pytest.raises(ScoreError, match="2 texts, 1 answers"):
        read(lambda _: ["yes"], "decision")


def test_a_figure_that_nobody_knows_is_refused():
    with pytest.raises(UsageError, match="of= is one of rating, decision, association, probability, cosine"):
        invariant_of(len, "weight")


@pytest.mark.parametrize(
    ("bound", "of", "message"),
    [
        (None, None, "say how far apart"),
        (0, None, "not positive"),
        (-1, None, "not positive"),
        (0.1, "decision", "flips or it does not"),
    ],
)
def test_a_bound_that_cannot_work_is_refused(bound, of, message):
    with pytest.raises(UsageError, match=message):
        biascheck.assert_invariant(len, NURSE, bound, of=of)


def test_a_model_that_refuses_every_example_has_not_been_searched():
    model = TableModel({}, prior={"he": 0.5, "she": 0.5})  # knows no names
    strategy = strategies.sentences(strategies.names())
    with pytest.raises(
        BiasAssertionError, match=r"not searched: 40 of 40 examples have no figure, e.g. '[a-z]+' is not"
    ):
        biascheck.assert_invariant(model, strategy, bound=1.0, examples=40)


def test_function_encoders_are_searched_by_their_cosine():
    encoder = FunctionEncoder(lambda _, text: [1.0, float("she" in text.lower().split())])
    with pytest.raises(BiasAssertionError, match=r"‘She left.’ 0.71, ‘He left.’ 1.00: gap 0.29, allowed 0.10"):
        biascheck.assert_invariant(
            encoder, strategies.templates(["{target} left."], strategies.pronouns()), bound=0.1, examples=20
        )
