"""The cache: computed once, never trusted blindly, never fatal."""

import json
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from filelock import FileLock

from biascheck.cache.document_cache import DocumentCache, active_cache, cache_folder, caching, digest_of, results_cache
from biascheck.errors import BiascheckWarning

KEY = digest_of("a key")
DOCUMENT = {"estimate": 0.5, "name": "größe", "rows": [1, None, True]}


class Work:
    """Something to compute that counts how often it was."""

    def __init__(self, document=DOCUMENT):
        self.times = 0
        self._document = document

    def __call__(self):
        self.times += 1
        return self._document


def entry_in(folder):
    (entry,) = folder.glob("*.json")
    return entry


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
    assert (cache.folder, cache.info().entries, cache.clear()) == (None, 0, 0)
    assert list(tmp_path.iterdir()) == []
    cache.fetch(KEY, work)
    assert work.times == 2


def truncated(text):
    return text[: len(text) // 2]


def edited(text):
    return text.replace("0.5", "0.4")


def forged(text):
    return text.replace("0.5", "NaN")


def of_another_program(_text):
    return json.dumps({"name": "left-pad", "version": "1.3.0"})


def of_another_format(text):
    return text.replace("biascheck cache 1", "biascheck cache 2")


def without_checksum(text):
    return json.dumps({k: v for k, v in json.loads(text).items() if k != "sha256"})


@pytest.mark.parametrize(
    "damage",
    [
        truncated,
        edited,
        forged,
        of_another_program,
        of_another_format,
        without_checksum,
        lambda _: "",
        lambda _: "[]",
        lambda _: "7",
        lambda _: "\x00" * 64,
        lambda _: "[" * 100_000,
    ],
)
def test_a_damaged_entry_is_noticed_computed_again_and_repaired(tmp_path, damage):
    DocumentCache(tmp_path).fetch(KEY, Work())
    entry = entry_in(tmp_path)
    whole = entry.read_text(encoding="utf-8")
    entry.write_text(damage(whole), encoding="utf-8")
    assert entry.read_text(encoding="utf-8") != whole
    work = Work()
    with pytest.warns(BiascheckWarning) as said:
        assert DocumentCache(tmp_path).fetch(KEY, work) == DOCUMENT
    assert work.times == 1
    assert len(said) == 1
    assert str(said[0].message).startswith(f"cache entry {entry} is damaged (")
    assert str(said[0].message).endswith("); it is computed again")
    assert entry.read_text(encoding="utf-8") == whole


def test_an_entry_that_is_no_text_is_noticed(tmp_path):
    (tmp_path / f"{KEY}.json").write_bytes(b"\xff\xfe\x80")
    with pytest.warns(BiascheckWarning, match=r"is damaged \(UnicodeDecodeError"):
        assert DocumentCache(tmp_path).fetch(KEY, Work()) == DOCUMENT


def test_an_entry_under_the_wrong_key_is_noticed(tmp_path):
    other = digest_of("other")
    DocumentCache(tmp_path).fetch(other, Work("other"))
    entry_in(tmp_path).rename(tmp_path / f"{KEY}.json")
    with pytest.warns(BiascheckWarning, match="its checksum or key does not match"):
        assert DocumentCache(tmp_path).fetch(KEY, Work()) == DOCUMENT


def test_a_half_written_entry_of_a_killed_run_is_never_read(tmp_path):
    (tmp_path / f".{KEY[:32]}.x1y2z3").write_text('{"format": "biasch')
    work = Work()
    assert DocumentCache(tmp_path).fetch(KEY, work) == DOCUMENT
    assert work.times == 1
    assert DocumentCache(tmp_path).info().entries == 1


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
    assert (cache.info().entries, cache.clear()) == (0, 0)
    assert (tmp_path / "file").read_text() == "in the way"


def test_a_disk_that_fills_up_warns_and_computes(tmp_path, monkeypatch):
    def full(_path, _text):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("biascheck.cache.document_cache.write_atomically", full)
    with pytest.warns(BiascheckWarning, match="No space left on device"):
        assert DocumentCache(tmp_path).fetch(KEY, Work()) == DOCUMENT
    assert list(tmp_path.glob("*.json")) == []


@pytest.mark.parametrize("error", [ValueError("the model burst"), KeyboardInterrupt()], ids=["error", "interrupt"])
@pytest.mark.parametrize("writable", [True, False])
@pytest.mark.filterwarnings("ignore::biascheck.errors.BiascheckWarning")
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


def test_the_lock_of_an_entry_is_held_while_it_is_computed(tmp_path):
    from filelock import Timeout

    def compute():
        with pytest.raises(Timeout):
            FileLock(tmp_path / f"{KEY}.lock", timeout=0, is_singleton=False).acquire()
        return DOCUMENT

    assert DocumentCache(tmp_path).fetch(KEY, compute) == DOCUMENT


TOGETHER = []


def meet_at(barrier):
    TOGETHER.append(barrier)


def fetch_with_the_others(folder, counter):
    """What a worker process does: wait for all the others, then ask for the same document."""

    def compute():
        with Path(counter).open("a") as file:
            file.write("computed\n")
        return DOCUMENT

    TOGETHER[0].wait()
    return DocumentCache(Path(folder)).fetch(KEY, compute)


def test_parallel_processes_compute_once(tmp_path):
    context = multiprocessing.get_context("spawn")
    given = (str(tmp_path / "cache"), str(tmp_path / "counter"))
    # A pool notices a worker that dies, so nobody waits for it and no clock is needed.
    with ProcessPoolExecutor(3, context, meet_at, (context.Barrier(3),)) as pool:
        asked = [pool.submit(fetch_with_the_others, *given) for _ in range(3)]
        assert [answer.result() for answer in asked] == [DOCUMENT] * 3
    assert (tmp_path / "counter").read_text() == "computed\n"


def test_info_and_clear(tmp_path):
    cache = DocumentCache(tmp_path)
    for name in "abc":
        cache.fetch(digest_of(name), Work(name))
    (tmp_path / "notes.txt").write_text("mine")
    info = cache.info()
    assert (info.folder, info.entries) == (tmp_path, 3)
    assert info.bytes == sum(path.stat().st_size for path in tmp_path.glob("*.json"))
    assert cache.clear() == 3
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    assert cache.info().entries == 0
    work = Work("a")
    cache.fetch(digest_of("a"), work)
    assert work.times == 1


def test_a_folder_that_is_not_there_holds_nothing(tmp_path):
    cache = DocumentCache(tmp_path / "absent")
    assert (cache.info().entries, cache.info().bytes, cache.clear()) == (0, 0, 0)


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
