"""From item scores to a summary: estimate, interval, p-value and effect size.

+--------------------------+--------------------------+------------------------------------------+
| statistic                | p-value                  | effect size                              |
+==========================+==========================+==========================================+
| mean                     | sign flips of clusters   | mean over standard deviation of clusters |
| mean_absolute            | –                        | –                                        |
| rms_gap                  | –                        | –                                        |
| share_positive           | sign flips of clusters   | –                                        |
| standardised_difference  | permutation of the sides | the estimate itself                      |
| difference               | permutation of the sides | standardised difference                  |
|   of matched pairs       | sign flips of pairs      | standardised difference                  |
| spearman, pearson        | of the correlation       | the estimate itself                      |
| slope                    | of Pearson's correlation | Pearson's r                              |
| ratio, ratio_of_sides    | –                        | –                                        |
| net_share, balance       | sign flips of clusters   | –                                        |
| cluster_mean, icat       | –                        | –                                        |
| skew, stereotype         | –                        | –                                        |
| f1, smaller_f1           | –                        | –                                        |
+--------------------------+--------------------------+------------------------------------------+

Everything is computed over clusters: the templates of one profession are not independent, and a test
that counted them as if they were would find significance in any model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from biascheck import stats
from biascheck.core.errors import ScoreError, UsageError
from biascheck.results.items import ItemScore, sample_of
from biascheck.results.result import Result
from biascheck.stats import Interval, Sample

LEVEL = 0.95
RESAMPLES = 2_000
RESAMPLES_IN_TAIL = 40
SUMMARY_ROUNDING = 1e-12
DISTANCES = ("skew", "stereotype")
"""Statistics that are never below zero, so that chance alone lifts them."""


def summarise(draft: Result, *, level: float = LEVEL) -> Result:
    """Fill in every statistic of a result from its items."""
    sample = sample_of(draft.items)
    rng = np.random.default_rng(draft.seed)
    estimate = stats.estimate(sample, draft.statistic)
    p, effect = _test(sample, draft.statistic, estimate, draft.seed)
    return replace(
        draft,
        estimate=estimate,
        interval=interval_of_sample(sample, draft.statistic, rng=rng, level=level),
        p=p,
        effect_size=effect,
        n=len(draft.items),
        clusters=len(sample.names),
    )


def interval_of(items: Sequence[ItemScore], statistic: str, *, seed: int, level: float) -> Interval | None:
    """The interval of a statistic over clusters, or ``None`` where there are too few clusters for one."""
    return interval_of_sample(sample_of(items), statistic, rng=np.random.default_rng(seed), level=level)


def interval_of_sample(sample: Sample, statistic: str, *, rng: np.random.Generator, level: float) -> Interval | None:
    """The interval that gates use for a sample."""
    if not 0 < level < 1:
        raise UsageError(f"level {level} is not between 0 and 1; 95 % is level=0.95")
    clusters = len(sample.names)
    if clusters < stats.MINIMUM_CLUSTERS:
        return None
    if statistic == "rms_gap":
        squares = interval_of_sample(stats.squared_gaps(sample), "mean", rng=rng, level=level)
        return None if squares is None else stats.rooted(squares)
    if statistic == "balance":
        return stats.balance_interval(sample, level=level)
    if statistic == "cluster_mean":
        return stats.cluster_mean_interval(sample, level=level)
    if (found := _without_resampling(sample, statistic, clusters, level)) is not None:
        return found
    if statistic in stats.MEAN_LIKE:
        return stats.mean_interval(sample, statistic, level=level)
    resamples = max(RESAMPLES, round(RESAMPLES_IN_TAIL / (1 - level)))
    method = interval_method(statistic)
    return stats.cluster_bootstrap(sample, statistic, rng=rng, level=level, resamples=resamples, method=method)


def _without_resampling(sample: Sample, statistic: str, clusters: int, level: float) -> Interval | None:
    """An interval for cases in which a bootstrap of few clusters is wrong, if there is one."""
    single = clusters == len(sample)
    if statistic == "share_positive":
        share = stats.estimate(sample, statistic)
        # A bootstrap of ten out of ten has no width; Wilson's interval does.
        return stats.wilson_interval(share, clusters, level=level) if single or share in (0, 1) else None
    if statistic == "standardised_difference" and single and sample.sides is not None:
        on_a = sample.sides.count("A")
        try:
            d = stats.estimate(sample, statistic)
            return stats.standardised_difference_interval(d, on_a, clusters - on_a, level=level)
        except ScoreError:  # nothing varies within the sides
            return None
    return None


def interval_method(statistic: str) -> Literal["bca", "percentile"]:
    """The method for the ends of an interval.

    BCa mistakes the upward bias of a distance from zero for an error of its centre, and ends far too low. It also fails
    for a change of a root whose resamples are cut off at zero, and for the kink of icat at an even share.
    """
    return "percentile" if statistic in (*DISTANCES, "rms_gap", "icat") else "bca"


def cluster_means(sample: Sample) -> NDArray[np.float64]:
    """The mean of each cluster, clusters in the order of their names."""
    order = np.argsort(sample.codes, kind="stable")
    starts = np.cumsum(np.bincount(sample.codes))[:-1]
    return np.array([run.mean() for run in np.split(sample.values[order], starts)])


def _test(sample: Sample, statistic: str, estimate: float, seed: int) -> tuple[float | None, float | None]:
    rng = np.random.default_rng(seed)
    means = cluster_means(sample)
    if statistic == "mean":
        return stats.permute_signs(means, rng=rng).p, _standardised_mean(means)
    if statistic == "share_positive":
        return stats.permute_signs(np.sign(means), rng=rng).p, None
    if statistic in ("balance", "net_share"):
        return stats.permute_signs(means, rng=rng).p, None
    if statistic == "standardised_difference":
        return stats.permute_two_samples(*_sides(sample), rng=rng).p, estimate
    if statistic == "difference":
        sides, within = _sides(sample), _differences_of_pairs(sample)
        found = stats.permute_two_samples(*sides, rng=rng) if within is None else stats.permute_signs(within, rng=rng)
        return found.p, stats.standardised_difference(*sides)
    if statistic == "slope":
        return _test_of_slope(means, cluster_means(replace(sample, values=_covariate(sample))))
    if statistic in ("spearman", "pearson"):
        correlate: Any = getattr(stats, statistic)
        # Repeated readings of one word are one point, not many.
        return correlate(means, cluster_means(replace(sample, values=_covariate(sample)))).p, estimate
    return None, None


def _differences_of_pairs(sample: Sample) -> NDArray[np.float64] | None:
    """Side A minus side B of each cluster, if every cluster has one item on either side."""
    pairs: dict[str, dict[str, float]] = {}
    for name, side, value in zip(sample.clusters, sample.sides or (), sample.values, strict=True):
        pairs.setdefault(name, {})[side] = float(value)
    if len(sample) != 2 * len(pairs) or any(len(pair) != 2 for pair in pairs.values()):
        return None
    return np.array([pairs[name]["A"] - pairs[name]["B"] for name in sorted(pairs)])


def _test_of_slope(means: NDArray[np.float64], covariates: NDArray[np.float64]) -> tuple[float | None, float | None]:
    """The t test of a slope is that of Pearson's correlation; equal gaps have neither."""
    if len(means) < stats.MINIMUM_CLUSTERS or np.ptp(means) == 0 or np.ptp(covariates) == 0:
        return None, None
    found = stats.pearson(means, covariates)
    return found.p, found.coefficient


def _covariate(sample: Sample) -> NDArray[np.float64]:
    if sample.covariate is None:
        raise ScoreError("a correlation needs items with a covariate")
    return sample.covariate


def _standardised_mean(means: NDArray[np.float64]) -> float | None:
    if len(means) < 2:
        return None
    spread = float(means.std(ddof=1))
    # Clusters that differ only by rounding do not vary; dividing by that would give any number at all.
    return float(means.mean()) / spread if spread > SUMMARY_ROUNDING * float(np.abs(means).max()) else None


def _sides(sample: Sample) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if sample.sides is None:
        raise ScoreError("a standardised difference needs items on two sides, A and B")
    side = np.array(sample.sides)
    return sample.values[side == "A"], sample.values[side == "B"]
