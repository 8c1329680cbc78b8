"""Bootstrap intervals for items that come in clusters.

The items of one cluster are not independent, so a resample draws whole clusters with replacement and
keeps their items together. If the sample has sides and every cluster lies on one side, the draw is
made within each side, so that the two sides keep their numbers of clusters.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from biascheck.errors import BiascheckWarning, ScoreError, UsageError
from biascheck.stats.estimators import MEANS, Sample, estimate
from biascheck.stats.intervals import Interval
from biascheck.stats.percentiles import bca_tails, ends, rounding
from biascheck.stats.sums import PEARSON_MOMENTS, SUMS, Folded
from biascheck.stats.vectors import Vector, require_generator

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MINIMUM_CLUSTERS", "bootstrap_distribution", "cluster_bootstrap"]

MINIMUM_CLUSTERS = 5
MINIMUM_RESAMPLES = 100
LARGEST_UNDEFINED_SHARE = 0.2
_CELLS = 1_000_000  # numbers held at once
CORRELATIONS = ("spearman", "pearson")


def cluster_bootstrap(
    sample: Sample,
    statistic: str,
    *,
    rng: np.random.Generator,
    level: float = 0.95,
    resamples: int = 2_000,
    method: Literal["bca", "percentile"] = "bca",
) -> Interval:
    """Return a confidence interval for a named statistic by resampling clusters.

    ``bca`` corrects the percentile interval for bias and skewness with a jackknife over clusters
    (Efron 1987); where that is undefined the percentile interval is given and ``Interval.method``
    says so. If all resamples agree, the interval is the estimate alone. The order of the items does
    not matter, and negating all values mirrors the interval of a mean exactly.

    A resample that leaves the statistic undefined (a constant column has no correlation) is drawn
    again and counted in ``Interval.method``; more than 20 % of them raise ScoreError.

    Limits: with few clusters bootstrap intervals are too narrow; fewer than 5, or a side with one,
    raise ScoreError. A share of 0 or 1 shows no variation to resample. Beyond level 0.99 ask for more
    resamples: at least 20 / (1 − level). A strongly biased statistic, such as a standardised
    difference of few items, moves an end of BCa far into one tail, where few resamples lie and the
    end varies with the seed; there, too, more resamples steady it.
    """
    _require_level(level, resamples)
    if method not in ("bca", "percentile"):
        raise UsageError(f"unknown method {method!r}; choose 'bca' or 'percentile'")
    clusters = Clusters.of(sample)
    distribution, redrawn = _distribution(clusters, statistic, rng, resamples)
    centre = estimate(clusters.sample, statistic)
    note = f", {redrawn} undefined redrawn" if redrawn else ""
    label = f"{resamples} resamples{note}"
    if np.ptp(distribution) <= rounding(distribution):
        return Interval(centre, centre, level, f"cluster bootstrap, all resamples equal, {label}")
    tails = bca_tails(distribution, centre, jackknives(clusters, statistic), level) if method == "bca" else None
    name = "BCa" if tails else "percentile" if method == "percentile" else "percentile (BCa undefined)"
    low, high = ends(distribution, tails or ((1 - level) / 2, (1 - level) / 2))
    return Interval(low, high, level, f"cluster bootstrap, {name}, {label}")


def bootstrap_distribution(
    sample: Sample, statistic: str, *, rng: np.random.Generator, resamples: int = 2_000
) -> Vector:
    """Return the statistic of ``resamples`` cluster resamples, as ``cluster_bootstrap`` draws them."""
    return _distribution(Clusters.of(sample), statistic, rng, resamples)[0]


@dataclass(frozen=True, slots=True)
class Clusters:
    """A sample with its items in canonical order, so that cluster c is a run of ``sizes[c]`` items."""

    sample: Sample
    starts: NDArray[np.intp]
    sizes: NDArray[np.intp]
    strata: tuple[NDArray[np.intp], ...]

    @classmethod
    def of(cls, sample: Sample) -> Clusters:
        """Sort items by cluster name, then by content: the order they came in must not matter."""
        names, codes = np.unique(np.asarray(sample.clusters), return_inverse=True)
        sides = np.zeros(len(sample), dtype=bool) if sample.sides is None else np.asarray(sample.sides) == "B"
        covariate = np.zeros(len(sample)) if sample.covariate is None else sample.covariate
        order = np.lexsort((sample.values, covariate, sides, codes))
        sizes = np.bincount(codes)
        strata = _strata(np.bincount(codes[sides], minlength=sizes.size), sizes)
        _require_clusters(len(names), strata)
        return cls(sample.take(order), np.cumsum(sizes) - sizes, sizes, strata)

    def items(self, drawn: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the items of the drawn clusters, one cluster after the other."""
        sizes = self.sizes[drawn]
        shifts = self.starts[drawn] - (np.cumsum(sizes) - sizes)
        return np.repeat(shifts, sizes) + np.arange(sizes.sum())

    def draw(self, rng: np.random.Generator, rows: int) -> NDArray[np.intp]:
        """Draw ``rows`` resamples of clusters, within each stratum."""
        return np.concatenate([s[rng.integers(0, s.size, (rows, s.size))] for s in self.strata], axis=1)

    def sums(self, statistic: str) -> Vector:
        """Return per cluster the exact sum of the values a mean-like statistic averages."""
        values = MEANS[statistic](self.sample.values)
        runs = np.split(values, self.starts[1:])
        return np.array([math.fsum(run) for run in runs])


def _strata(on_b: NDArray[np.intp], sizes: NDArray[np.intp]) -> tuple[NDArray[np.intp], ...]:
    """Return the clusters to draw from: side A's and side B's, or all where a cluster has both."""
    if np.any((on_b > 0) & (on_b < sizes)):
        return (np.arange(sizes.size),)
    return tuple(side for side in (np.flatnonzero(on_b == 0), np.flatnonzero(on_b)) if side.size)


