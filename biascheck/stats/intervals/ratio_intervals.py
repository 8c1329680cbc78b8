"""Intervals of figures that are ratios of sums over clusters, by the delete-one-cluster jackknife.

The jackknife says how much each cluster moves the figure, as deviations do for a mean; what follows is the same:
Student's t with a longer arm where the clusters may be skewed.
"""

from __future__ import annotations

import numpy as np

from biascheck.stats.estimators import Sample, estimate
from biascheck.stats.interval import Interval
from biascheck.stats.intervals.clusters import Clusters, jackknives
from biascheck.stats.intervals.crossing import widened, widening, within_range
from biascheck.stats.intervals.mean_intervals import WIDER, ClusterSpread
from biascheck.stats.intervals.proportions import wilson_interval

__all__ = ["balance_interval", "cluster_mean_interval"]


def balance_interval(sample: Sample, *, level: float = 0.95) -> Interval | None:
    """Return the interval of a balance Σv / Σ|v|, from −1 to 1.

    Where every decided cluster points the same way, Wilson's interval of as many clusters leaves room for doubt.
    ``None`` where the figure rests on a single cluster, without which it has no value. Shared draws widen the interval
    (:func:`~biascheck.stats.intervals.crossing.widening`).
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
    """Clusters that count alike, whatever their numbers of items."""
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
