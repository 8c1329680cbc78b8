"""A user's own measure: one function, with provenance and caching from the decorator."""

import platform
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import ClassVar

import pytest

import biascheck
from biascheck.core.errors import UsageError
from biascheck.core.store import DocumentCache, caching
from biascheck.corpora import Attribute, Corpus, Target, Template, cross
from biascheck.measures.measure import draft
from biascheck.models.fakes import TableModel
from biascheck.results.items import ItemScore
from biascheck.results.summaries import summarise

WORDS = ("nurse", "plumber", "judge", "baker", "pilot", "mason")
CORPUS = Corpus(
    "words",
    ("male", "female"),
    cross(
        [Template("{target} is a {attribute}.", "is")],
        [(Target("he", "male"), Target("she", "female"))],
        [Attribute(word) for word in WORDS],
    ),
    warnings=("a toy",),
)
MODEL = TableModel({}, {"he": 0.5, "she": 0.5}, name="first")


def mine(version=1):
    """A measure of how long attributes are, and the list of its calls."""
    calls = []

    @biascheck.measure("mine", version=version)
    def length(model, corpus, *, scale=1.0, seed=0):
        """How long attributes are."""
        calls.append(model.name)
        items = [ItemScore(p.id, scale * len(p.attribute), p.attribute, labels=dict(p.labels)) for p in corpus]
        return summarise(draft(model, corpus, items, (), contrast=("male", "female"), seed=seed))

    return length, calls


def test_an_own_measure_has_provenance():
    length, _ = mine(version=3)
    result = length(MODEL, CORPUS, scale=2.0)
    assert result.title == "mine on first × words"
    assert result.estimate == pytest.approx(2 * (5 + 7 + 5 + 5 + 5 + 5) / 6)
    assert result.warnings == ("a toy",)
    provenance = result.provenance
    assert (provenance.measure_version, provenance.variant) == (3, "ours")
    assert provenance.model_fingerprint == MODEL.fingerprint
    assert provenance.corpus_fingerprint == CORPUS.fingerprint
    assert provenance.options == {"scale": 2.0, "seed": 0}
    assert provenance.versions["python"] == platform.python_version()
    assert {"numpy", "scipy", "torch", "transformers"} <= provenance.versions.keys()
    age = datetime.now(UTC) - datetime.fromisoformat(provenance.created)
    assert timedelta(seconds=-1) <= age < timedelta(days=1)


def test_a_model_that_describes_itself_is_described_in_the_provenance():
    class Described(TableModel):
        about: ClassVar = {"architecture": "table"}

    length, _ = mine()
    assert length(Described({}, {"he": 0.5, "she": 0.5}), CORPUS).provenance.model == {"architecture": "table"}
    assert length(MODEL, CORPUS).provenance.model == {}


def test_an_own_measure_keeps_its_name_and_docstring():
    length, _ = mine()
    assert (length.__name__, length.__doc__) == ("length", "How long attributes are.")


def test_an_own_measure_can_be_judged():
    length, _ = mine()
    with pytest.raises(biascheck.BiasAssertionError, match=r"mine on first × words: 5\.33 .* exceeds margin 1\.00"):
        biascheck.assert_within_margin(length(MODEL, CORPUS), 1.0)


def test_an_own_measure_is_cached(tmp_path):
    length, calls = mine()
    with caching(DocumentCache(tmp_path)):
        fresh = length(MODEL, CORPUS)
    with caching(DocumentCache(tmp_path)):
        assert length(MODEL, CORPUS) == fresh
        assert length(MODEL, CORPUS, scale=1.0) == fresh
        assert len(calls) == 1
        assert length(MODEL, CORPUS, scale=2.0).estimate == pytest.approx(2 * fresh.estimate)
    assert len(calls) == 2


def test_without_a_cache_it_is_computed_every_time():
    length, calls = mine()
    with caching(None):
        length(MODEL, CORPUS)
        length(MODEL, CORPUS)
    assert len(calls) == 2


def test_a_new_version_is_computed_anew_and_the_old_one_stays(tmp_path):
    (old, old_calls), (new, new_calls) = mine(1), mine(2)
    with caching(DocumentCache(tmp_path)):
        for length in (old, new, old, new):
            length(MODEL, CORPUS)
        assert new(MODEL, CORPUS).provenance.measure_version == 2
    assert (len(old_calls), len(new_calls)) == (1, 1)


def test_a_cached_result_shows_the_names_of_today(tmp_path):
    length, calls = mine()
    cache = DocumentCache(tmp_path)
    with caching(cache):
        first = length(MODEL, CORPUS)
        renamed = length(TableModel({}, {"he": 0.5, "she": 0.5}, name="second"), replace(CORPUS, name="parole"))
    assert calls == ["first"]
    assert (first.title, renamed.title) == ("mine on first × words", "mine on second × parole")
    assert replace(renamed, model="first", corpus="words") == first


def test_a_variant_is_named_in_the_provenance():
    @biascheck.measure("mine", version=1)
    def zero(model, corpus, *, variant="ours"):
        assert variant
        items = [ItemScore(pair.id, 0.0, pair.attribute) for pair in corpus]
        return summarise(draft(model, corpus, items, (), contrast=("male", "female"), seed=0))

    assert zero(MODEL, CORPUS, variant="as published").provenance.variant == "as published"


@pytest.mark.parametrize("option", [object(), {1, 2}, float("nan"), len], ids=["object", "set", "nan", "function"])
def test_an_option_that_cannot_be_stored_is_refused(option):
    length, calls = mine()
    with pytest.raises(UsageError, match=r"measure 'mine' has an option that is not a plain value .* numbers, strings"):
        length(MODEL, CORPUS, scale=option)
    assert calls == []


def test_an_option_the_measure_does_not_know_is_a_type_error():
    length, _ = mine()
    with pytest.raises(TypeError, match="colour"):
        length(MODEL, CORPUS, colour="red")


def test_a_measure_within_a_measure_is_cached_on_its_own(tmp_path):
    length, calls = mine()

    @biascheck.measure("twice", version=1)
    def twice(model, corpus):
        inner = length(model, corpus)
        return summarise(replace(inner, items=tuple(replace(item, score=2 * item.score) for item in inner.items)))

    with caching(DocumentCache(tmp_path)):
        doubled, single = twice(MODEL, CORPUS), length(MODEL, CORPUS)
    assert calls == ["first"]
    assert (doubled.measure, single.measure) == ("twice", "mine")
    assert doubled.estimate == pytest.approx(2 * single.estimate)
