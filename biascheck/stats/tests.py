"""Tests: permutations, Wilcoxon's signed ranks, corrections for families, power, and the agreement of raters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from itertools import combinations, islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy import special

from biascheck.core.errors import ScoreError, UsageError
from biascheck.stats.sides import rosenthal_r
from biascheck.stats.vectors import Vector, as_vector, mid_ranks, require_generator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import ArrayLike

    from biascheck.stats.verdicts import Interval


# Permutation tests: how often chance alone gives a difference at least this large.
#
# Two-sided on means. Small cases are enumerated completely, larger ones sampled from a seeded generator; every
# draw is a rearrangement of the data, never a draw with replacement.

_CELLS = 1_000_000  # numbers in memory at once


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """The observed statistic, its two-sided p, and the number of rearrangements evaluated.

    ``exact``: all rearrangements were enumerated, the observed one among them.
    """

    statistic: float
    p: float
    permutations: int
    exact: bool


def permute_two_samples(
    a: ArrayLike,
    b: ArrayLike,
    *,
    rng: np.random.Generator,
    permutations: int = 9_999,
    exact_limit: int = 50_000,
    plus_one: bool = True,
) -> PermutationTest:
    """Test whether two samples are exchangeable, by the difference of their means.

    ``statistic = mean(a) − mean(b)``; p is the share of partitions of a ∪ b into the same sizes whose
    difference is at least as large in magnitude. Up to ``exact_limit`` partitions: enumerated, the
    observed one included, so p > 0. Beyond: ``permutations`` random partitions and
    ``(k + 1) / (n + 1)`` (Phipson & Smyth 2010); ``plus_one=False`` gives ``k / n`` as Kurita et al.
    2019 did, which can be 0.
    """
    first, second = as_vector(a, "values of the first sample"), as_vector(b, "values of the second sample")
    _require(rng, permutations)
    pooled = np.concatenate([first, second])
    # For centred values the sum of one group gives the difference; the smaller group is cheaper to sum.
    centred, size = pooled - pooled.mean(), min(first.size, second.size)
    observed = centred[: first.size].sum()
    exact = float(special.comb(pooled.size, size)) <= exact_limit
    chosen = _all_subsets(pooled.size, size) if exact else _random_subsets(pooled.size, size, permutations, rng)
    sums = np.concatenate([centred[rows].sum(axis=1) for rows in chosen])
    statistic = float(first.mean() - second.mean())
    return _result(statistic, sums, float(observed), pooled, exact, plus_one)


def permute_signs(
    differences: ArrayLike,
    *,
    rng: np.random.Generator,
    permutations: int = 9_999,
    exact_limit: int = 50_000,
    plus_one: bool = True,
) -> PermutationTest:
    """Test whether paired differences are symmetric about zero, by their mean.

    ``statistic = mean(differences)``; each rearrangement flips the sign of every difference or not.
    All 2ⁿ are enumerated up to ``exact_limit``, else sampled; p as in ``permute_two_samples``.
    """
    values = as_vector(differences, "differences")
    _require(rng, permutations)
    exact = values.size < 63 and 2**values.size <= exact_limit
    chosen = _all_signs(values.size) if exact else _random_signs(values.size, permutations, rng)
    sums = np.concatenate([np.where(flips, -values, values).sum(axis=1) for flips in chosen])
    return _result(float(values.mean()), sums, float(values.sum()), values, exact, plus_one)


def _result(
    statistic: float, sums: Vector, observed: float, values: Vector, exact: bool, plus_one: bool
) -> PermutationTest:
    # Equal sums taken in another order differ in their last digits; they still count as ties.
    tolerance = 8 * np.finfo(np.float64).eps * values.size * float(np.abs(values).max())
    extreme = int(np.count_nonzero(np.abs(sums) >= abs(observed) - tolerance))
    extra = int(plus_one and not exact)
    return PermutationTest(statistic, (extreme + extra) / (sums.size + extra), int(sums.size), exact)


def _require(rng: np.random.Generator, permutations: int) -> None:
    require_generator(rng)
    if permutations < 1:
        raise UsageError(f"permutations={permutations} draws nothing; use at least 1, better 9_999")


def _chunks(total: int, width: int) -> Iterator[int]:
    """Cut ``total`` rows of ``width`` cells into pieces that fit in memory."""
    step = max(1, _CELLS // width)
    for start in range(0, total, step):
        yield min(step, total - start)


def _all_subsets(n: int, size: int) -> Iterator[np.ndarray]:
    subsets = combinations(range(n), size)
    for rows in _chunks(math.comb(n, size), size):
        yield np.array(list(islice(subsets, rows)), dtype=np.intp)


def _random_subsets(n: int, size: int, count: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    for rows in _chunks(count, n):
        # The places of the smallest of n random numbers are a random subset, without replacement.
        yield np.argpartition(rng.random((rows, n)), size - 1, axis=1)[:, :size]


def _all_signs(n: int) -> Iterator[np.ndarray]:
    start = 0
    for rows in _chunks(2**n, n):
        codes = np.arange(start, start + rows)[:, None]
        start += rows
        yield (codes >> np.arange(n)) & 1 == 1


def _random_signs(n: int, count: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    for rows in _chunks(count, n):
        yield rng.random((rows, n)) < 0.5


# Wilcoxon's signed-rank test, with the statistic that papers print and the direction in words.

MOST_EXACT = 25
"""The largest number of pairs without ties for which p is exact."""


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
    min(W⁺, W⁻): it loses the direction and disagrees with a published V in half of all cases.

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


# Adjusted p-values for a family of tests: compare each with α itself.


def bonferroni(p: ArrayLike) -> Vector:
    """Control the chance of any false alarm: ``min(1, m · p)``. Holm is never less powerful."""
    values = _probabilities(p)
    return np.minimum(1.0, values * values.size)


def holm(p: ArrayLike) -> Vector:
    """Control the chance of any false alarm, under any dependence, by stepping down (Holm 1979).

    The i-th smallest p (i = 1 … m) becomes ``max over j ≤ i of min(1, (m − j + 1) · p_(j))``.
    """
    values = _probabilities(p)
    order = np.argsort(values, kind="stable")
    weights = np.arange(values.size, 0, -1)
    return _unsort(np.minimum(1.0, np.maximum.accumulate(values[order] * weights)), order)


def benjamini_hochberg(p: ArrayLike) -> Vector:
    """Control the expected share of false alarms among the alarms (Benjamini & Hochberg 1995).

    The i-th smallest p becomes ``min over j ≥ i of min(1, m / j · p_(j))``. Supposes tests that are
    independent or positively dependent; it does not bound the chance of a single false alarm.
    """
    values = _probabilities(p)
    order = np.argsort(values, kind="stable")
    scaled = values[order] * values.size / np.arange(1, values.size + 1)
    return _unsort(np.minimum(1.0, np.minimum.accumulate(scaled[::-1])[::-1]), order)


def adjust(p: ArrayLike, method: str = "holm") -> Vector:
    """Adjust ``p`` by the named method: holm, bonferroni, benjamini_hochberg or none."""
    if method not in _METHODS:
        raise UsageError(f"unknown correction {method!r}; choose one of {', '.join(sorted(_METHODS))}")
    return _METHODS[method](p)


def _probabilities(p: ArrayLike) -> Vector:
    values = as_vector(p, "p-values")
    outside = values[(values < 0) | (values > 1)]
    if outside.size:
        raise ScoreError(f"{outside[0]:g} is not a probability; p-values lie between 0 and 1")
    return values


def _unsort(adjusted: Vector, order: np.ndarray[tuple[int, ...], np.dtype[np.intp]]) -> Vector:
    result = np.empty_like(adjusted)
    result[order] = adjusted
    return result


_METHODS: Mapping[str, Callable[[ArrayLike], Vector]] = MappingProxyType(
    {
        "benjamini_hochberg": benjamini_hochberg,
        "bonferroni": bonferroni,
        "holm": holm,
        "none": lambda p: _probabilities(p).copy(),
    }
)


# The smallest effect that a sample of this size can detect.


def minimum_detectable_effect(standard_error: float, *, level: float = 0.95, power: float = 0.8) -> float:
    """Return the smallest true effect a two-sided test would find with probability ``power``.

    ``(z_{1−α/2} + z_power) · se`` with α = 1 − level: the normal approximation, which leaves out the
    negligible chance of a finding in the wrong direction. A standard error of 0 comes from a sample
    without variation, not from perfect knowledge, and raises ScoreError.
    """
    _require_share(level, "level")
    _require_share(power, "power")
    _require_standard_error(standard_error)
    return (_critical(level) + float(special.ndtri(power))) * standard_error


def power_at(effect: float, standard_error: float, level: float = 0.95) -> float:
    """Return the probability that a two-sided test finds a true effect of this size.

    ``Φ(|effect|/se − z) + Φ(−|effect|/se − z)`` with z = z_{1−α/2}; at effect 0 it is α.
    """
    _require_share(level, "level")
    _require_standard_error(standard_error)
    if not math.isfinite(effect):
        raise ScoreError(f"effect is {effect}; give a finite effect size")
    shift, critical = abs(effect) / standard_error, _critical(level)
    return float(special.ndtr(shift - critical) + special.ndtr(-shift - critical))


def standard_error_of(interval: Interval) -> float:
    """Recover a standard error from an interval: ``(high − low) / (2 · z_{1−α/2})``.

    Exact for a normal interval; for a bootstrap interval an approximation, which averages an
    asymmetric interval's two arms.
    """
    return (interval.high - interval.low) / (2 * _critical(interval.level))


def _critical(level: float) -> float:
    return -float(special.ndtri((1 - level) / 2))


def _require_share(value: float, name: str) -> None:
    if not 0 < value < 1:
        raise UsageError(f"{name} {value} is not between 0 and 1; 95 % is {name}=0.95")


def _require_standard_error(value: float) -> None:
    if not (math.isfinite(value) and value > 0):
        raise ScoreError(f"standard error {value} supports no power statement; it must be finite and above 0")


# Agreement of several raters beyond chance.


def fleiss_kappa(counts: ArrayLike) -> float:
    """Return Fleiss' κ of a table with one row for each subject and one column for each category.

    A cell is the number of raters who put the subject into the category; every row sums to the same n ≥ 2.
    With P_i = (Σ_j n_ij² − n) / (n (n − 1)) the agreement on subject i, P̄ its mean, and P̄_e = Σ_j p_j² what
    the shares p_j of the categories give by chance, ``κ = (P̄ − P̄_e) / (1 − P̄_e)``: 1 for full agreement, 0
    for chance, negative below it (Fleiss 1971).

    Limits: undefined (ScoreError) where all votes fall into one category; raters need not be the same
    people for every subject, so κ says nothing about any one of them.
    """
    table = np.asarray(counts, dtype=float)
    if table.ndim != 2 or not table.size or not np.all(np.isfinite(table)) or np.any(table < 0):
        raise ScoreError("agreement needs a table of counts, one row for each subject and one column for each category")
    raters = table[0].sum()
    if raters < 2 or not np.all(table.sum(axis=1) == raters):
        raise ScoreError("every subject needs votes of the same number of raters, at least 2; leave the others out")
    observed = float(np.mean((np.sum(table**2, axis=1) - raters) / (raters * (raters - 1))))
    expected = float(np.sum((table.sum(axis=0) / table.sum()) ** 2))
    if expected == 1:
        raise ScoreError("all votes fall into one category; agreement beyond chance is undefined")
    return (observed - expected) / (1 - expected)
