"""All items of a report as data for its script, and how many of them the page shows without it."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from biascheck.core.wording import escape_control
from biascheck.results.items import ItemScore, Shown
from biascheck.results.result import Result

# The part of a result that a report shows as plain HTML. All items are in its data and in the results file.

FULL_RESULTS = 24


@dataclass(frozen=True)
class Bounds:
    """The most items and attributes shown of one result."""

    bars: int = 60
    rows: int = 120
    items: int = 12
    reasons: int = 15

    @classmethod
    def of(cls, results: int) -> Bounds:
        """Full detail up to 24 results; beyond, each shows less, so that the page stays light."""
        share = min(1.0, FULL_RESULTS / max(results, 1))
        return cls(
            bars=max(10, round(cls.bars * share)),
            rows=max(10, round(cls.rows * share)),
            items=max(3, round(cls.items * share)),
            reasons=max(3, round(cls.reasons * share)),
        )


# All items of a report as data for its script: columns of numbers, and of indices into one table of strings.
#
# Results that share a column (a skew and a stereotype are made of the same sentences) share it here too.
# Indices are written as differences, which are mostly alike. The JSON is deflated and written in base64, an
# alphabet that cannot close a script element. A reader without JavaScript sees the largest items of every
# result as plain HTML, and finds the rest in the results file.

BUDGET = 8_000_000
"""The most characters of a report that its items may take; beyond, a part of the items stays outside."""
MOST_ITEMS = 100_000
"""The most items that a browser opens, sorts and searches without delay."""
TIES = 3
DRAWN = 0.2
"""The share of random items in a page that cannot contain all; the others have the largest gaps."""


@dataclass(frozen=True)
class ItemData:
    """The encoded items, how many of each result are in them, and how many of these were drawn at random."""

    text: str
    counts: tuple[int, ...]
    drawn: tuple[int, ...] = ()


def pack_items(results: Sequence[Result], *, budget: int = BUDGET) -> ItemData:
    """Encode the items of all results; if they do not fit, those with the largest gaps and some at random."""
    share = min(1.0, MOST_ITEMS / max(1, sum(len(result.items) for result in results)))
    while True:
        chosen = [_chosen(result, round(share * len(result.items))) for result in results]
        kept = [_at(result, one.places) for result, one in zip(results, chosen, strict=True)]
        text = _encoded(results, kept)
        if len(text) <= budget or not any(kept):
            return ItemData(text, tuple(map(len, kept)), tuple(one.drawn for one in chosen))
        share *= min(0.9, 0.95 * budget / len(text)) if share > 0.001 else 0.0


def ranked(result: Result, count: int) -> list[ItemScore]:
    """Some items of a result, the largest gap in either direction first."""
    return [result.items[place] for place in _largest(result, count)]


def utf16_offset(text: str, offset: int) -> int:
    """The place of a character in a script's string, which counts an emoji as two."""
    return len(text[:offset].encode("utf-16-le", "surrogatepass")) // 2


@dataclass(frozen=True)
class _Chosen:
    """Places of items, in the order of the result, in which neighbours are alike."""

    places: Sequence[int]
    drawn: int = 0


def _chosen(result: Result, count: int) -> _Chosen:
    total = len(result.items)
    if count >= total:
        return _Chosen(range(total))
    drawn = round(DRAWN * count)
    largest = _largest(result, count - drawn)
    rest = np.setdiff1d(np.arange(total), largest, assume_unique=True)
    sample = np.random.default_rng(result.seed).choice(rest, size=drawn, replace=False)
    return _Chosen(sorted([*largest, *sample.tolist()]), drawn)


def _largest(result: Result, count: int) -> list[int]:
    """The places of the items with the largest gaps; of equal ones, those that come first by name."""
    sizes = -np.abs(result.sample.values) if result.items else np.array([])
    if count < len(sizes):
        edge = np.partition(sizes, count)[count]
        places = np.flatnonzero(sizes <= edge).tolist()
    else:
        places = list(range(len(sizes)))
    # ids are texts, which take long to make and to compare: only those that are needed
    names = {place: result.items[place].id for place in places} if len(places) < TIES * count + TIES else {}
    return sorted(places, key=lambda place: (sizes[place], names.get(place, ""), place))[:count]


def _at(result: Result, places: Sequence[int]) -> Sequence[ItemScore]:
    """As objects: they are gone through once for every column."""
    return [result.items[place] for place in places]


def _encoded(results: Sequence[Result], kept: Sequence[Sequence[ItemScore]]) -> str:
    store = _ItemStore({}, {})
    entries = [_entry(result, items, store) for result, items in zip(results, kept, strict=True)]
    document = {"results": entries, "columns": [column for _, column in store.columns], "strings": list(store.strings)}
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return b64encode(zlib.compress(text.encode("utf-8"))).decode()


@dataclass(frozen=True)
class _ItemStore:
    """The strings and the columns of all results, each once; a place in a dict is its index."""

    strings: dict[str, int]
    columns: dict[tuple[str, tuple[float | None, ...]], int]

    def words(self, values: Iterable[str]) -> int:
        """Keep a column of strings: their indices, each as the difference from the one before."""
        indices = [self.strings.setdefault(escape_control(value), len(self.strings)) for value in values]
        return self._column("steps", (index - before for before, index in pairwise([0, *indices])))

    def numbers(self, values: Iterable[float | None]) -> int:
        """Keep a column of numbers."""
        return self._column("numbers", values)

    def _column(self, kind: str, values: Iterable[float | None]) -> int:
        # by kind: Python takes 2 and 2.0 for the same key, and an index must be written as 2
        return self.columns.setdefault((kind, tuple(values)), len(self.columns))


def _entry(result: Result, items: Sequence[ItemScore], store: _ItemStore) -> dict[str, Any]:
    groups = dict.fromkeys(group for item in items for group in (*item.groups, *item.sentences))
    first = {group: place for place, group in enumerate(result.contrast)}
    labels = dict.fromkeys(label for item in items for label in item.labels)
    return {
        "id": store.words(item.id for item in items),
        "name": store.words(result.name_of(item) for item in items),
        "score": store.numbers(_short(item.score) for item in items),
        "groups": [_group(group, items, store) for group in sorted(groups, key=lambda g: first.get(g, len(first)))],
        "labels": [
            {"name": escape_control(label), "values": store.words(str(item.labels.get(label, "")) for item in items)}
            for label in labels
        ],
    }


def _group(group: str, items: Sequence[ItemScore], store: _ItemStore) -> dict[str, Any]:
    shown = [item.sentences.get(group, Shown("", 0, 0)) for item in items]
    return {
        "name": escape_control(group),
        "score": store.numbers(_short(item.groups[group]) if group in item.groups else None for item in items),
        "text": store.words(sentence.text for sentence in shown),
        "start": store.numbers(_place(sentence.text, sentence.start) for sentence in shown),
        "end": store.numbers(_place(sentence.text, sentence.end) for sentence in shown),
    }


def _place(text: str, offset: int) -> int:
    """Where a character is in the text as it is shown, with its control characters made visible."""
    if text.isascii() and text.isprintable():
        return offset  # most texts
    shown = escape_control(text[:offset])
    return utf16_offset(shown, len(shown))


def _short(value: float) -> float:
    """As many digits as are shown, and one more."""
    return round(value, 3) if abs(value) >= 0.01 else float(f"{value:.2g}")
