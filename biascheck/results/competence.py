"""Whether a model can do what a measure asks of it. Below the floor a figure is invalid: neither fair nor unfair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Literal

from biascheck.errors import ScoreError

__all__ = ["Readability", "UnreadableOption"]

UnreadableOption = Literal["ignore"] | None
"""Whether a figure is judged although its model cannot do what was asked."""


@dataclass(frozen=True)
class Readability:
    """How well a model reads what it is measured on, and how well it must.

    ``check`` names the check, ``about`` says what was checked, ``finding`` what was found and what is needed.
    ``lack`` is what a model below the floor does not do, as in "minilm-mlm cannot read this corpus".
    ``value`` and ``floor`` are the two figures that decided; ``figures`` has all that were looked at. ``n`` counts what
    was compared, ``seed`` chose the sample.
    """

    check: str
    about: str
    value: float
    floor: float
    n: int
    seed: int
    finding: str
    lack: str
    figures: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, value in {"value": self.value, "floor": self.floor, **self.figures}.items():
            if not isfinite(value):
                raise ScoreError(f"{self.check}: {name} is {value}; only finite numbers can be compared with a floor")

    @property
    def passed(self) -> bool:
        """Whether figures of this model on this corpus mean anything."""
        return self.value >= self.floor

    def inability(self, model: str) -> str:
        """What the model of this name cannot do, and by which figures; empty where it can."""
        return "" if self.passed else f"{model} {self.lack} ({self.finding})"

    def as_dict(self) -> dict[str, Any]:
        """Plain values for a file; ``Readability(**document)`` reads them back."""
        return {**vars(self), "figures": dict(self.figures)}
