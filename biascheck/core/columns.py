"""Columns: many texts, names or numbers in a few bytes each, and blocks of them on disk where memory is short."""

from __future__ import annotations

import os
import pickle
import tempfile
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import merge
from itertools import chain, islice
from operator import itemgetter
from threading import Lock
from typing import IO, Any, Generic, TypeVar, overload

# Blocks of bytes that are moved out of memory, and rows sorted in runs that are moved out too.

BLOCK_BYTES = 2**16
BYTES_IN_MEMORY = 2**23
"""Bytes that a store keeps in memory before it starts a file."""
ROWS_OF_A_RUN = 2**15
ROWS_AT_ONCE = 2**8

BlockValue = TypeVar("BlockValue")


class BlockStore:
    """Stores blocks and returns parts of them. All but the first few are in an unnamed file, deleted with the object.

    What cannot be written to the disk stays in memory: a full disk costs memory, not the result. Blocks added by a
    forked child stay in memory too, since both processes would write to the same file.
    """

    def __init__(self, kept: int | None = None) -> None:
        self._room = BYTES_IN_MEMORY if kept is None else kept
        self._kept: list[bytes] = []
        self._file: IO[bytes] | None = None
        self._end = 0
        self._owner = os.getpid()
        self._lock = Lock()

    def put(self, block: bytes) -> int:
        """Store a block; returns the offset at which to read it."""
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
    """Read bytes of a file; where possible without moving its position, which forked processes share."""
    if not hasattr(os, "pread"):
        file.seek(place)
        return file.read(count)
    found = os.pread(file.fileno(), count, place)
    while len(found) < count and (more := os.pread(file.fileno(), count - len(found), place + len(found))):
        found += more
    return found


def sorted_in_runs(rows: Iterable[tuple[Any, BlockValue]]) -> Iterator[tuple[Any, BlockValue]]:
    """Rows sorted by their first value, stably. Never more than one run of them is in memory."""
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


# Columns: many texts, names or numbers in a few bytes each, where Python objects would take a hundred.
#
# The bytes themselves are blocks in a store, which keeps them out of memory once there are many.

ColumnValue = TypeVar("ColumnValue")
Made = TypeVar("Made", covariant=True)
Column = TypeVar("Column")
Number = TypeVar("Number", int, float)

NO_BLOCK = -2
MOST_CODED = 2**16
"""Number of different values of a column above which a dictionary of them takes more memory than it saves."""


class LazySequence(Sequence[Made]):
    """A sequence whose members are created on access; a slice of it is a tuple."""

    def _made(self, index: int) -> Made:
        raise NotImplementedError

    @overload
    def __getitem__(self, index: int) -> Made: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Made, ...]: ...
    def __getitem__(self, index: int | slice) -> Made | tuple[Made, ...]:
        if isinstance(index, slice):
            return tuple(self._made(place) for place in range(*index.indices(len(self))))
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(f"{index} is not one of {len(self)}")
        return self._made(place)

    def __iter__(self) -> Iterator[Made]:
        return (self._made(place) for place in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str) or len(self) != len(other):
            return NotImplemented if not isinstance(other, Sequence) else False
        return all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]


class Numbers(LazySequence[Number], Generic[Number]):
    """Numbers of one type of :mod:`array`."""

    def __init__(self, kind: str, values: Iterable[Number] = (), store: BlockStore | None = None) -> None:
        self._store = BlockStore() if store is None else store
        self._places = array("q")
        self._tail: array[Number] = array(kind)
        self._size = self._tail.itemsize
        self._rows = BLOCK_BYTES // self._size
        self._last: tuple[int, array[Number]] = NO_BLOCK, self._tail
        self._missed = NO_BLOCK
        self.extend(values)

    def append(self, value: Number) -> None:
        """Add a number."""
        self._tail.append(value)
        if len(self._tail) == self._rows:
            self._places.append(self._store.put(self._tail.tobytes()))
            self._tail = array(self._tail.typecode)

    def extend(self, values: Iterable[Number]) -> None:
        """Add numbers."""
        for value in values:
            self.append(value)

    def __len__(self) -> int:
        return len(self._places) * self._rows + len(self._tail)

    def __iter__(self) -> Iterator[Number]:
        for number in range(len(self._places)):
            yield from self._whole(number)
        yield from self._tail

    def joined(self) -> array[Number]:
        """All of them in memory."""
        found: array[Number] = array(self._tail.typecode)
        for number in range(len(self._places)):
            found.frombytes(self._store.get(self._places[number], 0, BLOCK_BYTES))
        return found + self._tail

    def _made(self, index: int) -> Number:
        number, row = divmod(index, self._rows)
        known, block = self._last  # together, since another thread may read as well
        if number == known:
            return block[row]
        if number == len(self._places):
            return self._tail[row]
        if number in (known + 1, self._missed):
            block = self._whole(number)
            self._last = number, block
            return block[row]
        self._missed = number  # random access needs one number, not its neighbours
        found: array[Number] = array(self._tail.typecode)
        found.frombytes(self._store.get(self._places[number], row * self._size, (row + 1) * self._size))
        return found[0]

    def _whole(self, number: int) -> array[Number]:
        block: array[Number] = array(self._tail.typecode)
        block.frombytes(self._store.get(self._places[number], 0, BLOCK_BYTES))
        return block


