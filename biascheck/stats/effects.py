"""How large a difference is, on a scale that does not grow with the number of items."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from biascheck.errors import ScoreError
from biascheck.stats.vectors import as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["rank_biserial", "rosenthal_r", "standardised_difference"]


def standardised_difference(a: ArrayLike, b: ArrayLike) -> float:
    """Measure how far apart two samples are, in standard deviations of both taken together.

    ``d = (mean(a) − mean(b)) / std(a ∪ b, ddof=1)``; positive when ``a`` is larger.
    Source: the effect size of WEAT (Caliskan et al. 2017), used by Kurita et al. 2019.

    Limits: the denominator holds the difference itself, so this is not Cohen's d. It is bounded:
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


def rosenthal_r(z: float, n_pairs: int) -> float:
    """Measure a paired effect from its z: ``r = |z| / sqrt(2 · n_pairs)``.

    Every pair contributes two observations, hence the 2 (Rosenthal 1991; the six figures of Bartl et
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
