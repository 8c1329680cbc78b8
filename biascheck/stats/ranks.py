"""Wilcoxon's signed-rank test, with the statistic the papers print and a direction in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy import special

from biascheck.errors import ScoreError
from biascheck.stats.effects import rosenthal_r
from biascheck.stats.vectors import as_vector, mid_ranks

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["SignedRank", "signed_rank_from_v", "wilcoxon_signed_rank"]

MOST_EXACT = 25
"""Up to so many pairs without ties p is exact."""


@dataclass(frozen=True, slots=True)
class SignedRank:
    """A signed-rank test of paired differences.

    ``v`` positive-rank sum W⁺ · ``z`` its standardised value, positive when positive differences
    prevail · ``p`` two-sided · ``r = |z| / sqrt(2 · n_pairs)`` · ``n_pairs`` all pairs, ``n_nonzero``
    those that differ · ``direction`` of the prevailing differences.
    """

    v: float
    z: float
    p: float
    r: float
    n_pairs: int
    n_nonzero: int
    direction: Literal["positive", "negative", "none"]


def wilcoxon_signed_rank(differences: ArrayLike, *, continuity: bool = False) -> SignedRank:
    """Test whether paired differences are symmetric about zero (Wilcoxon 1945).

    Zeros are dropped, the magnitudes of the others ranked (mid-ranks for ties), and V is the sum of
    the ranks of positive differences, as R and the papers report it. scipy's two-sided statistic is
    min(W⁺, W⁻): it forgets the direction and disagrees with a published V in half of all cases.

    ``z = (V − n(n+1)/4) / sd`` with ``sd² = n(n+1)(2n+1)/24 − Σ(t³ − t)/48`` over tie groups of size
    t; ``continuity`` moves V by ½ towards its mean. r counts the zero pairs too. If every difference
    is zero, there is no direction: z = 0, p = 1.

    Up to 25 non-zero pairs without ties p is exact: twice the share of the 2ⁿ patterns of signs whose V
    is at least as far out, at most 1. Otherwise it is that of z.

    Limits: with ties the normal approximation is rough below about 20 non-zero pairs (``permute_signs``
    is exact there); the pairs are taken as independent, which items of one cluster are not.
    """
    values = as_vector(differences, "differences")
    nonzero = values[values != 0]
    ranks = mid_ranks(np.abs(nonzero))
    counts = np.unique(ranks, return_counts=True)[1].astype(np.float64)
    v = float(ranks[nonzero > 0].sum())
    return _signed_rank(v, int(nonzero.size), int(values.size), float((counts**3 - counts).sum()), continuity)


def signed_rank_from_v(v: float, n: int, *, continuity: bool = False) -> SignedRank:
    """Rebuild the test from a published V over ``n`` pairs without ties or zeros; p is exact for up to 25."""
    if n < 1:
        raise ScoreError(f"{n} pairs support no test; at least 1 is needed")
    if not 0 <= v <= n * (n + 1) / 2:
        raise ScoreError(f"V = {v} is impossible with {n} pairs; it lies between 0 and {n * (n + 1) // 2}")
    return _signed_rank(float(v), n, n, 0.0, continuity)


def _signed_rank(v: float, n_nonzero: int, n_pairs: int, ties: float, continuity: bool) -> SignedRank:
    n = n_nonzero
    excess = v - n * (n + 1) / 4
    direction: Literal["positive", "negative", "none"] = (
        "positive" if excess > 0 else "negative" if excess < 0 else "none"
    )
    if continuity:
        excess = math.copysign(max(0.0, abs(excess) - 0.5), excess)
    spread = math.sqrt(n * (n + 1) * (2 * n + 1) / 24 - ties / 48)
    z = excess / spread if excess else 0.0
    # The lower tail keeps its digits down to 1e-300; 1 − Φ(|z|) would be 0 from z = 8.3 on.
    p = _exact_p(v, n) if n <= MOST_EXACT and not ties and v == int(v) else 2 * float(special.ndtr(-abs(z)))
    return SignedRank(v, z, min(1.0, p), rosenthal_r(z, n_pairs), n_pairs, n_nonzero, direction)


def _exact_p(v: float, n: int) -> float:
    patterns = _patterns(n)
    smaller = min(int(v), len(patterns) - 1 - int(v))
    return 2 * sum(patterns[: smaller + 1]) / float(2**n)


@cache
def _patterns(n: int) -> tuple[int, ...]:
    """How many of the 2ⁿ patterns of signs have each V from 0 to n(n + 1) / 2: subsets of the ranks with that sum."""
    counts = [1]
    for rank in range(1, n + 1):
        longer = [*counts, *[0] * rank]
        counts = [longer[v] + (counts[v - rank] if v >= rank else 0) for v in range(len(longer))]
    return tuple(counts)
