"""Intervals for shares."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

from biascheck.errors import ScoreError
from biascheck.stats.interval import Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from biascheck.stats.vectors import Vector

__all__ = ["paired_share_interval", "wilson_interval"]


def wilson_interval(share: float, n: int, *, level: float = 0.95) -> Interval:
    """Return Wilson's score interval for a share of ``n`` independent items.

    With z the normal quantile of the level, centre (share + z²/2n) / (1 + z²/n) and half width
    z √(share (1 − share) / n + z²/4n²) / (1 + z²/n). Unlike a bootstrap it leaves room for doubt at a
    share of 0 or 1. ``share · n`` need not be whole: ties may count one half.
    """
    from scipy.special import ndtri

    if n < 1 or not 0 <= share <= 1:
        raise ScoreError(f"a share of {share} among {n} items has no interval; it needs 0 ≤ share ≤ 1 and n ≥ 1")
    z = float(ndtri((1 + level) / 2))
    scale = 1 + z * z / n
    centre = (share + z * z / (2 * n)) / scale
    half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / scale
    # At either end centre and half width add up to it but for the last digit.
    low = 0.0 if share == 0 else max(0.0, centre - half)
    high = 1.0 if share == 1 else min(1.0, centre + half)
    return Interval(low, high, level, "Wilson score")


def paired_share_interval(before: ArrayLike, after: ArrayLike, *, parity: float = 0.5, level: float = 0.95) -> Interval:
    """Return an interval for the change of a share's distance from parity, of independent items.

    ``before`` and ``after`` are 0 or 1 (½ for a tie) for each item. For a difference of shares this is the interval
    of Agresti & Min (2005): half an observation is added to each of the four outcomes, then Wald's formula is used.
    Unlike a bootstrap it leaves room for doubt where no item crossed over. Distances have a kink at parity; it is
    treated as in :class:`biascheck.stats.DistanceChange`: the maximum over the sign of the later share of the minimum
    over the sign of the earlier one.
    """
    import numpy as np

    first, second = (np.asarray(values, dtype=float) - parity for values in (before, after))
    rows = [[_smoothed_mean(s * second - t * first, level) for t in (1.0, -1.0)] for s in (1.0, -1.0)]
    low, high = (max(min(found[end] for found in row) for row in rows) for end in (0, 1))
    return Interval(low, high, level, "paired shares, Agresti and Min")


def _smoothed_mean(values: Vector, level: float) -> tuple[float, float]:
    """Wald's interval of a mean of −1, 0 and 1, with half an observation more at −1 and at 1, and one at 0."""
    from scipy.special import ndtri

    n = values.size + 2
    mean = float(values.sum()) / n
    variance = (float((values * values).sum()) + 1) / n - mean * mean
    half = float(ndtri((1 + level) / 2)) * sqrt(variance / n)
    return max(-1.0, mean - half), min(1.0, mean + half)
