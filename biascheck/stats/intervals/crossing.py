"""Items that share two things: a cluster, such as a word, and a draw, such as one clustering of all words.

All words of one draw are judged by one clustering, one classifier, one set of neighbours, and share its errors. An
interval from resampled words alone takes that as certain; what it misses is found from the influence of each item.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from biascheck.errors import UsageError
from biascheck.stats.estimators import MEANS, Sample
from biascheck.stats.sums import PEARSON_MOMENTS, SUMS
from biascheck.stats.vectors import Vector

__all__ = ["crossed_spread", "influences", "shares_draws", "widened", "widening", "within_range"]

RANGES = {
    "balance": (-1.0, 1.0),
    "cluster_mean": (0.0, 1.0),
    "mean_absolute": (0.0, math.inf),
    "net_share": (-1.0, 1.0),
    "pearson": (-1.0, 1.0),
    "share_positive": (0.0, 1.0),
}


def shares_draws(sample: Sample) -> bool:
    """Whether the items come from several draws."""
    return sample.draws is not None and len(set(sample.draws)) > 1


def widening(sample: Sample, statistic: str) -> float:
    """Return by how much the spread of a figure is larger than clusters alone show; 1 for a sample without draws."""
    return crossed_spread(sample, influences(sample, statistic)) if shares_draws(sample) else 1.0


def crossed_spread(sample: Sample, influences: Vector) -> float:
    """Return the spread of a figure of items that share clusters and draws over its spread by clusters alone.

    With V the sum of squares of the sums of influences over clusters, draws or single items, the variance is
    ``V(clusters) + V(draws) · D / (D − 1) − V(items)`` for D draws (Cameron, Gelbach & Miller 2011). The answer is the
    root of its ratio to V(clusters), and 1 at least.
    """
    assert sample.draws is not None
    count = len(set(sample.draws))
    by_draw = _sum_of_squares(influences, np.unique(np.asarray(sample.draws), return_inverse=True)[1])
    by_cluster = _sum_of_squares(influences, sample.codes)
    if by_cluster <= 0:
        return 1.0
    variance = by_cluster + by_draw * count / (count - 1) - float(influences @ influences)
    return math.sqrt(max(1.0, variance / by_cluster))


def influences(sample: Sample, statistic: str) -> Vector:
    """Return by how much the figure falls without each item; for figures that are made of sums."""
    if statistic in MEANS:
        values = MEANS[statistic](sample.values)
        return np.asarray((values - values.mean()) / max(1, values.size - 1))
    folded = PEARSON_MOMENTS if statistic == "pearson" else SUMS.get(statistic)
    if folded is None:
        raise UsageError(f"{statistic!r} is not a function of sums over items; give a sample without draws")
    columns = folded.columns(sample)
    whole = columns.sum(axis=0)
    found = folded.fold(whole) - folded.fold(whole - columns)
    return np.where(np.isnan(found), 0.0, found)


def widened(ends: tuple[float, float], centre: float, factor: float) -> tuple[float, float]:
    """Return the ends of an interval moved away from its centre."""
    if factor == 1.0:
        return ends
    low, high = (centre + factor * (end - centre) for end in ends)
    return low, high


def within_range(ends: tuple[float, float], statistic: str) -> tuple[float, float]:
    """Return the ends as far as the statistic goes."""
    least, most = RANGES.get(statistic, (-math.inf, math.inf))
    return max(ends[0], least), min(ends[1], most)


def _sum_of_squares(values: Vector, codes: NDArray[np.intp]) -> float:
    sums = np.bincount(codes, weights=values)
    return float(sums @ sums)
