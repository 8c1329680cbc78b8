"""Margins with their reasons, from ``margins.toml``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from biascheck.errors import UsageError
from biascheck.results.toml_tables import nearest_file, read_tables, typed
from biascheck.wording import visible

__all__ = ["Margin", "Margins", "UpperBound"]

Positive = Annotated[float, msgspec.Meta(gt=0, le=sys.float_info.max)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Count = Annotated[int, msgspec.Meta(ge=1)]
Reason = Annotated[str, msgspec.Meta(min_length=1, pattern=r"\S")]


@dataclass(frozen=True, kw_only=True)
class Allowance:
    """Why a margin is what it is, what an inconclusive result means, and with how many gates it is judged.

    ``skipped`` is the largest share of the items that may be skipped. ``competence = "ignore"`` judges a model that
    cannot read the corpus; ``reason`` must then say why.
    """

    reason: Reason
    inconclusive: Literal["fail", "warn"] = "fail"
    family: Count = 1
    skipped: Share | None = None
    competence: Literal["ignore"] | None = None

    def as_arguments(self) -> dict[str, Any]:
        """The keyword arguments of an assertion; what the file does not state is left to the assertion."""
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class Margin(Allowance):
    """How far from parity a result may lie."""

    margin: Positive


@dataclass(frozen=True, kw_only=True)
class UpperBound(Allowance):
    """How large a result may be that is only bad when large."""

    bound: Positive


@dataclass(frozen=True)
class Margins:
    """Named margins and upper bounds from ``margins.toml``."""

    file: Path
    entries: Mapping[str, Margin | UpperBound]

    @classmethod
    def read(cls, file: Path) -> Margins:
        """Read a ``margins.toml``."""
        return cls(file, {name: _margin(entry, name, file) for name, entry in read_tables(file).items()})

    @classmethod
    def nearest(cls, start: Path, *, stop: Path) -> Margins:
        """Read the file beside ``start`` or in the nearest folder above."""
        return cls.read(nearest_file("margins.toml", start, stop=stop))

    def __getitem__(self, name: str) -> Margin | UpperBound:
        if name not in self.entries:
            raise UsageError(
                f"{self.file} has no margin {name!r}; there are: {visible(', '.join(sorted(self.entries))) or 'none'}"
            )
        return self.entries[name]


def _margin(entry: Mapping[str, Any], name: str, file: Path) -> Margin | UpperBound:
    if "bound" in entry:
        return typed(UpperBound, entry, name, file, example='bound = 0.5 and reason = "agreed"')
    return typed(Margin, entry, name, file, example='margin = 0.5 and reason = "agreed"')
