"""The items of a result: those that were scored, and those that were skipped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from math import isfinite, isnan, nan
from typing import NamedTuple

import numpy as np

from biascheck.core.columns import BlockStore, Coded, KeyedColumns, LazySequence, Numbers, Texts
from biascheck.core.errors import ScoreError
from biascheck.results.key import Label
from biascheck.stats import Sample


class Shown(NamedTuple):
    """A sentence as shown to readers, with the characters of its target."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class ItemScore:
    """One item: the gap between the two contrasted groups, and the score of every group.

    ``cluster`` groups items that are not independent. ``side`` is the attribute set ("A" or "B") for measures that
    compare two; ``covariate`` a real-world figure to correlate with. ``draw`` numbers the draw in which the item was
    scored together with others, such as by one clustering of all words.
    """

    id: str
    score: float
    cluster: str
    groups: Mapping[str, float] = field(default_factory=dict)
    side: str | None = None
    covariate: float | None = None
    labels: Mapping[str, Label] = field(default_factory=dict)
    sentences: Mapping[str, Shown] = field(default_factory=dict)
    draw: int | None = None

    def __post_init__(self) -> None:
        for value in (self.score, *self.groups.values()):
            if not isfinite(value):
                raise ScoreError(f"item {self.id!r} has the score {value}; only finite numbers are allowed")
        if self.covariate is not None and not isfinite(self.covariate):
            raise ScoreError(
                f"item {self.id!r} has the covariate {self.covariate}; leave the item out or find its figure"
            )


@dataclass(frozen=True)
class Skipped:
    """An item without a score, and why: it could not be scored, or was left out on purpose (``by_choice``)."""

    id: str
    reason: str
    labels: Mapping[str, Label] = field(default_factory=dict)
    by_choice: bool = False


# Items as columns: those of a large result are arrays, and an item object is created on access.

COLUMNS_FROM = 20_000
"""A result with more items than this stores them as columns."""
NO_DRAW = -(2**31)


def _numbers(rows: int, store: BlockStore) -> Numbers[float]:
    return Numbers("d", repeat(nan, rows), store)


def _labels(rows: int, store: BlockStore) -> Coded[Label | None]:
    return Coded(repeat(None, rows), store)


class ShownColumn:
    """Sentences of one group, with where their targets are."""

    def __init__(self, rows: int, store: BlockStore) -> None:
        self.texts = Texts(repeat("", rows), store)
        self.starts: Numbers[int] = Numbers("i", repeat(0, rows), store)
        self.ends: Numbers[int] = Numbers("i", repeat(0, rows), store)

    def append(self, shown: Shown | None) -> None:
        """Add a sentence, or nothing."""
        text, start, end = shown or ("", 0, 0)
        self.texts.append(text)
        self.starts.append(start)
        self.ends.append(end)

    def __getitem__(self, row: int) -> Shown:
        return Shown(self.texts[row], self.starts[row], self.ends[row])


class ItemColumns(LazySequence[ItemScore]):
    """The items of a large result."""

    stored: str | None = None
    """The digest of the file with these items, if there is one."""

    def __init__(self, items: Iterable[ItemScore] = ()) -> None:
        store = BlockStore()
        self.ids = Texts(store=store)
        self.scores: Numbers[float] = Numbers("d", store=store)
        self.clusters: Coded[str] = Coded(store=store)
        self.sides: Coded[str | None] = Coded(store=store)
        self.covariates: Numbers[float] = Numbers("d", store=store)
        self.draws: Numbers[int] = Numbers("q", store=store)
        self.groups: KeyedColumns[float, Numbers[float]] = KeyedColumns(_numbers, store)
        self.labels: KeyedColumns[Label, Coded[Label | None]] = KeyedColumns(_labels, store)
        self.sentences: KeyedColumns[Shown, ShownColumn] = KeyedColumns(ShownColumn, store)
        for item in items:
            self.append(item)

    def __len__(self) -> int:
        return len(self.scores)

    def append(self, item: ItemScore) -> None:
        """Add an item."""
        self.stored = None
        self.ids.append(item.id)
        self.scores.append(item.score)
        self.clusters.append(item.cluster)
        self.sides.append(item.side)
        self.covariates.append(nan if item.covariate is None else item.covariate)
        self.draws.append(NO_DRAW if item.draw is None else item.draw)
        self.groups.keys_of(item.groups)
        for name, numbers in self.groups.columns.items():
            numbers.append(item.groups.get(name, nan))
        self.labels.keys_of(item.labels)
        for name, coded in self.labels.columns.items():
            coded.append(item.labels.get(name))
        self.sentences.keys_of(item.sentences)
        for name, shown in self.sentences.columns.items():
            shown.append(item.sentences.get(name))

    def _made(self, index: int) -> ItemScore:
        covariate, draw = self.covariates[index], self.draws[index]
        return ItemScore(
            id=self.ids[index],
            score=self.scores[index],
            cluster=self.clusters[index],
            groups={name: self.groups.columns[name][index] for name in self.groups.layouts[index]},
            side=self.sides[index],
            covariate=None if isnan(covariate) else covariate,
            labels=self._labels_of(index),
            sentences={name: self.sentences.columns[name][index] for name in self.sentences.layouts[index]},
            draw=None if draw == NO_DRAW else draw,
        )

    def _labels_of(self, index: int) -> dict[str, Label]:
        found = ((name, self.labels.columns[name][index]) for name in self.labels.layouts[index])
        return {name: value for name, value in found if value is not None}

    def sample(self) -> Sample:
        """The arrays that the statistics use."""
        sides = tuple(side for side in self.sides if side is not None)
        covariate = np.asarray(self.covariates.joined())
        draws = tuple(draw for draw in self.draws if draw != NO_DRAW)
        return Sample(
            values=np.asarray(self.scores.joined()),
            clusters=tuple(self.clusters),
            sides=sides if len(sides) == len(self) else None,
            covariate=None if np.isnan(covariate).any() else covariate,
            draws=draws if len(draws) == len(self) else None,
        )


