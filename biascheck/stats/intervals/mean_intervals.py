"""Intervals of means over clusters: Student's t, with a longer arm where the clusters may be skewed.

Mean-like figures are sums over clusters, but for their weights: without resampling, the deviation of each cluster tells
the standard error of the figure, its degrees of freedom and the skewness of the clusters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from biascheck.errors import ScoreError, UsageError
from biascheck.stats.estimators import MEANS, Sample, estimate
from biascheck.stats.interval import Interval
from biascheck.stats.intervals.clusters import Clusters
from biascheck.stats.intervals.crossing import widened, widening, within_range
from biascheck.stats.intervals.skewness import NOTEWORTHY_SKEW, lengthening, student_t
from biascheck.stats.vectors import Vector

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MEAN_LIKE", "ClusterSpread", "StratumSpread", "cluster_deviations", "mean_interval"]

MEAN_LIKE = (*MEANS, "difference")
MEAN_ROUNDING = 1e-12
WIDER = 1.005
"""A widening that is not 1.00 once it is written down."""


@dataclass(frozen=True, slots=True)
class StratumSpread:
    """What the clusters of one stratum add: the variance of the figure, its degrees of freedom, their skewness."""

    variance: float
    freedom: float
    skewness: float

    @classmethod
    def of(cls, deviations: Vector, sizes: NDArray[np.intp]) -> StratumSpread:
        """The jackknife's variance, (n − 1) / n Σu². Clusters of unequal size count as fewer: (Σv)² / Σv².

        v is the variance of a cluster's sum (Satterthwaite): size² if its items agree, size if they are independent;
        here size^1.5, between the two.
        """
        centred = deviations - math.fsum(deviations) / deviations.size
        squares = math.fsum(centred * centred)
        cubes = math.fsum(centred * centred * centred)
        expected = sizes / sizes.max() * np.sqrt(sizes / sizes.max())
        count = math.fsum(expected) ** 2 / math.fsum(expected * expected)
        skewness = cubes * math.sqrt(deviations.size) / squares**1.5 if squares else 0.0
        return cls((deviations.size - 1) / deviations.size * squares, max(1.0, count - 1), skewness)


@dataclass(frozen=True, slots=True)
class ClusterSpread:
    """What the deviations of clusters say about a figure: one stratum, or one for each of two sides."""

    strata: tuple[StratumSpread, ...]
    scale: float = 1.0

    @classmethod
    def of(cls, deviations: Vector, clusters: Clusters, *, scale: float = 1.0) -> ClusterSpread:
        """Add up within strata; deviations that are rounding of numbers of the size ``scale`` count as none."""
        return cls(tuple(StratumSpread.of(deviations[s], clusters.sizes[s]) for s in clusters.strata), scale)

    @property
    def error(self) -> float:
        """The standard error of the figure; 0 where clusters differ by rounding only."""
        found = math.sqrt(math.fsum(one.variance for one in self.strata))
        return found if found > MEAN_ROUNDING * self.scale else 0.0

    @property
    def freedom(self) -> float:
        """The degrees of freedom of the standard error (Satterthwaite)."""
        whole = math.fsum(one.variance for one in self.strata)
        return 1 / math.fsum((one.variance / whole) ** 2 / one.freedom for one in self.strata)

    def ends(self, centre: float, level: float) -> tuple[float, float]:
        """The ends of the interval; negated deviations and centre mirror them exactly."""
        if not self.error:
            return centre, centre
        student = float(student_t(self.freedom, level))
        below, above = (student * self._lengthened(sign, level) for sign in (-1.0, 1.0))
        return centre - below, centre + above

    def caution(self, clusters: int, level: float) -> str:
        """What the skewness did to the ends, in words; empty where it did next to nothing."""
        if not self.error:
            return ""
        longer = [(end, self._lengthened(sign, level) / self.error) for end, sign in (("lower", -1.0), ("upper", 1.0))]
        named = [f"the {end} end lies {by:.1f} times" for end, by in longer if by >= NOTEWORTHY_SKEW]
        if not named:
            return ""
        doubt = f"{clusters} clusters are too few to rule out strong skewness"
        return f"{doubt}, so {' and '.join(named)} as far out as Student's t"

    def _lengthened(self, sign: float, level: float) -> float:
        """The standard error with each stratum lengthened by its own skewness on one side (Zou & Donner 2008)."""
        reach = [float(lengthening(sign * one.skewness, one.freedom, level)) for one in self.strata]
        return math.sqrt(math.fsum(by * by * one.variance for by, one in zip(reach, self.strata, strict=True)))


def mean_interval(sample: Sample, statistic: str, *, level: float = 0.95) -> Interval:
    """Return the interval of a mean-like statistic over clusters: mean, mean_absolute, share_positive, difference.

    Each end lies ``t · lengthening · standard error`` from the estimate, see
    :func:`~biascheck.stats.intervals.skewness.lengthening`; the standard error is the jackknife's over clusters. For a
    difference of sides each side has its own skewness, and the squares of the arms add up. Shared draws widen the
    interval (:func:`~biascheck.stats.intervals.crossing.widening`). Nothing is drawn: the interval is the same for
    every seed and every order of the items, nested over levels, and negating all values mirrors that of a mean exactly.

    Limits: fewer than 5 clusters, or a side with one, raise ScoreError. Clusters more skewed than a lognormal
    distribution with σ = 1 are missed more often than stated. If all clusters are equal, the interval is a point.
    """
    if not 0 < level < 1:
        raise UsageError(f"level {level} is not between 0 and 1; 95 % is level=0.95")
    clusters = Clusters.of(sample)
    centre = estimate(clusters.sample, statistic)
    scale = float(np.abs(sample.values).max())
    spread = ClusterSpread.of(cluster_deviations(clusters, statistic), clusters, scale=scale)
    count = clusters.sizes.size
    if not spread.error:
        return Interval(centre, centre, level, f"Student's t, all {count} clusters equal")
    factor = widening(clusters.sample, statistic)
    low, high = within_range(widened(spread.ends(centre, level), centre, factor), statistic)
    shared = f", {factor:.2f} times wider for shared draws" if factor >= WIDER else ""
    method = f"Student's t over {count} clusters, corrected for skewness{shared}"
    return Interval(low, high, level, method, spread.caution(count, level))


def cluster_deviations(clusters: Clusters, statistic: str) -> Vector:
    """Return by how much the figure is larger than without each cluster."""
    if statistic in MEANS:
        return _deviations(clusters.sums(statistic), clusters.sizes.astype(float))
    if statistic != "difference":
        raise UsageError(f"{statistic!r} is not a mean; choose one of {', '.join(MEAN_LIKE)}")
    on_a = np.fromiter((side == "A" for side in clusters.sample.sides or ()), dtype=bool, count=len(clusters.sample))
    of_a, of_b = (_side(clusters, chosen) for chosen in (on_a, ~on_a))
    return of_a - of_b


def _side(clusters: Clusters, chosen: NDArray[np.bool_]) -> Vector:
    values = np.where(chosen, clusters.sample.values, 0.0)
    sums = np.array([math.fsum(run) for run in np.split(values, clusters.starts[1:])])
    return _deviations(sums, np.add.reduceat(chosen.astype(float), clusters.starts))


def _deviations(sums: Vector, sizes: Vector) -> Vector:
    items = float(sizes.sum())
    if np.any(sizes == items):
        raise ScoreError("one cluster has all items of a side, so that nothing varies; at least 2 clusters are needed")
    return np.asarray((sums - math.fsum(sums) / items * sizes) / (items - sizes))
