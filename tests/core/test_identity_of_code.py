"""The cache key covers the code that computes a score."""

import importlib
import sys

import pytest

import biascheck
from biascheck.core import identity as code_digest
from biascheck.core.identity import code_of_measure, package_code
from biascheck.core.store import DocumentCache, caching
from biascheck.mitigation.checkpoints import CODE
from biascheck.models.fakes import TableModel

MEASURE = """
import biascheck
from biascheck.extend import ItemScore, draft, summarise
import shared_arithmetic_of_a_test

@biascheck.measure("constant", version=1)
def constant(model, corpus, *, seed=0):
    items = [ItemScore(p.id, shared_arithmetic_of_a_test.value(), p.attribute) for p in corpus]
    return summarise(draft(model, corpus, items, (), contrast=("male", "female"), seed=seed))
"""
CORPUS = biascheck.corpora.corpus_from_templates(
    "jobs",
    templates=["{target} is a {attribute}."],
    targets=[{"male": "he", "female": "she"}],
    attributes=["nurse", "judge", "baker", "pilot", "cook", "clerk"],
)


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of two rooms, of which one makes no figures."""
    for name, text in {"measures/a.py": "x = 1", "data/words.tsv": "he\tshe", "report/b.py": "y = 1"}.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(code_digest, "PACKAGE", tmp_path)
    package_code.cache_clear()
    yield tmp_path
    package_code.cache_clear()


def digest_after(path, text):
    path.write_text(text)
    package_code.cache_clear()
    return package_code()


def test_code_and_word_lists_that_affect_scores_are_covered(package):
    before = package_code()
    assert digest_after(package / "measures/a.py", "x = 2") != before
    before = package_code()
    assert digest_after(package / "data/words.tsv", "he\tthey") != before


def test_code_that_only_shows_scores_is_not(package):
    before = package_code()
    assert digest_after(package / "report/b.py", "y = 2") == before


@pytest.fixture
def users_measure(tmp_path, monkeypatch):
    """A measure in a file of the user's, which uses another file of theirs."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "measure_of_a_test.py").write_text(MEASURE)

    def written(value):
        (tmp_path / "shared_arithmetic_of_a_test.py").write_text(f"def value():\n    return {value}\n")
        for name in ("measure_of_a_test", "shared_arithmetic_of_a_test"):
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        sys.dont_write_bytecode, kept = True, sys.dont_write_bytecode
        try:
            return importlib.import_module("measure_of_a_test").constant
        finally:
            sys.dont_write_bytecode = kept

    return written


def test_an_edit_without_a_new_version_gives_the_new_score(users_measure, tmp_path):
    model = TableModel({}, {"he": 0.5, "she": 0.5})
    with caching(DocumentCache(tmp_path / "cache")):
        assert users_measure(0.25)(model, CORPUS).estimate == 0.25
        assert users_measure(0.75)(model, CORPUS).estimate == 0.75


def test_the_same_code_has_the_same_digest(users_measure):
    first = code_of_measure(users_measure(0.25).__wrapped__)
    assert code_of_measure(users_measure(0.25).__wrapped__) == first
    assert code_of_measure(users_measure(0.5).__wrapped__) != first


def test_a_measure_without_a_file_is_identified_by_its_code():
    def made(source):
        scope = {"__name__": "nowhere"}
        exec(source, scope)
        return scope["f"]

    assert code_of_measure(made("def f(): return 1")) != code_of_measure(made("def f(): return 2"))
    assert code_of_measure(made("def f(): return 1")) == code_of_measure(made("def f(): return 1"))


def test_a_room_that_does_not_exist_has_no_digest():
    with pytest.raises(LookupError, match="no room 'attic'"):
        package_code("attic")


def test_the_code_of_checkpoints_is_that_of_rooms():
    assert len({package_code(room) for room in CODE}) == len(CODE)