def ids_of(items: Sequence[ItemScore]) -> Iterable[str]:
    """The ids of the items, without creating item objects."""
    return items.ids if isinstance(items, ItemColumns) else [item.id for item in items]


def scores_of(items: Sequence[ItemScore]) -> Iterator[float]:
    """Their scores."""
    return iter(items.scores) if isinstance(items, ItemColumns) else (item.score for item in items)


def covariates_of(items: Sequence[ItemScore]) -> Iterator[float]:
    """Their covariates; 0 for an item without one."""
    if isinstance(items, ItemColumns):
        return (0.0 if isnan(found) else found for found in items.covariates)
    return (item.covariate or 0.0 for item in items)


def clusters_of(items: Sequence[ItemScore]) -> Iterator[tuple[str, str | None]]:
    """Cluster and side of each."""
    if isinstance(items, ItemColumns):
        return zip(items.clusters, items.sides, strict=True)
    return ((item.cluster, item.side) for item in items)


def names_of(items: Sequence[ItemScore], label: str) -> Iterator[str]:
    """The name of each item's subject: its value of a label, or else its cluster."""
    if not isinstance(items, ItemColumns):
        return (str(item.labels[label]) if label in item.labels else item.cluster for item in items)
    if label not in items.labels.columns:
        return iter(items.clusters)
    both = zip(items.labels.columns[label], items.clusters, strict=True)
    return (cluster if found is None else str(found) for found, cluster in both)


class ItemList:
    """Items under construction: objects if they are few, columns otherwise."""

    def __init__(self, limit: int | None = None) -> None:
        self._limit = COLUMNS_FROM if limit is None else limit
        self._few: list[ItemScore] = []
        self._many: ItemColumns | None = None

    def append(self, item: ItemScore) -> None:
        """Add an item."""
        if self._many is not None:
            self._many.append(item)
            return
        self._few.append(item)
        if len(self._few) > self._limit:
            self._many, self._few = ItemColumns(self._few), []

    def __len__(self) -> int:
        return len(self._few) if self._many is None else len(self._many)

    def __iter__(self) -> Iterator[ItemScore]:
        return iter(self.items)

    @property
    def items(self) -> Sequence[ItemScore]:
        """The items added so far."""
        return tuple(self._few) if self._many is None else self._many


def gathered_items(items: Iterable[ItemScore]) -> Sequence[ItemScore]:
    """The items as a result stores them."""
    if isinstance(items, ItemColumns) or (isinstance(items, tuple) and len(items) <= COLUMNS_FROM):
        return items
    found = ItemList()
    for item in items:
        found.append(item)
    return found.items


def sample_of(items: Sequence[ItemScore]) -> Sample:
    """Turn items into the arrays that the statistics use."""
    if isinstance(items, ItemColumns):
        return items.sample()
    sides = tuple(item.side for item in items if item.side is not None)
    covariates = [item.covariate for item in items if item.covariate is not None]
    draws = tuple(item.draw for item in items if item.draw is not None)
    return Sample(
        values=np.array([item.score for item in items]),
        clusters=tuple(item.cluster for item in items),
        sides=sides if len(sides) == len(items) else None,
        covariate=np.array(covariates) if len(covariates) == len(items) else None,
        draws=draws if len(draws) == len(items) else None,
    )
