"""Samples whose items come in clusters: which clusters a resample draws, and a statistic of many resamples at once.

The items of one cluster are not independent, so a resample draws whole clusters with replacement and
keeps their items together. If the sample has sides and every cluster lies on one side, the draw is
made within each side, so that the two sides keep their numbers of clusters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from biascheck.errors import ScoreError, UsageError
from biascheck.stats.estimators import MEANS, Sample, estimate
from biascheck.stats.intervals.percentiles import rounding
from biascheck.stats.sums import PEARSON_MOMENTS, SUMS, Folded
from biascheck.stats.vectors import Vector, require_generator

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MINIMUM_CLUSTERS", "Clusters", "estimates_of", "jackknives", "resampled"]

MINIMUM_CLUSTERS = 5
MINIMUM_RESAMPLES = 100
LARGEST_UNDEFINED_SHARE = 0.2
CORRELATIONS = ("spearman", "pearson")
_NUMBERS = 1_000_000  # held at once
_COLUMNS = 8  # at most, of the sums of a cluster


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
        sides = np.zeros(len(sample), dtype=bool) if sample.sides is None else np.asarray(sample.sides) == "B"
        covariate = [] if sample.covariate is None else [sample.covariate]
        order = np.lexsort((sample.values, *covariate, sides, sample.codes))
        sizes = np.bincount(sample.codes)
        strata = _strata(np.bincount(sample.codes[sides], minlength=sizes.size), sizes)
        _require_clusters(sizes.size, strata)
        return cls(sample.take(order), np.cumsum(sizes) - sizes, sizes, strata)

    @property
    def freedom(self) -> int:
        """The degrees of freedom of the spread of clusters: one is lost to the mean of each stratum."""
        return self.sizes.size - len(self.strata)

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


def resampled(
    samples: Sequence[Clusters], statistic: str, rng: np.random.Generator, resamples: int
) -> tuple[NDArray[np.float64], int]:
    """Return the statistic of every resample, one row a sample, and how many resamples were drawn again.

    All samples lose and repeat the same clusters. A resample that leaves the statistic of one of them undefined is
    drawn again; more than 20 % of them raise ScoreError.
    """
    require_generator(rng)
    if resamples < MINIMUM_RESAMPLES:
        raise UsageError(f"resamples={resamples} gives no interval; ask for at least {MINIMUM_RESAMPLES}, better 2_000")
    for clusters in samples:
        estimate(clusters.sample, statistic)  # what is undefined for the whole sample fails here, with its reason
    compute = [estimates_of(clusters, statistic) for clusters in samples]
    rows = max(1, _NUMBERS // (_COLUMNS * samples[0].sizes.size))
    parts: list[NDArray[np.float64]] = []
    defined = undefined = 0
    while defined < resamples:
        drawn = samples[0].draw(rng, min(rows, resamples - defined))
        estimates = np.stack([one_estimate(drawn) for one_estimate in compute])
        missing = np.isnan(estimates).any(axis=0)
        undefined += int(missing.sum())
        if undefined > LARGEST_UNDEFINED_SHARE * resamples:
            reason = _reason(samples, statistic, drawn[missing][0])
            raise ScoreError(
                f"{statistic} is undefined in too many resamples ({undefined} undefined, {defined} defined): {reason}"
            )
        parts.append(estimates[:, ~missing])
        defined += parts[-1].shape[1]
    return np.concatenate(parts, axis=1), undefined


def estimates_of(clusters: Clusters, statistic: str) -> Callable[[NDArray[np.intp]], Vector]:
    """Return what computes the statistic of every resample; not a number where it is undefined.

    What all resamples share, such as the sums of clusters, is computed here and once.
    """
    sizes, sample = clusters.sizes, clusters.sample
    if statistic in MEANS:
        sums = clusters.sums(statistic)
        return lambda drawn: np.asarray(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1))
    if (folded := _folded(clusters, statistic)) is not None:
        columns, fold = _sums_of(clusters, folded), folded.fold
        return lambda drawn: fold(columns[drawn].sum(axis=1))
    if np.all(sizes == 1) and statistic in CORRELATIONS and (covariate := sample.covariate) is not None:
        from biascheck.stats.correlations import correlation_of_rows  # scipy only where it is needed

        def correlations(drawn: NDArray[np.intp]) -> Vector:
            items = clusters.starts[drawn]
            return correlation_of_rows(sample.values[items], covariate[items], ranks=statistic == "spearman")

        return correlations
    if statistic == "standardised_difference" and sample.sides is not None:
        return _differences(clusters)
    return lambda drawn: np.array([_estimate(clusters, statistic, row) for row in drawn])


def _sums_of(clusters: Clusters, folded: Folded) -> NDArray[np.float64]:
    return np.add.reduceat(folded.columns(clusters.sample), clusters.starts, axis=0)


def _folded(clusters: Clusters, statistic: str) -> Folded | None:
    """How the statistic follows from sums of clusters, where it does."""
    if statistic == "pearson" and np.any(clusters.sizes > 1):
        return PEARSON_MOMENTS
    return SUMS.get(statistic)


def jackknives(clusters: Clusters, statistic: str) -> list[Vector]:
    """Return per stratum the statistic without each of its clusters; empty where one is undefined."""
    if statistic in MEANS:
        sums, sizes = clusters.sums(statistic), clusters.sizes
        without = (sums.sum() - sums) / (sizes.sum() - sizes)
        return [without[stratum] for stratum in clusters.strata]
    if (folded := _folded(clusters, statistic)) is not None:
        sums = _sums_of(clusters, folded)
        without = folded.fold(sums.sum(axis=0) - sums)
        return [] if np.isnan(without).any() else [without[stratum] for stratum in clusters.strata]
    try:
        return [np.array([_without(clusters, c, statistic) for c in stratum]) for stratum in clusters.strata]
    except ScoreError:
        return []


def _without(clusters: Clusters, cluster: int, statistic: str) -> float:
    others = np.delete(np.arange(clusters.sizes.size), cluster)
    return estimate(clusters.sample.take(clusters.items(others)), statistic)


def _reason(samples: Sequence[Clusters], statistic: str, drawn: NDArray[np.intp]) -> str:
    """Why the statistic of a resample is undefined."""
    for clusters in samples:
        try:
            estimate(clusters.sample.take(clusters.items(drawn)), statistic)
        except ScoreError as error:
            return str(error)
    return "no figure"


def _differences(clusters: Clusters) -> Callable[[NDArray[np.intp]], Vector]:
    """Standardised differences of all resamples at once, from sums that add up over clusters."""
    values = clusters.sample.values - clusters.sample.values.mean()  # squares of centred values lose no digits
    on_a = np.array([side == "A" for side in clusters.sample.sides or ()], dtype=float)
    columns = np.stack([on_a, 1 - on_a, values * on_a, values * (1 - on_a), values**2], axis=1)
    sums = np.add.reduceat(columns, clusters.starts, axis=0)
    equal = rounding(clusters.sample.values) ** 2

    def differences(drawn: NDArray[np.intp]) -> Vector:
        n_a, n_b, sum_a, sum_b, squares = sums[drawn].sum(axis=1).T
        n = n_a + n_b
        with np.errstate(divide="ignore", invalid="ignore"):
            variance = (squares - (sum_a + sum_b) ** 2 / n) / (n - 1)
            found = (sum_a / n_a - sum_b / n_b) / np.sqrt(variance)
        found[variance <= equal] = 0.0  # as in standardised_difference
        return np.where((n_a > 0) & (n_b > 0), found, np.nan)

    return differences


def _estimate(clusters: Clusters, statistic: str, drawn: NDArray[np.intp]) -> float:
    try:
        return estimate(clusters.sample.take(clusters.items(drawn)), statistic)
    except ScoreError:
        return math.nan


def _require_clusters(count: int, strata: tuple[NDArray[np.intp], ...]) -> None:
    if count < MINIMUM_CLUSTERS:
        raise ScoreError(
            f"{count} clusters; at least {MINIMUM_CLUSTERS} are needed for an interval: "
            "measure more of them, or report the estimate without one"
        )
    if min(stratum.size for stratum in strata) < 2:
        raise ScoreError("one side has a single cluster, which cannot vary; at least 2 on each side are needed")
