"""Two sides compared: standardised differences, rank effects, and the F1 scores of a two-sided score."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from biascheck.core.errors import ScoreError, UsageError
from biascheck.stats.vectors import Vector, as_vector
from biascheck.stats.verdicts import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray


# The size of a difference, on a scale that does not grow with the number of items.

EFFECT_ROUNDING = 1e-9
CERTAIN = 10.0
"""Standard deviations beyond which values are negligible."""
NODES = 200


def standardised_difference(a: ArrayLike, b: ArrayLike) -> float:
    """Measure how far apart two samples are, in standard deviations of both taken together.

    ``d = (mean(a) − mean(b)) / std(a ∪ b, ddof=1)``; positive when ``a`` is larger.
    Source: the effect size of WEAT (Caliskan et al. 2017), used by Kurita et al. 2019.

    Limits: the denominator contains the difference itself, so this is not Cohen's d. It is bounded:
    with equal sizes n it cannot exceed ``2·sqrt((2n − 1) / 2n)`` in magnitude. When all values are
    equal the effect is 0.
    """
    first, second = as_vector(a, "values of the first sample"), as_vector(b, "values of the second sample")
    pooled = np.concatenate([first, second])
    if np.ptp(pooled) == 0:
        return 0.0
    spread = float(np.std(pooled, ddof=1))
    if spread == 0:
        raise ScoreError("values differ by too little for a standard deviation; rescale the scores")
    return (float(np.mean(first)) - float(np.mean(second))) / spread


def standardised_difference_interval(d: float, n_a: int, n_b: int, *, level: float = 0.95) -> Interval:
    """Return the interval of a standardised difference of two normal samples, from the noncentral t distribution.

    With N = n_a + n_b, d belongs to ``t = d / √((N − 1 − d² n_a n_b / N) / (N − 2) · (1 / n_a + 1 / n_b))``. The ends
    are the differences for which this t lies at either tail (Steiger & Fouladi 1997).

    Limits: exact for normal scores of equal spread. Skewed scores or heavy tails make it miss more often than it
    states, though with eight words per side less often than a bootstrap does.
    """
    n = n_a + n_b
    within = n - 1 - d * d * n_a * n_b / n
    if min(n_a, n_b) < 2 or within <= EFFECT_ROUNDING:
        raise ScoreError(f"d = {d:g} of {n_a} and {n_b} values has no interval: nothing varies within the sides")
    t = d / math.sqrt(within / (n - 2) * (1 / n_a + 1 / n_b))
    tail = (1 - level) / 2
    # Both ends come from the same tail, so that the interval of −d is exactly the mirrored one.
    high, low = (sign * _from_noncentrality(_noncentrality(sign * t, n - 2, tail), n_a, n_b) for sign in (1, -1))
    # The effect of a sample is bounded more tightly than that of its population, so both ends may lie beyond the scale.
    return Interval(min(low, d), max(high, d), level, "noncentral t")


def rosenthal_r(z: float, n_pairs: int) -> float:
    """Measure a paired effect from its z: ``r = |z| / sqrt(2 · n_pairs)``.

    Every pair contributes two observations, hence the 2 (Rosenthal 1991; the six values of Bartl et
    al. 2020 follow only with it). There is no sign: the direction is stated separately.
    Limit: its maximum is below 1 (about 0.61 for many pairs), so it must not be read as a correlation.
    """
    if n_pairs < 1:
        raise ScoreError(f"{n_pairs} pairs support no effect size; at least 1 is needed")
    if not math.isfinite(z):
        raise ScoreError(f"z is {z}; an effect size needs a finite z")
    return abs(z) / math.sqrt(2 * n_pairs)


def rank_biserial(v: float, n_nonzero: int) -> float:
    """Measure the balance of signed ranks: favourable minus unfavourable share of the rank sum.

    ``(W⁺ − W⁻) / (W⁺ + W⁻) = 4V / (n(n + 1)) − 1``, from −1 (all differences negative) to +1
    (all positive). ``v`` is the positive-rank sum W⁺ (Kerby 2014).
    """
    if n_nonzero < 1:
        raise ScoreError(f"{n_nonzero} non-zero differences support no effect size; at least 1 is needed")
    total = n_nonzero * (n_nonzero + 1) / 2
    if not 0 <= v <= total:
        raise ScoreError(f"V = {v} is impossible with {n_nonzero} differences; it lies between 0 and {total:g}")
    return 2 * v / total - 1


def _noncentrality(t: float, freedom: int, tail: float) -> float:
    """The noncentrality δ with which a t as small as this has the probability ``tail``.

    P(T ≤ t) is the mean of Φ(t · s − δ) over s = √(χ² / f), found by quadrature: scipy's own function is not a number
    in places.
    """
    from scipy.optimize import brentq
    from scipy.special import ndtr

    scales, weights = _spreads(freedom)
    lowest, highest = sorted((t * scales[0], t * scales[-1]))
    return float(
        brentq(
            lambda shift: float(weights @ ndtr(t * scales - shift)) - tail,
            lowest - CERTAIN,
            highest + CERTAIN,
            xtol=1e-12,
        )
    )


@lru_cache
def _spreads(freedom: int) -> tuple[Vector, Vector]:
    """Gauss–Legendre nodes and weights of √(χ² / f), where all but a trillionth of it lies."""
    from scipy.special import chdtri, gammaln

    low, high = (math.sqrt(chdtri(freedom, tail) / freedom) for tail in (1 - 1e-12, 1e-12))
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    scales = (high - low) / 2 * nodes + (high + low) / 2
    squares = freedom * scales**2
    logs = (freedom / 2 - 1) * np.log(squares / 2) - squares / 2 - gammaln(freedom / 2) + np.log(freedom * scales)
    return scales, (high - low) / 2 * weights * np.exp(logs)


def _from_noncentrality(shift: float, n_a: int, n_b: int) -> float:
    """The difference in deviations of both sides together, from its noncentrality."""
    n = n_a + n_b
    apart = shift * math.sqrt(n / (n_a * n_b))
    return apart / math.sqrt(1 + apart * apart * n_a * n_b / (n * n))


# How well a two-sided score separates two sides, and whether it leans to one of them.
#
# A score above 0 predicts side A, one below 0 side B; an exact 0 counts one half for each. The sides of the items are
# read twice: as *given*, and *reversed*, with every item on the other side. The difference between the two readings
# is what the score knows of the sides; what it gives one side more than the other in both readings is its own leaning.


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
    """Compute the four F1 scores; ScoreError for a side with neither an item nor a prediction."""
    scores = f1_of_counts(side_counts(values, sides).sum(axis=0))
    if np.isnan(scores).any():
        raise ScoreError("a side without items and without predictions has no F1; give items on both sides")
    return SideF1(*map(float, scores))


def side_counts(values: Vector, sides: Sequence[str] | None) -> NDArray[np.float64]:
    """Return four columns that add up over items: A as A, A as B, B as A, B as B (the side, the prediction)."""
    if sides is None:
        raise UsageError("F1 scores compare predictions with sides; give the sample sides of 'A' and 'B'")
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
