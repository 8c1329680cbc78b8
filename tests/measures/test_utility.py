"""Losses on running text: each with an answer known from a table, and the same words for every model."""

from math import log

import pytest

import biascheck
from biascheck.core.errors import UsageError
from biascheck.corpora import Documents, Review, Reviews
from biascheck.models.fakes import SentenceTable, TableModel
from biascheck.models.scoring.queries import Refusal

WORDS = {"the": 0.5, "nurse": 0.1, "said": 0.2, "she": 0.4, "slept": 0.05, "he": 0.1}


def table(**changed):
    return TableModel({}, prior={**WORDS, **changed}, name="table")


def test_a_loss_is_the_mean_of_minus_log_p():
    documents = Documents.of("t", ["The nurse said she slept."])
    result = biascheck.measures.held_out_loss(table(), documents, share=1.0)
    expected = -sum(log(WORDS[word]) for word in ["the", "nurse", "said", "she", "slept"]) / 5
    assert result.estimate == pytest.approx(expected)
    assert (result.n, result.unit, result.parity) == (1, "documents", 0.0)


def test_all_hidden_words_of_a_sentence_are_hidden_together():
    model = table()
    biascheck.measures.held_out_loss(model, Documents.of("t", ["The nurse said she slept."]), share=0.4)
    assert len(model.asked) == 2
    assert {frozenset((query.target, *query.hidden)) for query in model.asked} == {
        frozenset((model.asked[0].target, model.asked[1].target))
    }


def test_which_words_are_hidden_depends_on_seed_and_document_only():
    texts = ["The nurse said she slept.", "He said the nurse slept.", "She said he slept."]

    def asked(documents, seed):
        model = table()
        biascheck.measures.held_out_loss(model, documents, seed=seed)
        return {(query.text, query.target) for query in model.asked}

    whole, part = Documents.of("t", texts), Documents("t", Documents.of("t", texts).items[1:])
    assert asked(part, 0) <= asked(whole, 0)
    assert any(asked(whole, seed) != asked(whole, 0) for seed in range(1, 5))


def test_causal_models_are_scored_on_whole_sentences():
    model = SentenceTable({"He slept.": -4.0, "She said so.": -9.0})
    documents = Documents.of("t", ["He slept.", "She said so."])
    result = biascheck.measures.held_out_loss(model, documents)
    assert [item.score for item in result.items] == [pytest.approx(2.0), pytest.approx(3.0)]


def test_what_cannot_be_scored_is_skipped_with_its_reason():
    documents = Documents.of("t", ["The nurse said she slept.", "Zyzzyva zyzzyva.", "Oh"])
    result = biascheck.measures.held_out_loss(table(), documents, share=1.0)
    assert [skip.reason.split(";")[0] for skip in result.skipped] == [
        "'zyzzyva' is not in this model's vocabulary",
        "no sentence of two words",
    ]


def test_pronoun_error_counts_where_the_other_gender_is_preferred():
    """This table always prefers she (0.4) to he (0.1)."""
    documents = Documents.of("t", ["The nurse said she slept.", "He slept. She slept.", "The nurse slept."])
    result = biascheck.measures.pronoun_error(table(), documents)
    assert {item.id: item.score for item in result.items} == {"t-0": 0.0, "t-1": 0.5}
    assert [(skip.id, skip.reason) for skip in result.skipped] == [("t-2", "no gendered pronoun in it")]


def test_a_tie_is_half_an_error():
    result = biascheck.measures.pronoun_error(table(he=0.4), Documents.of("t", ["He slept."]))
    assert result.estimate == 0.5


class Rater:
    kind, name, fingerprint = "classifier", "rater", "r" * 64

    def rate(self, texts):
        return [0.9 if "good" in text else 0.1 for text in texts]


def test_task_error_is_the_share_of_wrong_ratings():
    rows = [("good", "positive"), ("bad", "negative"), ("not good", "negative"), ("fine", "positive")]
    reviews = Reviews("r", tuple(Review(str(n), *row) for n, row in enumerate(rows)))
    result = biascheck.measures.task_error(Rater(), reviews)
    assert [item.score for item in result.items] == [0.0, 0.0, 1.0, 1.0]
    assert (result.estimate, result.unit) == (0.5, "reviews")


def test_a_review_without_a_rating_has_no_error():
    class Short:
        name, fingerprint = "short", "s" * 64

        def rate(self, texts):
            return [Refusal("too long") if text == "bad" else 0.9 for text in texts]

    reviews = Reviews("r", (Review("0", "good", "positive"), Review("1", "bad", "negative")))
    result = biascheck.measures.task_error(Short(), reviews)
    assert [item.score for item in result.items] == [0.0]
    assert [(skip.id, skip.reason) for skip in result.skipped] == [("1", "too long")]


def test_versions_of_one_document_are_one_cluster():
    both = biascheck.corpora.counterfactual(Documents.of("t", ["She slept.", "He slept."]), "cda").documents
    assert biascheck.measures.pronoun_error(table(), both).clusters == 2


def test_wrong_use_is_told():
    documents = Documents.of("t", ["He slept."])
    with pytest.raises(UsageError, match="share is that of the words to hide"):
        biascheck.measures.held_out_loss(table(), documents, share=0)
    with pytest.raises(UsageError, match="pronoun error needs a model that fills masks"):
        biascheck.measures.pronoun_error(SentenceTable({}), documents)
    with pytest.raises(UsageError, match="held-out loss needs a model that fills masks or scores text"):
        biascheck.measures.held_out_loss(Rater(), documents)
