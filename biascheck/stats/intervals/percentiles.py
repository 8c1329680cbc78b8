"""Where an interval ends, given a bootstrap distribution.

Both ends are computed by the same steps from their own tail, so that a mirrored distribution gives
the exactly mirrored interval.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

if TYPE_CHECKING:
    from collections.abc import Sequence

    from biascheck.stats.vectors import Vector

__all__ = ["bca_tails", "ends", "expanded", "rounding"]


def ends(distribution: Vector, tails: tuple[float, float]) -> tuple[float, float]:
    """Return the values that leave ``tails[0]`` of the distribution below and ``tails[1]`` above."""
    low = _from_below(np.sort(distribution), tails[0])
    high = -_from_below(np.sort(-distribution), tails[1])
    return min(low, high), max(low, high)


def bca_tails(
    distribution: Vector, estimate: float, jackknives: Sequence[Vector], level: float
) -> tuple[float, float] | None:
    """Return the lower and upper tail of the BCa interval (Efron 1987), or None where undefined.

    With z₀ = Φ⁻¹(share of resamples below the estimate, ties half) and the acceleration a:
    ``tail = Φ(z₀ + (z₀ + z) / (1 − a(z₀ + z)))`` at z = ±z_{1−α/2}. Undefined when all resamples lie
    on one side of the estimate, when the jackknife does not vary, or when 1 − a(z₀ + z) ≤ 0.
    """
    bias, acceleration = _bias(distribution, estimate), _acceleration(jackknives)
    if bias is None or acceleration is None:
        return None
    critical = -float(special.ndtri((1 - level) / 2))
    shifts = bias - critical, bias + critical
    scales = [1 - acceleration * shift for shift in shifts]
    if min(scales) <= 0:
        return None
    below, above = (bias + shift / scale for shift, scale in zip(shifts, scales, strict=True))
    return float(special.ndtr(below)), float(special.ndtr(-above))


def expanded(level: float, freedom: int) -> float:
    """The level at which percentiles of few clusters cover what they should (Hesterberg 2015, section 5.3).

    A bootstrap knows neither that the spread of n clusters is too small by √((n − 1) / n) nor Student's t. The tail
    becomes ``Φ(−√((f + 1) / f) · t)`` with the quantile t of f degrees of freedom: 0.025 is 0.001 for 5 clusters,
    0.017 for 20, 0.022 for 60.
    """
    t = float(special.stdtrit(freedom, (1 + level) / 2))
    return 1 - 2 * float(special.ndtr(-math.sqrt((freedom + 1) / freedom) * t))


def rounding(distribution: Vector) -> float:
    """Return the distance below which two resamples differ only by rounding."""
    return 1e-12 * float(np.abs(distribution).max())


def _from_below(ordered: Vector, tail: float) -> float:
    """Interpolate linearly between order statistics (Hyndman & Fan's type 7)."""
    place = tail * (ordered.size - 1)
    left = min(math.floor(place), ordered.size - 1)
    right = min(left + 1, ordered.size - 1)
    return float(ordered[left] + (place - left) * (ordered[right] - ordered[left]))


def _bias(distribution: Vector, estimate: float) -> float | None:
    distances = distribution - estimate
    tolerance = rounding(distribution)
    below = int(np.count_nonzero(distances < -tolerance))
    above = int(np.count_nonzero(distances > tolerance))
    ties = distances.size - below - above
    smaller = (min(below, above) + ties / 2) / distances.size
    if smaller == 0:
        return None
    z = float(special.ndtri(smaller))
    return z if below < above else -z


def _acceleration(jackknives: Sequence[Vector]) -> float | None:
    """Skewness of the jackknife over all strata: ``Σ U³/n³ / (6 (Σ U²/n²)^{3/2})``, U = (n−1)(mean − θᵢ)."""
    if not jackknives:
        return None
    influences = [(one.size - 1) / one.size * (one.mean() - one) for one in jackknives]
    cubes = math.fsum(float((u * u * u).sum()) for u in influences)
    squares = math.fsum(float((u * u).sum()) for u in influences)
    tolerance = max(rounding(one) for one in jackknives)
    if squares <= tolerance * tolerance:
        return None
    return cubes / (6 * squares * math.sqrt(squares))
