"""Blocks of bytes that leave the memory, and rows sorted in runs that do."""

from __future__ import annotations

import os
import pickle
import tempfile
from collections.abc import Iterable, Iterator
from heapq import merge
from itertools import chain, islice
from operator import itemgetter
from threading import Lock
from typing import IO, Any, TypeVar

__all__ = ["BLOCK_BYTES", "BlockStore", "sorted_in_runs"]

BLOCK_BYTES = 2**16
BYTES_IN_MEMORY = 2**23
"""What a store holds in memory before it begins a file."""
ROWS_OF_A_RUN = 2**15
ROWS_AT_ONCE = 2**8

BlockValue = TypeVar("BlockValue")


class BlockStore:
    """Takes blocks and gives parts of them back. All but the first few are in a file without a name, gone with it.

    What the disk does not take stays in memory: a full disk costs memory, not the result. So does what a forked child
    adds, since both processes would write to the same file.
    """

    def __init__(self, kept: int | None = None) -> None:
        self._room = BYTES_IN_MEMORY if kept is None else kept
        self._kept: list[bytes] = []
        self._file: IO[bytes] | None = None
        self._end = 0
        self._owner = os.getpid()
        self._lock = Lock()

    def put(self, block: bytes) -> int:
        """Take a block; the place by which to ask for it."""
        if len(block) > self._room and self._owner == os.getpid():
            try:
                return self._written(block)
            except OSError:
                self._owner = -1
        self._room -= len(block)
        self._kept.append(block)
        return -len(self._kept)

    def get(self, place: int, start: int, stop: int) -> bytes:
        """The bytes of a block from ``start`` to ``stop``."""
        if place < 0:
            return self._kept[-place - 1][start:stop]
        assert self._file is not None
        with self._lock:
            return _read(self._file, place + start, stop - start)

    def _written(self, block: bytes) -> int:
        with self._lock:
            if self._file is None:
                self._file = tempfile.TemporaryFile(prefix="biascheck-")  # noqa: SIM115 - open as long as the store
            place, self._end = self._end, self._end + len(block)
            self._file.seek(place)
            self._file.write(block)
            self._file.flush()
        return place

    def __getstate__(self) -> tuple[list[bytes], bytes]:
        if self._file is None:
            return self._kept, b""
        with self._lock:
            return self._kept, _read(self._file, 0, self._end)

    def __setstate__(self, state: tuple[list[bytes], bytes]) -> None:
        self.__dict__.update(vars(BlockStore(kept=0)))
        self._kept, content = state
        if content:
            self._written(content)


def _read(file: IO[bytes], place: int, count: int) -> bytes:
    """Bytes of a file; without moving its position, which forked processes share, where that is possible."""
    if not hasattr(os, "pread"):
        file.seek(place)
        return file.read(count)
    found = os.pread(file.fileno(), count, place)
    while len(found) < count and (more := os.pread(file.fileno(), count - len(found), place + len(found))):
        found += more
    return found


def sorted_in_runs(rows: Iterable[tuple[Any, BlockValue]]) -> Iterator[tuple[Any, BlockValue]]:
    """Rows by their first value; equal ones stay in their order. Never more than one run of them is in memory."""
    source, store = iter(rows), BlockStore()
    first = sorted(islice(source, ROWS_OF_A_RUN), key=itemgetter(0))
    following = next(source, None)
    if following is None:
        return iter(first)
    runs = [_stored(first, store)]
    del first
    source = chain([following], source)
    while run := sorted(islice(source, ROWS_OF_A_RUN), key=itemgetter(0)):
        runs.append(_stored(run, store))
    return merge(*(_rows_of(run, store) for run in runs), key=itemgetter(0))


def _stored(rows: list[tuple[Any, BlockValue]], store: BlockStore) -> list[tuple[int, int]]:
    parts = (pickle.dumps(rows[start : start + ROWS_AT_ONCE]) for start in range(0, len(rows), ROWS_AT_ONCE))
    return [(store.put(part), len(part)) for part in parts]


def _rows_of(run: list[tuple[int, int]], store: BlockStore) -> Iterator[tuple[Any, Any]]:
    for place, size in run:
        yield from pickle.loads(store.get(place, 0, size))
