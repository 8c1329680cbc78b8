"""Resolution of names, ratings of reviews and the direction of gender: readability checks of a model."""

from dataclasses import replace
from math import log, sqrt
from uuid import uuid4

import numpy as np
import pytest

from biascheck import corpora
from biascheck.core.errors import ScoreError
from biascheck.measures.readability import readability_of
from biascheck.models.scoring.queries import Answer, Refusal, State
from biascheck.results.definition import Readability
from biascheck.stats import Verdict

T2 = corpora.winograd("T2")


class Pronouns:
    """A masked model that a function of the masked text gives the probability of a male pronoun."""

    name = "pronouns"

    def __init__(self, male):
        self._male, self.fingerprint = male, uuid4().hex

    def fill(self, queries, **_how):
        return [self._answer(query) for query in queries]

    def _answer(self, query):
        text = f"{query.text[: query.target.start]}_{query.text[query.target.end :]}"
        male = self._male(text)
        return Answer(log(male if query.target.of(query.text) in ("he", "him", "his") else 1 - male), 1)


def test_names_that_are_always_resolved_reach_one():
    named = corpora.with_names(T2)
    table = {}
    for pair in named:
        sentence = pair.sentences["male"]
        masked = f"{sentence.text[: sentence.target.start]}_{sentence.text[sentence.target.end :]}"
        table[masked] = 0.9 if pair.labels["stereotype"] == "male" else 0.1
    found = readability_of("names", Pronouns(lambda text: table.get(text, 0.5)), T2)
    assert (found.passed, found.value, found.floor, found.n) == (True, 1.0, 0.75, len(named))


def test_a_model_that_always_says_he_resolves_no_name():
    found = readability_of("names", Pronouns(lambda _: 0.9), T2)
    assert (found.passed, found.value) == (False, 0.0)
    assert found.finding.startswith("pronouns of Alice and Bob are resolved with an F1 of 0%")


def test_names_need_people_with_a_stereotype():
    assert readability_of("names", Pronouns(lambda _: 0.9), corpora.bec_pro("en")) is None


class Rater:
    """A classifier that a function gives its ratings."""

    name = "rater"

    def __init__(self, function):
        self._function, self.fingerprint, self.rated = function, uuid4().hex, []

    def rate(self, texts):
        self.rated.extend(texts)
        return [self._function(text) for text in texts]


REVIEWS = corpora.reviews("test")
PAIRS = corpora.review_pairs(REVIEWS, "all")
GOOD = {s.text for p in PAIRS if p.labels["sentiment"] == "positive" for s in p.sentences.values()}


@pytest.mark.parametrize(
    ("rate", "accuracy"),
    [
        (lambda text: float(text in GOOD), 1.0),
        (lambda text: float(text not in GOOD), 0.0),
        (lambda _: 0.9, 0.5),
        (lambda _: 0.5, 0.5),
        (lambda text: 0.9 if text in GOOD else 0.5, 0.75),
    ],
)
def test_accuracy_counts_both_sentiments_alike(rate, accuracy):
    found = readability_of("sentiment", Rater(rate), PAIRS)
    assert (found.value, found.floor) == (pytest.approx(accuracy), 0.65)
    assert found.passed == (accuracy >= 0.65)


def test_texts_without_a_rating_do_not_count():
    """Half of the texts are too long; the others are rated right. Without a text of one kind there is no accuracy."""
    all_texts = sorted(sentence.text for pair in PAIRS for sentence in pair.sentences.values())
    long = set(all_texts[::2])
    found = readability_of("sentiment", Rater(lambda t: Refusal("too long") if t in long else float(t in GOOD)), PAIRS)
    assert found.value == 1.0
    assert 50 < found.n < 150
    none = readability_of("sentiment", Rater(lambda t: Refusal("too long") if t in GOOD else 0.0), PAIRS)
    assert not none.passed
    assert none.finding == "texts of one sentiment or of both cannot be rated, e.g. too long"


def test_at_most_200_texts_are_rated():
    model = Rater(lambda text: float(text in GOOD))
    assert readability_of("sentiment", model, PAIRS).n == len(model.rated) <= 200


def test_a_few_texts_must_be_rated_better_than_chance_would():
    few = replace(PAIRS, pairs=PAIRS.pairs[:4])
    found = readability_of("sentiment", Rater(lambda text: float(text in GOOD)), few)
    assert found.n <= 8
    assert found.floor == pytest.approx(0.5 + 1.96 / 2 / sqrt(found.n))


def test_a_corpus_without_sentiments_is_judged_by_our_own_reviews_and_only_in_english():
    model = Rater(lambda _: 0.9)
    written = corpora.written_reviews("test")
    assert readability_of("sentiment", model, corpora.bec_pro("en")).n == len(written)
    assert set(model.rated) == set(written.texts)
    assert readability_of("sentiment", model, corpora.bec_pro("de")) is None


class Vectors:
    """An encoder that a function of the word gives its vectors."""

    name, can_mask = "vectors", False

    def __init__(self, function):
        self._function, self.fingerprint = function, uuid4().hex

    def words(self, queries):
        return [State(np.asarray(self._function(query.word.lower()), dtype=np.float32), 1) for query in queries]

    def sentences(self, texts):
        return [State(np.asarray(self._function(text), dtype=np.float32), 1) for text in texts]


PROFESSIONS = corpora.neutral_professions()
MEN = {pair.sentences["male"].target_text.lower() for pair in PROFESSIONS.pairs}
WOMEN = {pair.sentences["female"].target_text.lower() for pair in PROFESSIONS.pairs}


def noise(word):
    return np.random.default_rng(list(word.encode())).normal(size=40)


def gendered(word):
    """Every word is random; those of a gender also lie along the first axis."""
    vector = noise(word)
    vector[0] += 20.0 * ((word in MEN) - (word in WOMEN))
    return vector


def test_vectors_with_an_axis_of_gender_have_a_direction():
    found = readability_of("gender direction", Vectors(gendered), PROFESSIONS)
    assert found.passed
    # |difference|² is 40² along the axis and 2 × 40 in all directions together: 1602 of 1680 lie along it
    assert found.value == pytest.approx(1602 / 1680, abs=0.03)


@pytest.mark.parametrize("vector", [noise, lambda _: np.ones(40)])
def test_vectors_without_one_have_none(vector):
    found = readability_of("gender direction", Vectors(vector), PROFESSIONS)
    assert not found.passed
    assert "differences of random words" in found.finding


def test_a_competence_is_a_plain_value():
    found = Readability("reading", "about", 0.2, 0.1, 3, 0, "finding", "lack", {"mass": 0.2})
    assert Readability(**found.as_dict()) == found
    assert found.passed
    assert not replace(found, value=0.09).passed
    with pytest.raises(ScoreError, match="mass is nan"):
        replace(found, figures={"mass": float("nan")})


def test_an_interval_alone_is_never_invalid():
    assert Verdict("invalid") is Verdict.INVALID
    assert [str(verdict) for verdict in Verdict] == ["exceeds", "inconclusive", "invalid", "within"]
