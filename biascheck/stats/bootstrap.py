"""Bootstrap intervals for items that come in clusters."""

from __future__ import annotations

import math
import warnings
from typing import Literal

import numpy as np

from biascheck.core.errors import BiascheckWarning, UsageError
from biascheck.stats.sample import (
    Clusters,
    bca_tails,
    ends,
    expanded,
    jackknives,
    resampled,
    rounding,
    widened,
    widening,
    within_range,
)
from biascheck.stats.statistic import Sample, estimate
from biascheck.stats.vectors import Vector
from biascheck.stats.verdicts import Interval

NOTEWORTHY_RATIO = 1.005
"""The smallest widening that does not print as 1.00."""


def cluster_bootstrap(
    sample: Sample,
    statistic: str,
    *,
    rng: np.random.Generator,
    level: float = 0.95,
    resamples: int = 2_000,
    method: Literal["bca", "percentile"] = "bca",
    expand: bool = True,
) -> Interval:
    """Return a confidence interval for a named statistic by resampling clusters.

    ``bca`` corrects the percentile interval for bias and skewness with a jackknife over clusters
    (Efron 1987); where that is undefined the percentile interval is given and ``Interval.method``
    says so. If all resamples agree, the interval is the estimate alone. The order of the items does
    not matter, and negating all values mirrors the interval of a mean exactly.

    Two things that resampling clusters misses widen the interval: that there are few of them
    (:func:`~biascheck.stats.sample.expanded`, unless ``expand`` is false), and that items of different
    clusters share a draw, where the sample has draws (:func:`~biascheck.stats.sample.widening`).

    A resample that leaves the statistic undefined (a constant column has no correlation) is drawn
    again and counted in ``Interval.method``; more than 20 % of them raise ScoreError.

    Limits: fewer than 5 clusters, or a side with one, raise ScoreError. A share of 0 or 1 shows no
    variation to resample. Beyond level 0.99 use more resamples: at least 20 / (1 − level). A strongly
    biased statistic, such as a standardised difference of few items, moves an end of BCa far into one
    tail, where few resamples lie and the end varies with the seed; more resamples stabilise it there, too.
    """
    _require_level(level, resamples)
    if method not in ("bca", "percentile"):
        raise UsageError(f"unknown method {method!r}; choose 'bca' or 'percentile'")
    clusters = Clusters.of(sample)
    (distribution,), redrawn = resampled([clusters], statistic, rng, resamples)
    centre = estimate(clusters.sample, statistic)
    note = f", {redrawn} undefined redrawn" if redrawn else ""
    label = f"{resamples} resamples{note}"
    if np.ptp(distribution) <= rounding(distribution):
        return Interval(centre, centre, level, f"cluster bootstrap, all resamples equal, {label}")
    wider = expanded(level, clusters.freedom) if expand else level
    tails = bca_tails(distribution, centre, jackknives(clusters, statistic), wider) if method == "bca" else None
    name = "BCa" if tails else "percentile" if method == "percentile" else "percentile (BCa undefined)"
    found = ends(distribution, tails or ((1 - wider) / 2, (1 - wider) / 2))
    factor = widening(clusters.sample, statistic)
    shared = f", {factor:.2f} times wider for shared draws" if factor >= NOTEWORTHY_RATIO else ""
    low, high = within_range(widened(found, centre, factor), statistic)
    return Interval(low, high, level, f"cluster bootstrap, {name}, {label}{shared}")


def bootstrap_distribution(
    sample: Sample, statistic: str, *, rng: np.random.Generator, resamples: int = 2_000
) -> Vector:
    """Return the statistic of ``resamples`` cluster resamples, as ``cluster_bootstrap`` draws them."""
    return np.asarray(resampled([Clusters.of(sample)], statistic, rng, resamples)[0][0])


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
