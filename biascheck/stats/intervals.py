"""Intervals of means over clusters, of shares, and of ratios of sums."""

from __future__ import annotations

import math
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

from biascheck.core.errors import ScoreError, UsageError
from biascheck.stats.sample import Clusters, jackknives, widened, widening, within_range
from biascheck.stats.statistic import MEANS, Sample, estimate
from biascheck.stats.vectors import Vector
from biascheck.stats.verdicts import Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


# The reach of an interval of a mean when the clusters may be skewed.
#
# Student's t misses the mean of skewed clusters on their long side: for 20 lognormal clusters in 13 % of cases
# instead of the nominal 2.5 %. The sample skewness of few clusters does not help to correct that, as the samples that
# miss the mean are those in which the long tail does not show. So the question is turned around: *could* clusters with
# this sample skewness be as skewed as a lognormal distribution? If they could not, an arm of the interval is
# Student's; if they could, it is longer by the factor that the mean of lognormal clusters needs.

NOTEWORTHY_SKEW = 1.05
"""An arm longer than this is mentioned in the result."""
REACH = 2.3
SOFTNESS = 0.4


def arms(skewness: Any, freedom: Any, level: float) -> tuple[Any, Any]:
    """Return how many standard errors the interval reaches below and above its centre, both positive.

    ``skewness`` is that of the clusters, Σu³ √n / (Σu²)^{3/2} of their deviations u, ``freedom`` the degrees of freedom
    of their spread; both may be arrays. Negated skewness swaps the arms, and a higher level lengthens both.
    """
    student = student_t(freedom, level)
    below, above = (student * lengthening(skewed, freedom, level) for skewed in (-skewness, skewness))
    return below, above


def student_t(freedom: Any, level: float) -> Any:
    """Return the quantile of Student's t that leaves (1 − level) / 2 above."""
    return special.stdtrit(freedom, (1 + level) / 2)


def lengthening(skewness: Any, freedom: Any, level: float) -> Any:
    """Return the factor by which the arm on the side of positive ``skewness`` is longer than Student's.

    With z the normal quantile of the level and n = freedom + 1 clusters, it is ``1 + 2.3 z / √(n − 1)``: about what an
    Edgeworth expansion requires for the skewness 6.2 of a lognormal distribution, γ z / (3 √n) (Johnson 1978). It falls
    to 1 over the sample skewnesses from ``s + 0.4`` down to ``s = 0.7 ln n − 0.5 z − 0.8``, which lognormal clusters
    seldom show. The four constants are the round numbers that keep the misses of either end below 1.5 times the stated
    ones for normal, exponential and lognormal clusters (:mod:`biascheck.calibration.coverage`).
    """
    z = float(special.ndtri((1 + level) / 2))
    unlikely = 0.7 * np.log(freedom + 1) - 0.5 * z - 0.8
    return 1 + REACH * z / np.sqrt(freedom) * np.clip((skewness - unlikely) / SOFTNESS, 0.0, 1.0)


# Intervals of means over clusters: Student's t, with a longer arm where the clusters may be skewed.
#
# Mean-like statistics are sums over clusters, up to their weights. Without resampling, the deviations of the
# clusters give the standard error of the estimate, its degrees of freedom and the skewness of the clusters.

MEAN_LIKE = (*MEANS, "difference")
MEAN_ROUNDING = 1e-12
WIDER = 1.005
"""The smallest widening that does not print as 1.00."""


@dataclass(frozen=True, slots=True)
class StratumSpread:
    """The contribution of one stratum: the variance of the estimate, its degrees of freedom, the skewness."""

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
    """The contributions of the strata to an estimate: one, or one for each of two sides."""

    strata: tuple[StratumSpread, ...]
    scale: float = 1.0

    @classmethod
    def of(cls, deviations: Vector, clusters: Clusters, *, scale: float = 1.0) -> ClusterSpread:
        """Sum within strata; deviations that are rounding errors of numbers of size ``scale`` count as none."""
        return cls(tuple(StratumSpread.of(deviations[s], clusters.sizes[s]) for s in clusters.strata), scale)

    @property
    def error(self) -> float:
        """The standard error of the estimate; 0 where clusters differ only by rounding."""
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
        """The effect of the skewness on the ends, in words; empty if it is negligible."""
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
    :func:`~biascheck.stats.intervals.lengthening`; the standard error is the jackknife's over clusters. For a
    difference of sides each side has its own skewness, and the squares of the arms add up. Shared draws widen the
    interval (:func:`~biascheck.stats.sample.widening`). Nothing is drawn: the interval is the same for
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
    """Return the influence of each cluster: how much larger the estimate is with it than without it."""
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


# Intervals for shares.


