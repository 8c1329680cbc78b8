"""Several processes that ask for the same document: one computes, the others wait for it."""

import multiprocessing
from pathlib import Path

import pytest
from cached_work import DOCUMENT, KEY
from filelock import FileLock

from biascheck.cache.document_cache import DocumentCache


def test_the_lock_of_an_entry_is_held_while_it_is_computed(tmp_path):
    from filelock import Timeout

    def compute():
        with pytest.raises(Timeout):
            FileLock(tmp_path / f"{KEY}.lock", timeout=0, is_singleton=False).acquire()
        return DOCUMENT

    assert DocumentCache(tmp_path).fetch(KEY, compute) == DOCUMENT


def fetch_with_the_others(folder, counter, together, answers):
    """What a worker process does: wait for all the others, then ask for the same document."""

    def compute():
        with Path(counter).open("a") as file:
            file.write("computed\n")
        return DOCUMENT

    cache = DocumentCache(Path(folder))
    together.wait(timeout=120)
    answers.put(cache.fetch(KEY, compute))


def test_parallel_processes_compute_once(tmp_path):
    context = multiprocessing.get_context("spawn")
    together, answers = context.Barrier(3), context.Queue()
    counter = tmp_path / "counter"
    given = (str(tmp_path / "cache"), str(counter), together, answers)
    workers = [context.Process(target=fetch_with_the_others, args=given) for _ in range(3)]
    for worker in workers:
        worker.start()
    received = [answers.get(timeout=180) for _ in workers]
    for worker in workers:
        worker.join(timeout=60)
    assert received == [DOCUMENT] * 3
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert counter.read_text() == "computed\n"
