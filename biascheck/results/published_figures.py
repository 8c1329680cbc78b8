"""Figures of papers: numbers with their source, until they are drawn."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import msgspec

from biascheck.results.toml_tables import nearest_file, read_tables, typed
from biascheck.wording import published_text

__all__ = ["PublishedFigure", "PublishedFigures"]

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
class PublishedFigures:
    """Named figures from ``published.toml``."""

    file: Path
    entries: Mapping[str, PublishedFigure]

    @classmethod
    def read(cls, file: Path) -> PublishedFigures:
        """Read a ``published.toml``."""
        example = 'value = 0.88 and source = "Kurita 2019"'
        tables = read_tables(file)
        return cls(file, {k: typed(PublishedFigure, entry, k, file, example=example) for k, entry in tables.items()})

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
