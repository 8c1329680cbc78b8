"""Attachments that a measure or a suite adds to a result for its readers: tables, maps, draws, published figures.

Attachments of one result accumulate; none replaces another. All are plain values, checked when they are made and
when they are read back.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from biascheck.core.errors import UsageError
from biascheck.results.published import PublishedFigure

Cell = str | int | float | None


class Attachment(msgspec.Struct, frozen=True, tag_field="kind", kw_only=True):
    """Something to show with a result."""


class Table(Attachment, frozen=True, tag="table", kw_only=True):
    """Rows of cells; the first column names the row."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise UsageError(f"a row of the table {self.title!r} has more or fewer cells than there are columns")


class Point(msgspec.Struct, frozen=True):
    """A named point."""

    name: str
    x: float
    y: float


class Scatter(Attachment, frozen=True, tag="scatter", kw_only=True):
    """Named points on two axes."""

    x: str
    y: str
    points: tuple[Point, ...]


class MapPoint(msgspec.Struct, frozen=True):
    """A word on a map, and its group."""

    word: str
    x: float
    y: float
    group: str


class WordMap(Attachment, frozen=True, tag="map", kw_only=True):
    """Words on a plane whose axes have no meaning of their own; ``method`` is the projection (PCA, t-SNE)."""

    points: tuple[MapPoint, ...]
    method: str = ""


class Draws(Attachment, frozen=True, tag="draws", kw_only=True):
    """The whole measurement, repeated on independently drawn sentences."""

    values: tuple[float, ...]


class ExplainedVariance(Attachment, frozen=True, tag="explained variance", kw_only=True):
    """The share of variance by principal component: of the pairs, and of as many random differences."""

    pairs: tuple[float, ...]
    random: tuple[float, ...] = ()


class SideBias(msgspec.Struct, frozen=True, kw_only=True):
    """The means of negative and of positive scores under one condition, and how many there are of each."""

    name: str
    negative: float
    positive: float
    n_negative: int
    n_zero: int
    n_positive: int


class TwoSided(Attachment, frozen=True, tag="two-sided", kw_only=True):
    """Positive and negative scores apart from each other."""

    sides: tuple[SideBias, ...]


class Correlations(Attachment, frozen=True, tag="correlations", kw_only=True):
    """A square matrix of correlations."""

    names: tuple[str, ...]
    matrix: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        if [len(row) for row in self.matrix] != [len(self.names)] * len(self.names):
            raise UsageError(f"{len(self.names)} names need as many rows and columns of correlations")


class PersonGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Mean associations of one group of professions, before and optionally after a mitigation, with the rank test."""

    name: str
    pairs: int
    male: float
    female: float
    v: float
    z: float
    p: float
    r: float
    direction: str
    male_after: float | None = None
    female_after: float | None = None


class Groups(Attachment, frozen=True, tag="profession groups", kw_only=True):
    """Mean associations by profession group (Bartl et al. 2020, Tables 4 and 5)."""

    groups: tuple[PersonGroup, ...]


class ProfessionBar(msgspec.Struct, frozen=True):
    """Mean associations of both genders' words with one profession, before and optionally after a mitigation."""

    name: str
    male: float
    female: float
    male_after: float | None = None
    female_after: float | None = None


class ProfessionBars(Attachment, frozen=True, tag="profession bars", kw_only=True):
    """The professions of one group (Bartl et al. 2020, Figures 3 to 6)."""

    group: str
    bars: tuple[ProfessionBar, ...]


class Histogram(Attachment, frozen=True, tag="histogram", kw_only=True):
    """The number of values between each two neighbouring edges; an inner edge belongs to the bin above it."""

    x: str
    unit: str = "items"
    edges: tuple[float, ...]
    counts: tuple[int, ...]
    note: str = ""

    def __post_init__(self) -> None:
        if not self.counts or len(self.edges) != len(self.counts) + 1:
            raise UsageError(f"{len(self.counts)} bins of {self.x!r} need one edge more than there are bins, and a bin")


class Published(Attachment, frozen=True, tag="published", kw_only=True):
    """Figures of papers about other models."""

    figures: tuple[PublishedFigure, ...]


class Facts(Attachment, frozen=True, tag="facts", kw_only=True):
    """Further facts by name, shown as text."""

    facts: dict[str, Any]


AnyAttachment = (
    Table
    | Scatter
    | WordMap
    | Draws
    | ExplainedVariance
    | TwoSided
    | Correlations
    | Groups
    | Histogram
    | ProfessionBars
    | Published
    | Facts
)


def gathered(first: Iterable[AnyAttachment], second: Iterable[AnyAttachment]) -> tuple[AnyAttachment, ...]:
    """Both, each attachment once."""
    found = list(first)
    found += [one for one in second if one not in found]
    return tuple(found)