def _distribution(clusters: Clusters, statistic: str, rng: np.random.Generator, resamples: int) -> tuple[Vector, int]:
    require_generator(rng)
    if resamples < MINIMUM_RESAMPLES:
        raise UsageError(f"resamples={resamples} gives no interval; ask for at least {MINIMUM_RESAMPLES}, better 2_000")
    estimate(clusters.sample, statistic)  # what is undefined for the whole sample fails here, with its reason
    if statistic in MEANS:
        return _distribution_of_means(clusters, statistic, rng, resamples), 0
    if (folded := folded_of(clusters, statistic)) is not None:
        found = _distribution_of_sums(clusters, folded, rng, resamples)
        if not np.isnan(found).any():
            return found, 0
    if statistic in CORRELATIONS and np.all(clusters.sizes == 1):
        found = _distribution_of_correlations(clusters, statistic, rng, resamples)
        if not np.isnan(found).any():
            return found, 0
    return _distribution_by_items(clusters, statistic, rng, resamples)


def _distribution_of_means(clusters: Clusters, statistic: str, rng: np.random.Generator, resamples: int) -> Vector:
    sums, sizes = clusters.sums(statistic), clusters.sizes
    step = max(1, _CELLS // sizes.size)
    parts = []
    for start in range(0, resamples, step):
        drawn = clusters.draw(rng, min(step, resamples - start))
        parts.append(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1))
    return np.concatenate(parts)


def folded_of(clusters: Clusters, statistic: str) -> Folded | None:
    """How the statistic follows from sums of clusters, where it does."""
    if statistic == "pearson" and np.any(clusters.sizes > 1):
        return PEARSON_MOMENTS
    return SUMS.get(statistic)


def _distribution_of_sums(clusters: Clusters, folded: Folded, rng: np.random.Generator, resamples: int) -> Vector:
    sums = np.add.reduceat(folded.columns(clusters.sample), clusters.starts, axis=0)
    step = max(1, _CELLS // sums.size)
    parts = []
    for start in range(0, resamples, step):
        drawn = clusters.draw(rng, min(step, resamples - start))
        parts.append(folded.fold(sums[drawn].sum(axis=1)))
    return np.concatenate(parts)


def _distribution_of_correlations(
    clusters: Clusters, statistic: str, rng: np.random.Generator, resamples: int
) -> Vector:
    """Correlate all resamples at once, where every cluster is one item; constant ones are not a number."""
    from biascheck.stats.correlations import correlation_of_rows  # scipy only where it is needed

    sample = clusters.sample
    assert sample.covariate is not None
    step = max(1, _CELLS // clusters.sizes.size)
    parts = []
    for start in range(0, resamples, step):
        items = clusters.starts[clusters.draw(rng, min(step, resamples - start))]
        parts.append(correlation_of_rows(sample.values[items], sample.covariate[items], ranks=statistic == "spearman"))
    return np.concatenate(parts)


def _distribution_by_items(
    clusters: Clusters, statistic: str, rng: np.random.Generator, resamples: int
) -> tuple[Vector, int]:
    found: list[float] = []
    undefined = 0
    while len(found) < resamples:
        try:
            found.append(estimate(clusters.sample.take(clusters.items(clusters.draw(rng, 1)[0])), statistic))
        except ScoreError as error:
            undefined += 1
            if undefined > LARGEST_UNDEFINED_SHARE * resamples:
                raise ScoreError(
                    f"{statistic} is undefined in too many resamples "
                    f"({undefined} undefined, {len(found)} defined): {error}"
                ) from error
    return np.array(found), undefined


def jackknives(clusters: Clusters, statistic: str) -> list[Vector]:
    """Return per stratum the statistic without each of its clusters; empty where one is undefined."""
    if statistic in MEANS:
        sums, sizes = clusters.sums(statistic), clusters.sizes
        without = (sums.sum() - sums) / (sizes.sum() - sizes)
        return [without[stratum] for stratum in clusters.strata]
    if (folded := folded_of(clusters, statistic)) is not None:
        sums = np.add.reduceat(folded.columns(clusters.sample), clusters.starts, axis=0)
        without = folded.fold(sums.sum(axis=0) - sums)
        return [] if np.isnan(without).any() else [without[stratum] for stratum in clusters.strata]
    try:
        return [np.array([_without(clusters, c, statistic) for c in stratum]) for stratum in clusters.strata]
    except ScoreError:
        return []


def _without(clusters: Clusters, cluster: int, statistic: str) -> float:
    others = np.delete(np.arange(clusters.sizes.size), cluster)
    return estimate(clusters.sample.take(clusters.items(others)), statistic)


def _require_clusters(count: int, strata: tuple[NDArray[np.intp], ...]) -> None:
    if count < MINIMUM_CLUSTERS:
        raise ScoreError(
            f"{count} clusters; at least {MINIMUM_CLUSTERS} are needed for an interval: "
            "measure more of them, or report the estimate without one"
        )
    if min(stratum.size for stratum in strata) < 2:
        raise ScoreError("one side has a single cluster, which cannot vary; at least 2 on each side are needed")


def _require_level(level: float, resamples: int) -> None:
    if not 0 < level < 1:
        raise UsageError(f"level {level} is not between 0 and 1; 95 % is level=0.95")
    if (1 - level) / 2 * resamples < 1:
        warnings.warn(
            f"an interval of level {level:g} rests on less than one of {resamples} resamples in each tail; "
            f"ask for resamples={math.ceil(20 / (1 - level))} or more",
            BiascheckWarning,
            stacklevel=3,
        )
