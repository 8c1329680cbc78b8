"""Several processes that ask for the same document: one computes, the others wait for it."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from filelock import FileLock

from biascheck.core.store import DocumentCache
from support.cached_work import DOCUMENT, KEY


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
