"""The cache: computed once, never trusted blindly, never fatal."""

import pytest
from filelock import FileLock

from biascheck.core.errors import BiascheckWarning
from biascheck.core.store import DocumentCache, active_cache, cache_folder, caching, digest_of, results_cache
from support.cached_work import DOCUMENT, KEY, Work


def test_a_document_is_computed_once(tmp_path):
    cache, work = DocumentCache(tmp_path), Work()
    assert [cache.fetch(KEY, work) for _ in range(3)] == [DOCUMENT] * 3
    assert work.times == 1


def test_the_next_run_finds_it_on_disk(tmp_path):
    DocumentCache(tmp_path).fetch(KEY, Work())
    work = Work()
    assert DocumentCache(tmp_path).fetch(KEY, work) == DOCUMENT
    assert work.times == 0


def test_another_key_is_another_document(tmp_path):
    cache = DocumentCache(tmp_path)
    cache.fetch(KEY, Work())
    assert cache.fetch(digest_of("other"), Work("other")) == "other"


def test_a_cache_without_a_folder_remembers_this_run_only(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cache, work = DocumentCache(None), Work()
    assert cache.fetch(KEY, work) == cache.fetch(KEY, work) == DOCUMENT
    assert work.times == 1
    assert (cache.folder, cache.info().entries) == (None, 0)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("below", ["file", "file/deeper"])
def test_a_folder_that_cannot_be_written_warns_and_computes(tmp_path, below):
    (tmp_path / "file").write_text("in the way")
    work = Work()
    cache = DocumentCache(tmp_path / below)
    with pytest.warns(BiascheckWarning) as said:
        assert cache.fetch(KEY, work) == DOCUMENT
    assert [str(warning.message).split(" (")[0] for warning in said] == [
        f"results cannot be cached in {tmp_path / below}"
    ]
    assert str(said[0].message).endswith("set BIASCHECK_CACHE to a writable folder or pass --bias-no-cache")
    assert cache.fetch(KEY, work) == DOCUMENT
    assert work.times == 1
    assert cache.info().entries == 0
    assert (tmp_path / "file").read_text() == "in the way"


def test_a_disk_that_fills_up_warns_and_computes(tmp_path, monkeypatch):
    def full(_path, _text):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("biascheck.core.store.write_atomically", full)
    with pytest.warns(BiascheckWarning, match="No space left on device"):
        assert DocumentCache(tmp_path).fetch(KEY, Work()) == DOCUMENT
    assert list(tmp_path.glob("*.json")) == []


@pytest.mark.parametrize("error", [ValueError("the model burst"), KeyboardInterrupt()], ids=["error", "interrupt"])
@pytest.mark.parametrize("writable", [True, False])
@pytest.mark.filterwarnings("ignore::biascheck.core.errors.BiascheckWarning")
def test_a_computation_that_fails_leaves_nothing_behind(tmp_path, error, writable):
    def fail():
        raise error

    (tmp_path / "file").write_text("in the way")
    folder = tmp_path / ("cache" if writable else "file")
    cache = DocumentCache(folder)
    with pytest.raises(type(error)) as raised:
        cache.fetch(KEY, fail)
    assert raised.value is error
    assert error.__context__ is None
    assert cache.info().entries == 0
    if writable:
        with FileLock(folder / f"{KEY}.lock", timeout=0):
            assert {path.suffix for path in folder.iterdir()} <= {".lock"}
    work = Work()
    assert cache.fetch(KEY, work) == DOCUMENT
    assert work.times == 1


def test_the_environment_names_the_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("BIASCHECK_CACHE", str(tmp_path / "mine"))
    assert cache_folder() == tmp_path / "mine"
    assert results_cache().folder == tmp_path / "mine" / "results"
    monkeypatch.setenv("BIASCHECK_CACHE", "")
    assert cache_folder().name == "biascheck"
    monkeypatch.delenv("BIASCHECK_CACHE")
    assert cache_folder().name == "biascheck"


def test_a_key_is_the_same_for_the_same_facts_only():
    assert digest_of({"a": 1, "b": [2]}) == digest_of({"b": [2], "a": 1})
    assert len({digest_of(facts) for facts in (1, 1.0, "1", True, [1], {"1": 1}, None)}) == 7
    for facts in (float("nan"), {1, 2}, object()):
        with pytest.raises((TypeError, ValueError)):
            digest_of(facts)


def test_only_the_block_is_cached(tmp_path):
    before = active_cache()
    cache = DocumentCache(tmp_path)
    with caching(cache):
        assert active_cache() is cache
        with caching(None):
            assert active_cache() is None
        assert active_cache() is cache
    assert active_cache() is before


def test_entries_are_counted(tmp_path):
    cache = DocumentCache(tmp_path)
    for name in "abc":
        cache.fetch(digest_of(name), Work(name))
    (tmp_path / "notes.txt").write_text("mine")
    info = cache.info()
    assert (info.folder, info.entries) == (tmp_path, 3)
    assert info.bytes == sum(path.stat().st_size for path in tmp_path.glob("*.json"))


def test_a_missing_folder_has_no_entries(tmp_path):
    info = DocumentCache(tmp_path / "absent").info()
    assert (info.entries, info.bytes) == (0, 0)
