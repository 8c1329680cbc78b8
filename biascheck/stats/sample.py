"""Samples whose items come in clusters: resamples, shared draws, and the ends of an interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biascheck.core.errors import ScoreError, UsageError
from biascheck.stats.statistic import MEANS, PEARSON_MOMENTS, SUMS, Folded, Sample, estimate
from biascheck.stats.vectors import Vector, require_generator

# The ends of an interval, given a bootstrap distribution.
#
# Both ends are computed by the same steps from their own tail, so that a mirrored distribution gives the
# exactly mirrored interval.


def ends(distribution: Vector, tails: tuple[float, float]) -> tuple[float, float]:
    """Return the values that leave ``tails[0]`` of the distribution below and ``tails[1]`` above."""
    low = _from_below(np.sort(distribution), tails[0])
    high = -_from_below(np.sort(-distribution), tails[1])
    return min(low, high), max(low, high)


def bca_tails(
    distribution: Vector, estimate: float, jackknives: Sequence[Vector], level: float
) -> tuple[float, float] | None:
    """Return the lower and upper tail of the BCa interval (Efron 1987), or None where undefined.

    With z₀ = Φ⁻¹(share of resamples below the estimate, ties half) and the acceleration a:
    ``tail = Φ(z₀ + (z₀ + z) / (1 − a(z₀ + z)))`` at z = ±z_{1−α/2}. Undefined when all resamples lie
    on one side of the estimate, when the jackknife does not vary, or when 1 − a(z₀ + z) ≤ 0.
    """
    bias, acceleration = _bias(distribution, estimate), _acceleration(jackknives)
    if bias is None or acceleration is None:
        return None
    critical = -float(special.ndtri((1 - level) / 2))
    shifts = bias - critical, bias + critical
    scales = [1 - acceleration * shift for shift in shifts]
    if min(scales) <= 0:
        return None
    below, above = (bias + shift / scale for shift, scale in zip(shifts, scales, strict=True))
    return float(special.ndtr(below)), float(special.ndtr(-above))


def expanded(level: float, freedom: int) -> float:
    """The level at which percentiles of few clusters have the nominal coverage (Hesterberg 2015, section 5.3).

    A bootstrap does not account for the spread of n clusters being too small by √((n − 1) / n), nor for Student's t.
    The tail becomes ``Φ(−√((f + 1) / f) · t)`` with the quantile t of f degrees of freedom: 0.025 is 0.001 for 5
    clusters,
    0.017 for 20, 0.022 for 60.
    """
    t = float(special.stdtrit(freedom, (1 + level) / 2))
    return 1 - 2 * float(special.ndtr(-math.sqrt((freedom + 1) / freedom) * t))


def rounding(distribution: Vector) -> float:
    """Return the distance below which two resamples differ only by rounding."""
    return 1e-12 * float(np.abs(distribution).max())


def _from_below(ordered: Vector, tail: float) -> float:
    """Interpolate linearly between order statistics (Hyndman & Fan's type 7)."""
    place = tail * (ordered.size - 1)
    left = min(math.floor(place), ordered.size - 1)
    right = min(left + 1, ordered.size - 1)
    return float(ordered[left] + (place - left) * (ordered[right] - ordered[left]))


def _bias(distribution: Vector, estimate: float) -> float | None:
    distances = distribution - estimate
    tolerance = rounding(distribution)
    below = int(np.count_nonzero(distances < -tolerance))
    above = int(np.count_nonzero(distances > tolerance))
    ties = distances.size - below - above
    smaller = (min(below, above) + ties / 2) / distances.size
    if smaller == 0:
        return None
    z = float(special.ndtri(smaller))
    return z if below < above else -z


def _acceleration(jackknives: Sequence[Vector]) -> float | None:
    """Skewness of the jackknife over all strata: ``Σ U³/n³ / (6 (Σ U²/n²)^{3/2})``, U = (n−1)(mean − θᵢ)."""
    if not jackknives:
        return None
    influences = [(one.size - 1) / one.size * (one.mean() - one) for one in jackknives]
    cubes = math.fsum(float((u * u * u).sum()) for u in influences)
    squares = math.fsum(float((u * u).sum()) for u in influences)
    tolerance = max(rounding(one) for one in jackknives)
    if squares <= tolerance * tolerance:
        return None
    return cubes / (6 * squares * math.sqrt(squares))


# Samples whose items come in clusters: resamples of clusters, and a statistic of many resamples at once.
#
# The items of one cluster are not independent, so a resample draws whole clusters with replacement and keeps
# their items together. If the sample has sides and every cluster lies on one side, the draw is made within each
# side, so that the two sides keep their numbers of clusters.

MINIMUM_CLUSTERS = 5
MINIMUM_RESAMPLES = 100
LARGEST_UNDEFINED_SHARE = 0.2
CORRELATIONS = ("spearman", "pearson")
_NUMBERS = 1_000_000  # in memory at once
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
        """Sort items by cluster name, then by content, so that their order does not matter."""
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
    """Return the statistic of every resample, one row per sample, and how many resamples were drawn again.

    Each resample draws the same clusters from all samples. A resample that leaves the statistic of one of them
    undefined is drawn again; more than 20 % of them raise ScoreError.
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
    """Return the function that computes the statistic of every resample; NaN where it is undefined.

    What all resamples share, such as the sums of clusters, is computed once, here.
    """
    sizes, sample = clusters.sizes, clusters.sample
    if statistic in MEANS:
        sums = clusters.sums(statistic)
        return lambda drawn: np.asarray(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1))
    if (folded := _folded(clusters, statistic)) is not None:
        columns, fold = _sums_of(clusters, folded), folded.fold
        return lambda drawn: fold(columns[drawn].sum(axis=1))
    if np.all(sizes == 1) and statistic in CORRELATIONS and (covariate := sample.covariate) is not None:
        from biascheck.stats.covariates import correlation_of_rows  # scipy only where it is needed

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
    """How the statistic follows from sums of clusters, if it does."""
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
    values = clusters.sample.values - clusters.sample.values.mean()  # squares of centred values keep their digits
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


# Items that share two things: a cluster, such as a word, and a draw, such as one clustering of all words.
#
# All words of one draw are scored by one clustering, one classifier, one set of neighbours, and share its errors. An
# interval from resampled words alone ignores that; the missing part is estimated from the influence of each item.

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
    """Return the factor by which the spread of an estimate exceeds what clusters alone show; 1 without draws."""
    return crossed_spread(sample, influences(sample, statistic)) if shares_draws(sample) else 1.0


def crossed_spread(sample: Sample, influences: Vector) -> float:
    """Return the spread of an estimate of items that share clusters and draws over its spread by clusters alone.

    With V the sum of squares of the sums of influences over clusters, draws or single items, the variance is
    ``V(clusters) + V(draws) · D / (D − 1) − V(items)`` for D draws (Cameron, Gelbach & Miller 2011). The result is the
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
    """Return by how much the estimate falls without each item; for statistics that are functions of sums."""
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
    """Return the ends, clipped to the range of the statistic."""
    least, most = RANGES.get(statistic, (-math.inf, math.inf))
    return max(ends[0], least), min(ends[1], most)


def _sum_of_squares(values: Vector, codes: NDArray[np.intp]) -> float:
    sums = np.bincount(codes, weights=values)
    return float(sums @ sums)
