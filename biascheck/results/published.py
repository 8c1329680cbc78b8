"""Figures of papers, and the named tables of TOML files that they and margins are read from."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec

from biascheck.core.errors import UsageError
from biascheck.core.wording import escape_control, published_text

# Named tables of a TOML file, each read as one typed value.

TableKind = TypeVar("TableKind")


def nearest_file(name: str, start: Path, *, stop: Path) -> Path:
    """The nearest file of that name, from ``start`` through the folders above, up to ``stop``."""
    for folder in start.parents:
        if (folder / name).is_file():
            return folder / name
        if folder == stop:
            break
    raise UsageError(f"no {name} beside {start} or above it; write one with a table for each gate")


def read_tables(file: Path) -> dict[str, dict[str, Any]]:
    """Every table with values, under its dotted name."""
    try:
        tables = tomllib.loads(file.read_text(encoding="utf-8"))
        return _flat(tables, file)
    except RecursionError as error:
        raise UsageError(f"{file}: too deeply nested; write one table per name, e.g. [jobs.female]") from error
    except (OSError, ValueError) as error:  # ValueError: not TOML, not UTF-8, a number or a date that Python refuses
        if isinstance(error, UsageError):
            raise
        raise UsageError(f"{file}: not valid TOML ({escape_control(str(error))}); correct it") from error


def _flat(table: Mapping[str, Any], file: Path, prefix: str = "") -> dict[str, dict[str, Any]]:
    if any(not isinstance(value, dict) for value in table.values()):
        return {_inside_a_table(prefix, table, file): dict(table)}
    found: dict[str, dict[str, Any]] = {}
    for key, value in table.items():
        for name, entry in _flat(value, file, f"{prefix}{key}.").items():
            if name in found:
                raise UsageError(
                    f"{file}: [{escape_control(name)}] is written twice, with and without quotes; remove one"
                )
            found[name] = entry
    return found


def _inside_a_table(prefix: str, table: Mapping[str, Any], file: Path) -> str:
    if not prefix:
        outside = next(key for key, value in table.items() if not isinstance(value, dict))
        raise UsageError(
            f"{file}: {escape_control(outside)} is outside of any table; write a line like [jobs.female] above it"
        )
    return prefix.removesuffix(".")


def typed(kind: type[TableKind], entry: Mapping[str, Any], name: str, file: Path, *, example: str) -> TableKind:
    """One table as a dataclass: unknown fields and values of another type are refused."""
    where, known = f"{file}: [{escape_control(name)}]", [field.name for field in fields(kind)]  # type: ignore[arg-type]
    unknown = sorted(set(entry) - set(known))
    if unknown:
        raise UsageError(f"{where} has {escape_control(', '.join(unknown))}, and may have {', '.join(known)}")
    try:
        return replace(msgspec.convert(dict(entry), kind))  # type: ignore[type-var]  # a copy with its defaults in it
    except msgspec.ValidationError as error:
        raise UsageError(f"{where} {_said(str(error))}; write e.g. {example}") from error


def _said(message: str) -> str:
    """``Expected `float`, got `bool` - at `$.margin``` as "margin: expected a number, got bool"."""
    problem, _, place = message.partition(" - at ")
    field = place.strip("`").removeprefix("$.")
    problem = problem.replace("`float | object | null`", "`float`").replace("`float | object`", "`float`")
    words = problem.replace("got `float`", "got a decimal number").replace("`float`", "a number")
    words = words.replace("`int`", "a whole number").replace("`str`", "a text")
    words = words.replace("Object missing required field", "lacks").replace("`", "")
    return f"{field}: {words[:1].lower()}{words[1:]}" if field else words


# Figures of papers: numbers with their source.

Finite = Annotated[float, msgspec.Meta(ge=-sys.float_info.max, le=sys.float_info.max)]
Stated = Annotated[str, msgspec.Meta(min_length=1)]


@dataclass(frozen=True)
class PublishedFigure:
    """A figure of a paper, the model it is about, and a note if it does not follow from the published data.

    ``name`` distinguishes the figures of a list; ``note`` is what else the paper says about this figure.
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
        """The figure of that name, or None if the paper has none."""
        return self.entries.get(name)

    def listed(self, prefix: str) -> tuple[PublishedFigure, ...]:
        """The figure of this name, and all figures under it; each named by what follows the prefix."""
        start = f"{prefix}."
        return tuple(
            replace(figure, name=name.removeprefix(start)) if name.startswith(start) else figure
            for name, figure in self.entries.items()
            if name == prefix or name.startswith(start)
        )
