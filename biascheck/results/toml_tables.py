"""Named tables of a TOML file, each read as one typed value."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from biascheck.errors import UsageError
from biascheck.wording import escape_control

__all__ = ["nearest_file", "read_tables", "typed"]

TableKind = TypeVar("TableKind")


def nearest_file(name: str, start: Path, *, stop: Path) -> Path:
    """The file of that name beside ``start`` or in the nearest folder above, up to ``stop``."""
    for folder in start.parents:
        if (folder / name).is_file():
            return folder / name
        if folder == stop:
            break
    raise UsageError(f"no {name} beside {start} or above it; write one with a table for each gate")


def read_tables(file: Path) -> dict[str, dict[str, Any]]:
    """Every table that has values, under its dotted name."""
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