def wilson_interval(share: float, n: int, *, level: float = 0.95) -> Interval:
    """Return Wilson's score interval for a share of ``n`` independent items.

    With z the normal quantile of the level, centre (share + z²/2n) / (1 + z²/n) and half width
    z √(share (1 − share) / n + z²/4n²) / (1 + z²/n). Unlike a bootstrap it leaves room for doubt at a
    share of 0 or 1. ``share · n`` need not be whole: ties may count one half.
    """
    from scipy.special import ndtri

    if n < 1 or not 0 <= share <= 1:
        raise ScoreError(f"a share of {share} among {n} items has no interval; it needs 0 ≤ share ≤ 1 and n ≥ 1")
    z = float(ndtri((1 + level) / 2))
    scale = 1 + z * z / n
    centre = (share + z * z / (2 * n)) / scale
    half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / scale
    # At a share of 0 or 1, centre and half width add up to it except for the last digit.
    low = 0.0 if share == 0 else max(0.0, centre - half)
    high = 1.0 if share == 1 else min(1.0, centre + half)
    return Interval(low, high, level, "Wilson score")


def paired_share_interval(before: ArrayLike, after: ArrayLike, *, parity: float = 0.5, level: float = 0.95) -> Interval:
    """Return an interval for the change of a share's distance from parity, of independent items.

    ``before`` and ``after`` are 0 or 1 (½ for a tie) for each item. For a difference of shares this is the interval
    of Agresti & Min (2005): half an observation is added to each of the four outcomes, then Wald's formula is used.
    Unlike a bootstrap it leaves room for doubt where no item crossed over. Distances have a kink at parity; it is
    treated as in :class:`biascheck.stats.DistanceChange`: the maximum over the sign of the later share of the minimum
    over the sign of the earlier one.
    """
    import numpy as np

    first, second = (np.asarray(values, dtype=float) - parity for values in (before, after))
    rows = [[_smoothed_mean(s * second - t * first, level) for t in (1.0, -1.0)] for s in (1.0, -1.0)]
    low, high = (max(min(found[end] for found in row) for row in rows) for end in (0, 1))
    return Interval(low, high, level, "paired shares, Agresti and Min")


def _smoothed_mean(values: Vector, level: float) -> tuple[float, float]:
    """Wald's interval of a mean of −1, 0 and 1, with half an observation added at −1 and at 1, and one at 0."""
    from scipy.special import ndtri

    n = values.size + 2
    mean = float(values.sum()) / n
    variance = (float((values * values).sum()) + 1) / n - mean * mean
    half = float(ndtri((1 + level) / 2)) * sqrt(variance / n)
    return max(-1.0, mean - half), min(1.0, mean + half)


# Intervals of ratios of sums over clusters, by the delete-one-cluster jackknife.
#
# The jackknife gives the influence of each cluster, as deviations do for a mean; the rest is the same: Student's t
# with a longer arm where the clusters may be skewed.


def balance_interval(sample: Sample, *, level: float = 0.95) -> Interval | None:
    """Return the interval of a balance Σv / Σ|v|, from −1 to 1.

    Where every decided cluster points the same way, Wilson's interval of as many clusters leaves room for doubt.
    ``None`` if the estimate rests on a single cluster, without which it is undefined. Shared draws widen the interval
    (:func:`~biascheck.stats.sample.widening`).
    """
    clusters = Clusters.of(sample)
    centre = estimate(clusters.sample, "balance")
    decided = len({name for name, value in zip(sample.clusters, sample.values, strict=True) if value})
    if abs(centre) == 1:
        share = wilson_interval((1 + centre) / 2, decided, level=level)
        return Interval(2 * share.low - 1, 2 * share.high - 1, level, f"Wilson score over {decided} clusters")
    without = jackknives(clusters, "balance")
    if not without or decided < 2:
        return None
    deviations = np.zeros(clusters.sizes.size)
    for stratum, figures in zip(clusters.strata, without, strict=True):
        deviations[stratum] = centre - figures
    return _around(centre, ClusterSpread.of(deviations, clusters), sample, "balance", level)


def cluster_mean_interval(sample: Sample, *, level: float = 0.95) -> Interval:
    """Return the interval of a mean over clusters of shares, from 0 to 1; Wilson's where all of them are 0 or 1."""
    clusters = Clusters.of(sample)
    centre = estimate(clusters.sample, "cluster_mean")
    count = clusters.sizes.size
    if centre in (0.0, 1.0):
        return wilson_interval(centre, count, level=level)
    means = np.add.reduceat(clusters.sample.values, clusters.starts) / clusters.sizes
    deviations = (means - centre) / (count - 1)
    spread = ClusterSpread.of(deviations, _each_once(clusters))
    return _around(centre, spread, sample, "cluster_mean", level)


def _each_once(clusters: Clusters) -> Clusters:
    """Clusters with equal weights, whatever their numbers of items."""
    return Clusters(clusters.sample, clusters.starts, np.ones_like(clusters.sizes), clusters.strata)


def _around(centre: float, spread: ClusterSpread, sample: Sample, statistic: str, level: float) -> Interval:
    count = len(set(sample.clusters))
    if not spread.error:
        return Interval(centre, centre, level, f"jackknife, all {count} clusters equal")
    factor = widening(sample, statistic)
    low, high = within_range(widened(spread.ends(centre, level), centre, factor), statistic)
    shared = f", {factor:.2f} times wider for shared draws" if factor >= WIDER else ""
    method = f"Student's t over {count} clusters, by the jackknife, corrected for skewness{shared}"
    return Interval(low, high, level, method, spread.caution(count, level))
