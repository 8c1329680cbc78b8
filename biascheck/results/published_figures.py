"""Figures of papers: numbers with their source, until they are drawn."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from biascheck.errors import UsageError
from biascheck.results.toml_tables import nearest_file, read_tables, typed
from biascheck.wording import published_text

__all__ = ["Grid", "PublishedFigure", "PublishedFigures"]

Finite = Annotated[float, msgspec.Meta(ge=-sys.float_info.max, le=sys.float_info.max)]
Stated = Annotated[str, msgspec.Meta(min_length=1)]


@dataclass(frozen=True)
class PublishedFigure:
    """A figure of a paper, the model it is about, and a note where it does not follow from the published data.

    ``name`` tells the figures of a list apart; ``note`` is what else the paper says about this figure.
    """

    value: Finite
    source: Stated
    name: str = ""
    table: str = ""
    model: str = ""
    erratum: str = ""
    note: str = ""

    def __str__(self) -> str:
        return published_text((self,))


@dataclass(frozen=True)
class Grid:
    """A whole table of a paper: each row has one value for each column.

    The figure of a row and a column is called ``NAME.row.column``; an empty text leaves a cell out. The model is the
    row unless one is given. ``errata`` and ``notes`` are by ``row``, ``column`` or ``row.column``.
    """

    source: Stated
    columns: tuple[Stated, ...]
    rows: Mapping[str, tuple[Finite | Literal[""], ...]]
    table: str = ""
    model: str = ""
    errata: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)

    def figures(self, name: str, file: Path) -> Iterator[tuple[str, PublishedFigure]]:
        """Every cell under its name."""
        for row, values in self.rows.items():
            if len(values) != len(self.columns):
                raise UsageError(f"{file}: [{name}] has {len(self.columns)} columns; {row} has {len(values)} values")
            for column, value in zip(self.columns, values, strict=True):
                if value != "":
                    yield f"{name}.{row}.{column}", self._figure(row, column, value)

    def _figure(self, row: str, column: str, value: float) -> PublishedFigure:
        places = (f"{row}.{column}", row, column)
        erratum, note = (
            next((said[place] for place in places if place in said), "") for said in (self.errata, self.notes)
        )
        model = self.model or row
        return PublishedFigure(value, self.source, table=self.table, model=model, erratum=erratum, note=note)


@dataclass(frozen=True)
class PublishedFigures:
    """Named figures from ``published.toml``: single ones, and whole tables written as a :class:`Grid`."""

    file: Path
    entries: Mapping[str, PublishedFigure]

    @classmethod
    def read(cls, file: Path) -> PublishedFigures:
        """Read a ``published.toml``."""
        example = 'value = 0.88 and source = "Kurita 2019"'
        found: dict[str, PublishedFigure] = {}
        for name, entry in read_tables(file).items():
            if "columns" in entry:
                found.update(typed(Grid, entry, name, file, example='columns = ["male", "female"]').figures(name, file))
            else:
                found[name] = typed(PublishedFigure, entry, name, file, example=example)
        return cls(file, found)

    @classmethod
    def nearest(cls, start: Path, *, stop: Path) -> PublishedFigures:
        """Read the file beside ``start`` or in the nearest folder above."""
        return cls.read(nearest_file("published.toml", start, stop=stop))

    def get(self, name: str) -> PublishedFigure | None:
        """The figure of that name, or None where the paper has none."""
        return self.entries.get(name)

    def listed(self, prefix: str) -> tuple[PublishedFigure, ...]:
        """The figure of this name, and all figures under it; what follows the prefix names each of these."""
        start = f"{prefix}."
        return tuple(
            replace(figure, name=name.removeprefix(start)) if name.startswith(start) else figure
            for name, figure in self.entries.items()
            if name == prefix or name.startswith(start)
        )
