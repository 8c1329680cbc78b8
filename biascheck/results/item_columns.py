"""Items as columns: those of a large result are arrays, and an item is made when it is looked at."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from math import isnan, nan

import numpy as np

from biascheck.packed_columns import Coded, KeyedColumns, LazySequence, Texts
from biascheck.results.items import ItemScore, Label, Shown
from biascheck.stats import Sample

__all__ = ["COLUMNS_FROM", "ItemColumns", "ItemList", "gathered_items", "sample_of"]

COLUMNS_FROM = 20_000
"""A result with more items than this has them as columns."""
NO_DRAW = -(2**31)


def _numbers(rows: int) -> array[float]:
    return array("d", [nan]) * rows


def _labels(rows: int) -> Coded[Label | None]:
    return Coded([None] * rows)


def _sentences(rows: int) -> ShownColumn:
    return ShownColumn(rows)


class ShownColumn:
    """Sentences of one group, with where their targets are."""

    def __init__(self, rows: int) -> None:
        self.texts = Texts([""] * rows)
        self.starts = array("i", [0]) * rows
        self.ends = array("i", [0]) * rows

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
    """The digest of the file that has these items, once there is one."""

    def __init__(self, items: Iterable[ItemScore] = ()) -> None:
        self.ids = Texts()
        self.scores = array("d")
        self.clusters: Coded[str] = Coded()
        self.sides: Coded[str | None] = Coded()
        self.covariates = array("d")
        self.draws = array("q")
        self.groups: KeyedColumns[float, array[float]] = KeyedColumns(_numbers)
        self.labels: KeyedColumns[Label, Coded[Label | None]] = KeyedColumns(_labels)
        self.sentences: KeyedColumns[Shown, ShownColumn] = KeyedColumns(_sentences)
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
        """The arrays that the statistics work on."""
        sides = tuple(side for side in self.sides if side is not None)
        covariate = np.array(self.covariates)
        draws = tuple(draw for draw in self.draws if draw != NO_DRAW)
        return Sample(
            values=np.array(self.scores),
            clusters=tuple(self.clusters),
            sides=sides if len(sides) == len(self) else None,
            covariate=None if np.isnan(covariate).any() else covariate,
            draws=draws if len(draws) == len(self) else None,
        )


class ItemList:
    """Items in the making: objects as long as they are few, columns from then on."""

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
        """What was added."""
        return tuple(self._few) if self._many is None else self._many


def gathered_items(items: Iterable[ItemScore]) -> Sequence[ItemScore]:
    """The items as a result holds them."""
    if isinstance(items, ItemColumns) or (isinstance(items, tuple) and len(items) <= COLUMNS_FROM):
        return items
    found = ItemList()
    for item in items:
        found.append(item)
    return found.items


def sample_of(items: Sequence[ItemScore]) -> Sample:
    """Turn items into the arrays that the statistics work on."""
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
