"""The two tables of a suite: margins with their reasons, and published figures with their errata."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal

from biascheck.errors import UsageError

__all__ = ["Margin", "Margins", "Published", "PublishedFigures", "UpperBound"]


@dataclass(frozen=True, kw_only=True)
class Allowance:
    """Why a margin is what it is, what an inconclusive result means, and with how many gates it is judged."""

    reason: str
    inconclusive: Literal["fail", "warn"] = "fail"
    family: int = 1

    def as_arguments(self) -> dict[str, Any]:
        """The keyword arguments of an assertion."""
        return dict(vars(self))


@dataclass(frozen=True, kw_only=True)
class Margin(Allowance):
    """How far from parity a result may lie."""

    margin: float


@dataclass(frozen=True, kw_only=True)
class UpperBound(Allowance):
    """How large a result may be that is only bad when large."""

    bound: float


@dataclass(frozen=True)
class Published:
    """A figure of a paper, with a note where it does not follow from the published data."""

    value: float
    source: str
    erratum: str = ""

    def __str__(self) -> str:
        note = f"; erratum: {self.erratum}" if self.erratum else ""
        return f"{self.value:g} ({self.source}{note})".replace("-", "−", 1 if self.value < 0 else 0)


@dataclass(frozen=True)
class Margins:
    """Named margins and upper bounds from ``margins.toml``."""

    file: Path
    entries: Mapping[str, Margin | UpperBound]

    @classmethod
    def read(cls, file: Path) -> Margins:
        """Read a ``margins.toml``."""
        return cls(file, {name: _margin(entry, name, file) for name, entry in _flat(_read(file)).items()})

    @classmethod
    def nearest(cls, start: Path, *, stop: Path) -> Margins:
        """Read the file beside ``start`` or in the nearest folder above."""
        return cls.read(_nearest("margins.toml", start, stop))

    def __getitem__(self, name: str) -> Margin | UpperBound:
        if name not in self.entries:
            raise UsageError(
                f"{self.file} has no margin {name!r}; there are: {', '.join(sorted(self.entries)) or 'none'}"
            )
        return self.entries[name]


@dataclass(frozen=True)
class PublishedFigures:
    """Named figures from ``published.toml``."""

    file: Path
    entries: Mapping[str, Published]

    @classmethod
    def nearest(cls, start: Path, *, stop: Path) -> PublishedFigures:
        """Read the file beside ``start`` or in the nearest folder above."""
        file = _nearest("published.toml", start, stop)
        return cls(file, {name: _build(Published, entry, name, file) for name, entry in _flat(_read(file)).items()})

    def get(self, name: str) -> str:
        """The figure as text, or nothing where the paper has none."""
        return str(self.entries[name]) if name in self.entries else ""

    def listed(self, prefix: str) -> list[dict[str, object]]:
        """All figures under a name, as the details of a result keep them for the report: the last part names each."""
        return [
            {"name": name.removeprefix(f"{prefix}."), **asdict(figure)}
            for name, figure in self.entries.items()
            if name.startswith(f"{prefix}.")
        ]


def _nearest(name: str, start: Path, stop: Path) -> Path:
    for folder in start.parents:
        if (folder / name).is_file():
            return folder / name
        if folder == stop:
            break
    raise UsageError(f"no {name} beside {start} or above it; write one with a table for each gate")


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{file}: {error}") from error


def _flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, dict[str, Any]]:
    """Tables that hold values, under their dotted names."""
    if any(not isinstance(value, dict) for value in table.values()):
        return {prefix.rstrip("."): dict(table)}
    found: dict[str, dict[str, Any]] = {}
    for key, value in table.items():
        found |= _flat(value, f"{prefix}{key}.")
    return found


def _margin(entry: Mapping[str, Any], name: str, file: Path) -> Margin | UpperBound:
    return _build(UpperBound if "bound" in entry else Margin, entry, name, file)  # type: ignore[no-any-return]


def _build(kind: type[Any], entry: Mapping[str, Any], name: str, file: Path) -> Any:
    known = {field.name: field for field in fields(kind)}
    missing = [key for key, field in known.items() if field.default is MISSING and key not in entry]
    unknown = sorted(set(entry) - set(known))
    if missing:
        raise UsageError(f"{file}: [{name}] lacks {', '.join(missing)}; write it there")
    if unknown:
        raise UsageError(f"{file}: [{name}] has {', '.join(unknown)}, and may have {', '.join(known)}")
    return kind(**entry)
