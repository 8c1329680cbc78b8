"""Columns: many texts, names or numbers in a few bytes each, where Python objects would take a hundred."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar, overload

__all__ = ["Coded", "KeyedColumns", "LazySequence", "Texts"]

Value = TypeVar("Value")
Made = TypeVar("Made", covariant=True)
Column = TypeVar("Column")


class LazySequence(Sequence[Made]):
    """A sequence whose members are made when they are looked at; a slice of it is a tuple."""

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


class Texts(LazySequence[str]):
    """Texts one after the other as UTF-8, with the place where each ends."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._bytes = bytearray()
        self._ends = array("q")
        for text in texts:
            self.append(text)

    def append(self, text: str) -> None:
        """Add a text. Lone surrogates are kept, though no file could hold them."""
        self._bytes += text.encode("utf-8", "surrogatepass")
        self._ends.append(len(self._bytes))

    def __len__(self) -> int:
        return len(self._ends)

    def _made(self, index: int) -> str:
        start = self._ends[index - 1] if index else 0
        return self._bytes[start : self._ends[index]].decode("utf-8", "surrogatepass")


class Coded(LazySequence[Value], Generic[Value]):
    """Values that occur again and again: each once, and for every row the number of its value."""

    def __init__(self, values: Iterable[Value] = ()) -> None:
        self.values: list[Value] = []
        self.codes = array("i")
        self._known: dict[object, int] = {}
        for value in values:
            self.append(value)

    def append(self, value: Value) -> None:
        """Add a value; 1, 1.0 and True are three."""
        same = (type(value), repr(value) if isinstance(value, float) else value)
        code = self._known.get(same)
        if code is None:
            code = self._known[same] = len(self.values)
            self.values.append(value)
        self.codes.append(code)

    def __len__(self) -> int:
        return len(self.codes)

    def _made(self, index: int) -> Value:
        return self.values[self.codes[index]]


class KeyedColumns(Generic[Value, Column]):
    """Mappings as one column for every key; a row has the keys that its mapping had, in their order."""

    def __init__(self, make: Callable[[int], Column]) -> None:
        self.layouts: Coded[tuple[str, ...]] = Coded()
        self.columns: dict[str, Column] = {}
        self._make = make

    def keys_of(self, values: Mapping[str, Value]) -> tuple[str, ...]:
        """Note the keys of the next row; new ones get a column that is empty so far."""
        keys = tuple(values)
        for key in keys:
            if key not in self.columns:
                self.columns[key] = self._make(len(self.layouts))
        self.layouts.append(keys)
        return keys
