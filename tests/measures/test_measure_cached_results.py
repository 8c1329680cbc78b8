"""Results in the cache: measured once, and again whenever a relevant input changes."""

from dataclasses import replace
from importlib import import_module

import pytest

import biascheck
from biascheck.core.errors import BiascheckWarning
from biascheck.core.store import DocumentCache, caching
from biascheck.corpora import Attribute, Corpus, Target, Template, cross
from biascheck.models.fakes import SentenceTable, TableModel

JOBS = ("nurse", "plumber", "judge", "baker", "pilot", "mason")
TABLE = {job: {"he": 0.1 + 0.1 * n, "she": 0.8 - 0.1 * n} for n, job in enumerate(JOBS)}
EVEN = {"he": 0.5, "she": 0.5}


def corpus_of(jobs=JOBS, template="{target} is a {attribute}.", **changes):
    pairs = cross([Template(template, "is")], [(Target("he", "male"), Target("she", "female"))], map(Attribute, jobs))
    return replace(Corpus("jobs", ("male", "female"), pairs, fillers=("person",)), **changes)


def was_asked(cache, model, corpus, **options):
    """Whether the model had to be asked again."""
    before = len(model.asked)
    with caching(cache):
        biascheck.measures.association(model, corpus, **options)
    return len(model.asked) > before


def test_a_measure_asks_the_model_once(tmp_path):
    first_model, second_model = TableModel(TABLE, EVEN), TableModel(TABLE, EVEN)
    with caching(DocumentCache(tmp_path)):
        fresh = biascheck.measures.association(first_model, corpus_of())
        again = biascheck.measures.association(first_model, corpus_of())
    with caching(DocumentCache(tmp_path)):
        from_disk = biascheck.measures.association(second_model, corpus_of())
    assert len(first_model.asked) == 2 * 2 * len(JOBS)
    assert second_model.asked == []
    assert fresh == again == from_disk


def test_a_cached_result_is_the_fresh_one(tmp_path, monkeypatch):
    monkeypatch.setattr(import_module("biascheck.measures.measure"), "_versions", lambda: {})
    with caching(None):
        uncached = biascheck.measures.association(TableModel(TABLE, EVEN), corpus_of())
    with caching(DocumentCache(tmp_path)):
        biascheck.measures.association(TableModel(TABLE, EVEN), corpus_of())
    with caching(DocumentCache(tmp_path)):
        cached = biascheck.measures.association(TableModel(TABLE, EVEN), corpus_of())
    same_hour = replace(cached.provenance, created=uncached.provenance.created)
    assert replace(cached, provenance=same_hour) == uncached


def test_without_a_cache_the_model_is_asked_every_time():
    model = TableModel(TABLE, EVEN)
    assert was_asked(None, model, corpus_of())
    assert was_asked(None, model, corpus_of())


@pytest.mark.parametrize(
    "options",
    [{"seed": 1}, {"multi_token": "skip"}, {"contrast": ("female", "male")}, {"variant": "as published (Bartl 2020)"}],
)
def test_other_options_are_computed_anew(tmp_path, options):
    cache, model = DocumentCache(tmp_path), TableModel(TABLE, EVEN)
    assert was_asked(cache, model, corpus_of())
    assert was_asked(cache, model, corpus_of(), **options)
    assert not was_asked(cache, model, corpus_of(), **options)


def test_an_option_at_its_default_is_no_other_option(tmp_path):
    cache, model = DocumentCache(tmp_path), TableModel(TABLE, EVEN)
    assert was_asked(cache, model, corpus_of())
    assert not was_asked(cache, model, corpus_of(), seed=0, multi_token="joint", variant="ours", contrast=None)


@pytest.mark.parametrize(
    "other",
    [
        corpus_of(JOBS[:-1]),
        corpus_of(template="{target} was a {attribute}."),
        corpus_of(fillers=("human",)),
        corpus_of(warnings=("caution",)),
        corpus_of().with_groups(("female", "male")),
    ],
    ids=["pairs", "text", "fillers", "warnings", "groups"],
)
def test_another_corpus_is_computed_anew(tmp_path, other):
    cache, model = DocumentCache(tmp_path), TableModel(TABLE, EVEN)
    assert was_asked(cache, model, corpus_of())
    assert was_asked(cache, model, other)


def test_another_model_is_computed_anew(tmp_path):
    cache = DocumentCache(tmp_path)
    rows = list(TABLE.items())
    tables = [TABLE, {**TABLE, "nurse": {"he": 0.2, "she": 0.8}}, dict(rows[::-1])]
    for model in (*(TableModel(table, EVEN) for table in tables), TableModel(TABLE, {"he": 0.4, "she": 0.5})):
        assert was_asked(cache, model, corpus_of())


def test_sentence_tables_of_one_name_are_different_models(tmp_path):
    cache = DocumentCache(tmp_path)
    texts = [f"{who} is a {job}." for who in ("He", "She") for job in (*JOBS, "person")]
    first, second = ({text: -0.1 * n - shift for n, text in enumerate(texts)} for shift in (0, 1))
    assert was_asked(cache, SentenceTable(first), corpus_of())
    assert not was_asked(cache, SentenceTable(first), corpus_of())
    assert was_asked(cache, SentenceTable(second), corpus_of())
    assert was_asked(cache, SentenceTable(first.__getitem__), corpus_of())
    assert was_asked(cache, SentenceTable(second.__getitem__), corpus_of())


def test_another_measure_is_computed_anew(tmp_path):
    cache, model = DocumentCache(tmp_path), TableModel(TABLE, EVEN)
    with caching(cache):
        gap, share = (
            biascheck.measures.association(model, corpus_of()),
            biascheck.measures.positive_share(model, corpus_of()),
        )
    assert (gap.measure, share.measure) == ("association", "positive share")
    assert cache.info().entries == 2


def test_a_damaged_result_is_measured_again(tmp_path):
    model = TableModel(TABLE, EVEN)
    with caching(DocumentCache(tmp_path)):
        fresh = biascheck.measures.association(model, corpus_of())
    (entry,) = tmp_path.glob("*.json")
    entry.write_text(entry.read_text().replace('"n": 6', '"n": 7'))
    with caching(DocumentCache(tmp_path)), pytest.warns(BiascheckWarning, match="does not match"):
        again = biascheck.measures.association(model, corpus_of())
    assert again.n == fresh.n == 6


def test_a_measurement_that_fails_is_not_cached(tmp_path):
    cache = DocumentCache(tmp_path)
    with caching(cache), pytest.raises(biascheck.BiascheckError):
        biascheck.measures.association(TableModel({}, {}), corpus_of())
    assert cache.info().entries == 0
