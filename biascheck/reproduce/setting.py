"""What a reproduction is run with: the model, the data, the scale and the seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from biascheck.corpora import Corpus
from biascheck.errors import DataNotFoundError, UsageError
from biascheck.models.capabilities import Capability, Model, capabilities_of
from biascheck.release import suites_home
from biascheck.reproduce.cells import Cell, Measured, attempted, caveats, drawn_value
from biascheck.results.key import model_label
from biascheck.results.published_figures import PublishedFigure, PublishedFigures
from biascheck.results.result import Result

__all__ = ["Setting"]

Thing = TypeVar("Thing")


@dataclass(frozen=True)
class Setting:
    """The model, the data folder, the scale and the seed of a reproduction, and the figures of the papers."""

    model: Model
    data: Path | None = None
    scale: float = 1.0
    seed: int = 0
    read: set[str] = field(default_factory=set, compare=False)

    def __post_init__(self) -> None:
        if not 0 < self.scale <= 1:
            raise UsageError(f"a scale of {self.scale} is not possible; give one above 0 and up to 1, e.g. 0.02")

    @property
    def model_label(self) -> str:
        """The model and what was done to it, for people."""
        return model_label(self.model.name, getattr(self.model, "treatment", ()))

    @cached_property
    def figures(self) -> PublishedFigures:
        """All figures of the papers."""
        return PublishedFigures.read(suites_home() / "published.toml")

    def published(self, name: str) -> PublishedFigure:
        """The figure of that name in ``suites/published.toml``; a name that is not there is a mistake."""
        found = self.figures.get(name)
        if found is None:
            raise UsageError(f"{self.figures.file} has no figure {name!r}; correct the name or add the figure")
        self.read.add(name)
        return found

    def can(self, *capabilities: Capability) -> bool:
        """Whether the model has one of these capabilities."""
        return bool(capabilities_of(self.model) & set(capabilities))

    def folder(self, name: str) -> Path:
        """A folder of the published data sets; attempt it, so that a cell says what is needed where there is none."""
        if self.data is None:
            raise DataNotFoundError(f"{name}/ of the published data sets; pass --data DIR")
        if not (self.data / name).exists():
            raise DataNotFoundError(f"{self.data / name} is not there; docs/reproduce.md says where to find it")
        return self.data / name

    def scaled(self, count: int, *, least: int = 1) -> int:
        """So many of ``count`` items, epochs or draws as the scale asks for."""
        return count if self.scale == 1 else max(min(least, count), round(count * self.scale))

    def sample(self, things: Sequence[Thing], *, least: int = 1) -> tuple[Thing, ...]:
        """As many of these as the scale asks for, drawn with the seed, in their order; all of them at scale 1."""
        count = self.scaled(len(things), least=least)
        if count == len(things):
            return tuple(things)
        chosen = np.random.default_rng(self.seed).choice(len(things), size=count, replace=False)
        return tuple(things[place] for place in sorted(chosen.tolist()))

    def part_of(self, corpus: Corpus, *, least: int = 8) -> Corpus:
        """The corpus with as many attributes as the scale asks for, all pairs of each; ``least`` of either side."""
        if self.scale == 1:
            return corpus
        sides: dict[str, dict[str, None]] = {}
        for pair in corpus:
            sides.setdefault(str(pair.labels.get("side", "")), {})[pair.attribute] = None
        kept = {attribute for listed in sides.values() for attribute in self.sample(list(listed), least=least)}
        return replace(corpus, pairs=tuple(pair for pair in corpus if pair.attribute in kept))

    def tried(self, function: Any, /, *args: Any, **options: Any) -> Any:
        """What a function returns, or why it cannot; see :func:`biascheck.reproduce.cells.attempted`."""
        return attempted(function, *args, **options)

    def cell(
        self,
        row: str,
        column: str = "",
        *,
        ours: Result | float | Measured,
        as_published: Result | float | Measured | None = None,
        published: str = "",
        note: str = "",
    ) -> Cell:
        """A cell; ``published`` is the name of the printed figure where one is comparable."""
        return Cell(
            row=row,
            column=column,
            published=self.published(published) if published else None,
            as_published=None if as_published is None else drawn_value(as_published),
            ours=drawn_value(ours),
            note=" ".join(filter(None, (note, *caveats(ours)))),
        )