class _Bytes:
    """Concatenated bytes."""

    def __init__(self, store: BlockStore) -> None:
        self._store = store
        self._places = array("q")
        self._tail = bytearray()
        self._last = NO_BLOCK, b""
        self._missed = NO_BLOCK

    def __len__(self) -> int:
        return len(self._places) * BLOCK_BYTES + len(self._tail)

    def append(self, content: bytes) -> None:
        """Add some."""
        self._tail += content
        while len(self._tail) >= BLOCK_BYTES:
            self._places.append(self._store.put(bytes(self._tail[:BLOCK_BYTES])))
            del self._tail[:BLOCK_BYTES]

    def part(self, start: int, stop: int) -> bytes:
        """The bytes between two offsets."""
        number, first = divmod(start, BLOCK_BYTES)
        last = first + stop - start
        if last <= BLOCK_BYTES:
            return self._of_block(number, first, last)
        numbers = range(number, (stop - 1) // BLOCK_BYTES + 1)
        ends = (min(BLOCK_BYTES, stop - other * BLOCK_BYTES) for other in numbers)
        return b"".join(
            self._of_block(other, first if other == number else 0, end)
            for other, end in zip(numbers, ends, strict=True)
        )

    def _of_block(self, number: int, start: int, stop: int) -> bytes:
        if number == len(self._places):
            return bytes(self._tail[start:stop])
        known, block = self._last
        if number == known:
            return block[start:stop]
        if number in (known + 1, self._missed):
            block = self._store.get(self._places[number], 0, BLOCK_BYTES)
            self._last = number, block
            return block[start:stop]
        self._missed = number
        return self._store.get(self._places[number], start, stop)


class Texts(LazySequence[str]):
    """Texts concatenated as UTF-8, with the end offset of each."""

    def __init__(self, texts: Iterable[str] = (), store: BlockStore | None = None) -> None:
        own = BlockStore() if store is None else store
        self._bytes = _Bytes(own)
        self._ends: Numbers[int] = Numbers("q", store=own)
        for text in texts:
            self.append(text)

    def append(self, text: str) -> None:
        """Add a text. Lone surrogates are preserved, although no file could contain them."""
        self._bytes.append(text.encode("utf-8", "surrogatepass"))
        self._ends.append(len(self._bytes))

    def __len__(self) -> int:
        return len(self._ends)

    def _made(self, index: int) -> str:
        ends = self._ends
        start = ends._made(index - 1) if index else 0
        return self._bytes.part(start, ends._made(index)).decode("utf-8", "surrogatepass")


class Coded(LazySequence[ColumnValue], Generic[ColumnValue]):
    """Repeated values: each is stored once, and every row stores the number of its value.

    If too many of them differ, further strings go into a column of texts, whose rows are numbered from −1 downwards.
    """

    def __init__(self, values: Iterable[ColumnValue] = (), store: BlockStore | None = None) -> None:
        own = BlockStore() if store is None else store
        self.values: list[ColumnValue] = []
        self.codes: Numbers[int] = Numbers("i", store=own)
        self._known: dict[object, int] = {}
        self._texts: Any = Texts(store=own)
        for value in values:
            self.append(value)

    def append(self, value: ColumnValue) -> None:
        """Add a value; 1, 1.0 and True count as three different values."""
        kind = type(value)
        same = value if kind is str else (kind, repr(value) if isinstance(value, float) else value)
        code = self._known.get(same)
        if code is None and kind is str and len(self.values) >= MOST_CODED:
            self._texts.append(value)
            code = -len(self._texts)
        elif code is None:
            code = self._known[same] = len(self.values)
            self.values.append(value)
        self.codes.append(code)

    @property
    def types(self) -> set[type]:
        """The types of the values."""
        return set(map(type, self.values)) | ({str} if len(self._texts) else set())

    def __len__(self) -> int:
        return len(self.codes)

    def __iter__(self) -> Iterator[ColumnValue]:
        return map(self._value, self.codes)

    def _made(self, index: int) -> ColumnValue:
        return self._value(self.codes._made(index))

    def _value(self, code: int) -> ColumnValue:
        found: ColumnValue = self.values[code] if code >= 0 else self._texts._made(-code - 1)
        return found


class KeyedColumns(Generic[ColumnValue, Column]):
    """Mappings as one column for every key; each row has exactly the keys of its mapping, in their order."""

    def __init__(self, make: Callable[[int, BlockStore], Column], store: BlockStore) -> None:
        self.layouts: Coded[tuple[str, ...]] = Coded(store=store)
        self.columns: dict[str, Column] = {}
        self._make = make
        self._store = store

    def keys_of(self, values: Mapping[str, ColumnValue]) -> tuple[str, ...]:
        """Note the keys of the next row; new ones get a column that is empty so far."""
        keys = tuple(values)
        for key in keys:
            if key not in self.columns:
                self.columns[key] = self._make(len(self.layouts), self._store)
        self.layouts.append(keys)
        return keys


def repeats(hashes: array[int]) -> bool:
    """Whether a number occurs twice; sorts the numbers in place."""
    import numpy as np

    ordered = np.frombuffer(hashes, dtype=np.int64)
    ordered.sort()
    return bool((ordered[1:] == ordered[:-1]).any())
