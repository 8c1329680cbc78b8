"""Intervals for shares."""

from __future__ import annotations

from math import sqrt

from biascheck.errors import ScoreError
from biascheck.stats.intervals import Interval

__all__ = ["wilson_interval"]


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
    return Interval(max(0.0, centre - half), min(1.0, centre + half), level, "Wilson score")
