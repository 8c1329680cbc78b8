"""How well a two-sided score tells two sides apart, and what its F1 figures say about its leaning.

A score above 0 predicts side A, one below 0 side B; an exact 0 counts one half for each. The sides of the
items are read twice: as *given*, and *reversed*, every item on the other side. What a score gains from
the one reading to the other is what it knows of the sides; what it gives one side more than the other in
both readings is its own leaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from biascheck.errors import ScoreError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from biascheck.stats.vectors import Vector

__all__ = ["SideF1", "f1_of_counts", "side_counts", "side_f1"]


@dataclass(frozen=True, slots=True)
class SideF1:
    """F1 of either side, with the sides as given and reversed. F1 = 2 TP / (2 TP + FP + FN)."""

    a_given: float
    a_reversed: float
    b_given: float
    b_reversed: float

    @property
    def skew(self) -> float:
        """½ (|A given − B given| + |A reversed − B reversed|): how much better one side fares in either reading."""
        return (abs(self.a_given - self.b_given) + abs(self.a_reversed - self.b_reversed)) / 2

    @property
    def stereotype(self) -> float:
        """½ (|A given − A reversed| + |B given − B reversed|): how much better the given reading fares."""
        return (abs(self.a_given - self.a_reversed) + abs(self.b_given - self.b_reversed)) / 2

    @property
    def smaller(self) -> float:
        """The smaller F1 of the two sides as given."""
        return min(self.a_given, self.b_given)


def side_f1(values: Vector, sides: Sequence[str] | None) -> SideF1:
    """Compute the four F1 figures; ScoreError where a side has neither an item nor a prediction."""
    scores = f1_of_counts(side_counts(values, sides).sum(axis=0))
    if np.isnan(scores).any():
        raise ScoreError("a side without items and without predictions has no F1; give items on both sides")
    return SideF1(*map(float, scores))


def side_counts(values: Vector, sides: Sequence[str] | None) -> NDArray[np.float64]:
    """Return four columns that add up over items: A as A, A as B, B as A, B as B (the side, the prediction)."""
    if sides is None:
        raise UsageError("F1 figures compare predictions with sides; give the sample sides of 'A' and 'B'")
    on_a = np.fromiter((side == "A" for side in sides), dtype=float, count=len(sides))
    as_a = (np.sign(values) + 1) / 2
    return np.stack([on_a * as_a, on_a * (1 - as_a), (1 - on_a) * as_a, (1 - on_a) * (1 - as_a)], axis=-1)


def f1_of_counts(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn sums of the four columns into A given, A reversed, B given, B reversed; NaN where undefined."""
    a_as_a, a_as_b, b_as_a, b_as_b = np.moveaxis(counts, -1, 0)
    hits = np.stack([a_as_a, b_as_a, b_as_b, a_as_b])
    errors = np.stack([b_as_a + a_as_b, a_as_a + b_as_b, a_as_b + b_as_a, b_as_b + a_as_a])
    with np.errstate(invalid="ignore"):
        scores: NDArray[np.float64] = 2 * hits / (2 * hits + errors)
    return scores
