"""The differences between two runs: values that differ, texts that only use other words, and the largest spreads."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from itertools import zip_longest
from typing import Any

from visible_numbers import numbers_of

DIGEST = re.compile(r"[0-9a-f]{16,}")
LONGEST = 120


class Differences:
    """The differences so far: lines that fail, notes by field, and the largest spread of each field.

    ``verdicts`` names the fields whose texts count like numbers; with ``text``, all of them count.
    """

    def __init__(self, tolerance: float = 0.0, *, verdicts: Collection[str] = (), text: bool = False) -> None:
        self.tolerance = tolerance
        self.verdicts = verdicts
        self.text = text
        self.failures: list[str] = []
        self.notes: dict[str, list[str]] = defaultdict(list)
        self.spread: dict[str, float] = {}

    def add(self, place: str, field: str, old: Any, new: Any) -> None:
        """Record two values that differ."""
        self.failures.append(f"{place}: {field}: {_side_by_side(old, new)}")

    def compare(self, place: str, path: str, field: str, old: Any, new: Any) -> None:
        """Compare two values, ``None`` where there is none; ``field`` is ``path`` without places in lists."""
        if old == new and isinstance(old, bool) is isinstance(new, bool):
            return
        if _is_number(old) and _is_number(new):
            if not self.close(field, old, new):
                self.add(place, path, old, new)
        elif self._only_other_words(field, old, new):
            self.notes[field].append(f"{place}: {_side_by_side(old, new)}")
        else:
            self.add(place, path, old, new)

    def _only_other_words(self, field: str, old: Any, new: Any) -> bool:
        """Whether two values are texts with the same numbers, or two digests."""
        if field.rpartition(".")[2] in self.verdicts or not all(isinstance(one, str | None) for one in (old, new)):
            return False
        old, new = old or "", new or ""
        digests = DIGEST.fullmatch(old) and DIGEST.fullmatch(new)
        return bool(digests) or (not self.text and self.same_numbers(field, old, new))

    def close(self, field: str, old: float, new: float) -> bool:
        """Whether two numbers lie within the tolerance; records the largest spread."""
        self.spread[field] = max(self.spread.get(field, 0.0), abs(new - old))
        return abs(new - old) <= self.tolerance * (1 + max(abs(old), abs(new)))

    def same_numbers(self, field: str, old: str, new: str) -> bool:
        """Whether two texts have the same numbers, as they are written or within the tolerance."""
        pairs = list(zip_longest(numbers_of(old), numbers_of(new)))
        return all(None not in pair and self.same_number(field, *pair) for pair in pairs)

    def same_number(self, field: str, old: str, new: str) -> bool:
        """Whether two numbers in a text are written alike, or lie within a tolerance above 0."""
        return old == new or (self.close(f"{field} (in a text)", float(old), float(new)) and self.tolerance > 0)

    def report(self) -> Iterator[str]:
        """Lines for the differences, the notes and the spreads, and a verdict at the end."""
        yield from self.failures
        for field, lines in self.notes.items():
            yield f"note: {field}: other words in {pluralize(len(lines), 'place')}, e.g. {lines[0]}"
        for field, spread in sorted(self.spread.items()):
            yield f"largest spread of {field}: {spread:.3g}"
        yield pluralize(len(self.failures), "difference") if self.failures else "no figure differs"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _side_by_side(old: Any, new: Any) -> str:
    """Both values; long texts are cut around the first character that differs."""
    if isinstance(old, str) and isinstance(new, str) and max(len(old), len(new)) > LONGEST:
        first = next(place for place, (one, other) in enumerate(zip_longest(old, new)) if one != other)
        start = max(0, first - 40)
        old, new = old[start : start + LONGEST], new[start : start + LONGEST]
    return " → ".join("nothing" if value is None else repr(value) for value in (old, new))


def pluralize(count: int, noun: str) -> str:
    """A count with its noun: "1 difference", "2 differences"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
