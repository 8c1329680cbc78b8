"""Permutation tests: how often chance alone gives a difference at least this large.

Two-sided on means. Small cases are enumerated completely, larger ones sampled from a seeded
generator; every draw is a rearrangement of the data, never a draw with replacement.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations, islice
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from biascheck.errors import UsageError
from biascheck.stats.vectors import Vector, as_vector, require_generator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike

__all__ = ["PermutationTest", "permute_signs", "permute_two_samples"]

_CELLS = 1_000_000  # numbers held at once


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """The observed statistic, its two-sided p, and the number of rearrangements looked at.

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
    # Of the centred values one group's sum tells the difference; the smaller group is cheaper to sum.
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
    # Equal sums taken in another order differ in their last digits; they are ties all the same.
    tolerance = 8 * np.finfo(np.float64).eps * values.size * float(np.abs(values).max())
    extreme = int(np.count_nonzero(np.abs(sums) >= abs(observed) - tolerance))
    extra = int(plus_one and not exact)
    return PermutationTest(statistic, (extreme + extra) / (sums.size + extra), int(sums.size), exact)


def _require(rng: np.random.Generator, permutations: int) -> None:
    require_generator(rng)
    if permutations < 1:
        raise UsageError(f"permutations={permutations} draws nothing; ask for at least 1, better 9_999")


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
