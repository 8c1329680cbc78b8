"""Extremes of a statistic on data of a given shape: whether any data could exceed a limit, or meet it.

Only statistics with a bounded scale have extremes: shares, effect sizes, correlations, figures made of F1. The mean of
unbounded scores has none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from biascheck.stats import Sample
from biascheck.stats.vectors import Vector

Extreme = Callable[[Sample, str], "Sample | None"]
"""Makes a sample of the same shape at one end of the scale of a statistic."""

SHARES = ("share_positive", "cluster_mean")
EVEN = 0.5
APART = 1e3
"""Beyond this many deviations between two sides, an effect size hardly grows."""


def most_biased(sample: Sample, statistic: str) -> Sample | None:
    """A sample of the same shape with the largest figure that the statistic has; None where there is no largest."""
    made = _MOST_BIASED.get(statistic)
    return None if made is None else replace(sample, values=made(sample), draws=None)


def unbiased(sample: Sample, statistic: str) -> Sample | None:
    """A sample of the same shape at parity; None where the shape alone does not give one."""
    made = _UNBIASED.get(statistic)
    return None if made is None else replace(sample, values=made(sample), draws=None)


def applies(statistic: str, parity: float) -> bool:
    """Whether the extremes below apply: those of a share are for a parity of one half, not for an accuracy."""
    return statistic not in SHARES or parity == EVEN


def repeated(sample: Sample, times: int) -> Sample:
    """A sample with a multiple of the clusters."""
    names = tuple(f"{copy}·{name}" for copy in range(times) for name in sample.clusters)
    return Sample(
        np.tile(sample.values, times),
        names,
        None if sample.sides is None else sample.sides * times,
        None if sample.covariate is None else np.tile(sample.covariate, times),
    )


def _always_first(sample: Sample) -> Vector:
    return np.ones(len(sample))


def _as_expected(sample: Sample) -> Vector:
    return np.where(_on_a(sample), 1.0, -1.0)


def _far_apart(sample: Sample) -> Vector:
    return APART * _on_a(sample) + _alternating_within_sides(sample)


def _in_step(sample: Sample) -> Vector:
    return np.zeros(len(sample)) if sample.covariate is None else sample.covariate


def _out_of_step(sample: Sample) -> Vector:
    """+1 and −1 in turn along the covariate."""
    values = np.ones(len(sample))
    values[np.argsort(_in_step(sample), kind="stable")[::2]] = -1.0
    return values


def _alternating_by_cluster(sample: Sample) -> Vector:
    names = {name: place for place, name in enumerate(dict.fromkeys(sample.clusters))}
    return np.array([1.0 if names[name] % 2 else -1.0 for name in sample.clusters])


def _half_of_each_cluster(sample: Sample) -> Vector:
    """1 and 0 in turn within each cluster; clusters begin with either in turn, so that odd ones even out."""
    seen: dict[str, int] = {}
    values = np.zeros(len(sample))
    for place, name in enumerate(sample.clusters):
        number = seen.setdefault(name, len(seen) % 2)
        values[place] = number % 2
        seen[name] = number + 1
    return values


def _balanced_within_clusters(sample: Sample) -> Vector:
    return 2 * _half_of_each_cluster(sample) - 1


def _both_alike_on_each_side(sample: Sample) -> Vector:
    """+1 and −1 in turn over the clusters of each side; a cluster with items on both counts for its first."""
    sides: dict[str, str] = {}
    for name, side in zip(sample.clusters, sample.sides or ("A",) * len(sample), strict=True):
        sides.setdefault(name, side)
    places = {name: place for one in ("A", "B") for place, name in enumerate(n for n in sides if sides[n] == one)}
    return np.array([1.0 if places.get(name, 0) % 2 else -1.0 for name in sample.clusters])


def _alternating_within_sides(sample: Sample) -> Vector:
    """+1 and −1 in turn on each side; with an odd number of items the last one is 0."""
    values = np.zeros(len(sample))
    on_a = _on_a(sample)
    for side in (np.flatnonzero(on_a), np.flatnonzero(~on_a)):
        even = side[: side.size - side.size % 2]
        values[even[0::2]], values[even[1::2]] = 1.0, -1.0
    return values


def _on_a(sample: Sample) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.array([side == "A" for side in sample.sides or ("A",) * len(sample)])


_MOST_BIASED: dict[str, Callable[[Sample], Vector]] = {
    "balance": _always_first,
    "cluster_mean": _always_first,
    "net_share": _always_first,
    "share_positive": _always_first,
    "standardised_difference": _far_apart,
    "pearson": _in_step,
    "spearman": _in_step,
    "skew": _always_first,
    "stereotype": _as_expected,
}
_UNBIASED: dict[str, Callable[[Sample], Vector]] = {
    "balance": _balanced_within_clusters,
    "cluster_mean": _half_of_each_cluster,
    "share_positive": _alternating_by_cluster,
    "standardised_difference": _alternating_within_sides,
    "pearson": _out_of_step,
    "spearman": _out_of_step,
    "skew": _both_alike_on_each_side,
    "stereotype": _both_alike_on_each_side,
}
