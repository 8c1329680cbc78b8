"""The items of a result: what was scored, and what was skipped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import NamedTuple

from biascheck.errors import ScoreError
from biascheck.results.key import Label

__all__ = ["ItemScore", "Label", "Shown", "Skipped"]


class Shown(NamedTuple):
    """A sentence as a reader sees it, with the characters of its target."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class ItemScore:
    """One item: the gap between the two contrasted groups, and the score of every group.

    ``cluster`` names the items that are not independent of this one. ``side`` is the attribute set
    ("A" or "B") for measures that compare two; ``covariate`` a real-world figure to correlate with. ``draw`` numbers
    the draw in which the item was judged together with others, such as by one clustering of all words.
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
                raise ScoreError(f"item {self.id!r} has the score {value}; only finite numbers can be judged")
        if self.covariate is not None and not isfinite(self.covariate):
            raise ScoreError(
                f"item {self.id!r} has the covariate {self.covariate}; leave the item out or find its figure"
            )


@dataclass(frozen=True)
class Skipped:
    """An item without a score, and why: it could not be scored, or was left out ``by_choice`` of whoever measured."""

    id: str
    reason: str
    labels: Mapping[str, Label] = field(default_factory=dict)
    by_choice: bool = False
