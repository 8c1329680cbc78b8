"""An interval that says how sure it is and how it was made."""

from __future__ import annotations

import math
from dataclasses import dataclass

from biascheck.errors import ScoreError

__all__ = ["Interval"]


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval: from ``low`` to ``high``, both included.

    ``level`` is the nominal coverage (0.95), ``method`` names the procedure in words, for example
    "cluster bootstrap, BCa, 2000 resamples". ``caution`` says why it is wider than its data alone would make it,
    such as too few clusters to rule out skewness; empty where there is nothing to say.
    """

    low: float
    high: float
    level: float
    method: str
    caution: str = ""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high)):
            raise ScoreError(f"interval [{self.low}, {self.high}] is not finite; look for undefined scores")
        if self.low > self.high:
            raise ScoreError(f"interval [{self.low}, {self.high}] is upside down; give the lower bound first")
        if not 0 < self.level < 1:
            raise ScoreError(f"level {self.level} is not between 0 and 1; 95 % is level=0.95")

    def contains(self, x: float) -> bool:
        """Tell whether ``x`` lies in the interval, its ends included."""
        return self.low <= x <= self.high
