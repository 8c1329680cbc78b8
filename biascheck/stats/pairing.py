"""How a distance from parity changes between two samples of the same items, resampled together.

Both samples lose and repeat the same clusters in each resample, so what they share cancels: the interval of a
change is much narrower than the two intervals of the figures suggest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from biascheck.errors import ScoreError, UsageError
from biascheck.stats.estimators import MEANS, Sample, estimate
from biascheck.stats.intervals import Interval
from biascheck.stats.percentiles import bca_tails, ends, rounding
from biascheck.stats.resampling import CORRELATIONS, LARGEST_UNDEFINED_SHARE, Clusters, folded_of, jackknives
from biascheck.stats.vectors import Vector, require_generator

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["DistanceChange", "paired_bootstrap"]

SIGNS = (1.0, -1.0)
ROWS = 2_000  # resamples drawn at once


@dataclass(frozen=True, eq=False)
class DistanceChange:
    """``|after − parity| − |before − parity|``, with what its interval is made from.

    A distance has a kink at parity, where the bootstrap of it is wrong: resamples of a figure near parity all lie
    further away than the figure. So the kink is left out of the resampling. With signs s and t for after and before,
    the change is ``max over s of min over t of (s · after − t · before)``, and each of the four signed differences is
    smooth. Each end of the interval is the same maximum of minima over the ends of their four intervals. Each end
    misses the truth with (1 − level) / 2 where both figures have a sure sign, and with 1 − level at most.
    """

    before: float
    after: float
    resamples: tuple[Vector, Vector]
    without_one: tuple[tuple[Vector, ...], tuple[Vector, ...]]
    clusters: int
    strata: int
    method: Literal["bca", "percentile"]
    redrawn: int = 0

    @property
    def estimate(self) -> float:
        """The change of the whole samples."""
        return abs(self.after) - abs(self.before)

    def interval_at(self, level: float) -> Interval:
        """The interval at a level; at all levels from the same resamples, so that they are nested."""
        wider = expanded(level, self.clusters - self.strata)
        rows = [[self._ends(s, t, wider) for t in SIGNS] for s in SIGNS]
        low, high = (max(min(found[end] for found in row) for row in rows) for end in (0, 1))
        return Interval(low, high, level, self._label())

    def _ends(self, s: float, t: float, level: float) -> tuple[float, float]:
        before, after = self.resamples
        distribution = s * after - t * before
        centre = s * self.after - t * self.before
        if np.ptp(distribution) <= max(rounding(after), rounding(before)):
            return centre, centre
        tails = None
        if self.method == "bca":
            stepwise = [s * a - t * b for b, a in zip(*self.without_one, strict=True)]
            tails = bca_tails(distribution, centre, stepwise, level)
        return ends(distribution, tails or ((1 - level) / 2, (1 - level) / 2))

    def _label(self) -> str:
        name = "BCa" if self.method == "bca" else "percentile"
        note = f", {self.redrawn} undefined redrawn" if self.redrawn else ""
        return f"paired cluster bootstrap, {name}, {self.resamples[0].size} resamples{note}"


def paired_bootstrap(
    before: Sample,
    after: Sample,
    statistic: str,
    *,
    rng: np.random.Generator,
    parity: float = 0.0,
    resamples: int = 2_000,
    method: Literal["bca", "percentile"] = "bca",
) -> DistanceChange:
    """Resample the clusters of two samples together; item i of one is item i of the other.

    A resample that leaves the statistic of either sample undefined is drawn again; more than 20 % of them raise
    ScoreError, as do fewer than 5 clusters.
    """
    require_generator(rng)
    _require_pairs(before, after)
    both = Clusters.of(before), Clusters.of(after)
    figures = [estimate(clusters.sample, statistic) - parity for clusters in both]
    drawn, redrawn = _drawn(both, statistic, rng, resamples)
    return DistanceChange(
        before=figures[0],
        after=figures[1],
        resamples=(drawn[0] - parity, drawn[1] - parity),
        without_one=_without_one(both, statistic),
        clusters=both[0].sizes.size,
        strata=len(both[0].strata),
        method=method,
        redrawn=redrawn,
    )


def expanded(level: float, freedom: int) -> float:
    """The level at which percentiles of few clusters cover what they should (Hesterberg 2015, section 5.3).

    A bootstrap knows neither that the spread of n clusters is too small by √((n − 1) / n) nor Student's t. The tail
    becomes ``Φ(−√((f + 1) / f) · t)`` with the quantile t of f degrees of freedom: 0.025 is 0.001 for 5 clusters,
    0.017 for 20, 0.022 for 60.
    """
    from scipy.special import ndtr, stdtrit

    t = float(stdtrit(freedom, (1 + level) / 2))
    return 1 - 2 * float(ndtr(-math.sqrt((freedom + 1) / freedom) * t))


def _require_pairs(before: Sample, after: Sample) -> None:
    if (before.clusters, before.sides) != (after.clusters, after.sides):
        raise UsageError(
            "item i of both samples must be the same item: give them the same clusters and sides, in order"
        )


def _drawn(
    both: tuple[Clusters, Clusters], statistic: str, rng: np.random.Generator, resamples: int
) -> tuple[NDArray[np.float64], int]:
    """Figures of both samples, two rows, one column a resample; and how many columns were drawn again."""
    parts: list[NDArray[np.float64]] = []
    defined = undefined = 0
    while defined < resamples:
        drawn = both[0].draw(rng, min(ROWS, resamples - defined))
        figures = np.stack([_figures(clusters, statistic, drawn) for clusters in both])
        kept = figures[:, ~np.isnan(figures).any(axis=0)]
        defined, undefined = defined + kept.shape[1], undefined + figures.shape[1] - kept.shape[1]
        if undefined > LARGEST_UNDEFINED_SHARE * resamples:
            raise ScoreError(f"{statistic} is undefined in too many resamples ({undefined} against {defined})")
        parts.append(kept)
    return np.concatenate(parts, axis=1), undefined


def _figures(clusters: Clusters, statistic: str, drawn: NDArray[np.intp]) -> Vector:
    """The statistic of every resample; not a number where it is undefined."""
    sizes, sample = clusters.sizes, clusters.sample
    if statistic in MEANS:
        return np.asarray(clusters.sums(statistic)[drawn].sum(axis=1) / sizes[drawn].sum(axis=1))
    if (folded := folded_of(clusters, statistic)) is not None:
        return folded.fold(np.add.reduceat(folded.columns(sample), clusters.starts, axis=0)[drawn].sum(axis=1))
    if np.all(sizes == 1) and statistic in CORRELATIONS and sample.covariate is not None:
        from biascheck.stats.correlations import correlation_of_rows  # scipy only where it is needed

        items = clusters.starts[drawn]
        return correlation_of_rows(sample.values[items], sample.covariate[items], ranks=statistic == "spearman")
    if statistic == "standardised_difference" and sample.sides is not None:
        return _differences(clusters, drawn)
    return np.array([_figure(clusters, statistic, row) for row in drawn])


def _differences(clusters: Clusters, drawn: NDArray[np.intp]) -> Vector:
    """Standardised differences of all resamples at once, from sums that add up over clusters."""
    values = clusters.sample.values - clusters.sample.values.mean()  # squares of centred values lose no digits
    on_a = np.array([side == "A" for side in clusters.sample.sides or ()], dtype=float)
    columns = np.stack([on_a, 1 - on_a, values * on_a, values * (1 - on_a), values**2], axis=1)
    n_a, n_b, sum_a, sum_b, squares = np.add.reduceat(columns, clusters.starts, axis=0)[drawn].sum(axis=1).T
    n = n_a + n_b
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = (squares - (sum_a + sum_b) ** 2 / n) / (n - 1)
        found = (sum_a / n_a - sum_b / n_b) / np.sqrt(variance)
    found[variance <= rounding(clusters.sample.values) ** 2] = 0.0  # equal values, as in standardised_difference
    return np.where((n_a > 0) & (n_b > 0), found, np.nan)


def _figure(clusters: Clusters, statistic: str, drawn: NDArray[np.intp]) -> float:
    try:
        return estimate(clusters.sample.take(clusters.items(drawn)), statistic)
    except ScoreError:
        return math.nan


def _without_one(both: tuple[Clusters, Clusters], statistic: str) -> tuple[tuple[Vector, ...], tuple[Vector, ...]]:
    before, after = (tuple(jackknives(clusters, statistic)) for clusters in both)
    return (before, after) if before and after else ((), ())
