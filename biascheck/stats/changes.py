"""The change of a statistic between two samples of the same items."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from biascheck.core.errors import UsageError
from biascheck.stats.intervals import ClusterSpread, cluster_deviations
from biascheck.stats.sample import (
    Clusters,
    bca_tails,
    crossed_spread,
    ends,
    expanded,
    influences,
    jackknives,
    resampled,
    rounding,
    shares_draws,
    widened,
)
from biascheck.stats.statistic import Sample, estimate
from biascheck.stats.vectors import Vector
from biascheck.stats.verdicts import Interval

# The change of a distance from parity between two samples of the same items, resampled together.
#
# Each resample draws the same clusters from both samples, so what they share cancels: the interval of a change is much
# narrower than the two separate intervals suggest.

SIGNS = (1.0, -1.0)


@dataclass(frozen=True, eq=False)
class DistanceChange:
    """``|after − parity| − |before − parity|``, with the numbers its interval is computed from.

    A distance has a kink at parity, where the bootstrap of it is wrong: resamples of an estimate near parity all lie
    further away than the estimate. So the kink is left out of the resampling. With signs s and t for after and before,
    the change is ``max over s of min over t of (s · after − t · before)``, and each of the four signed differences is
    smooth. Each end of the interval is the same maximum of minima over the ends of their four intervals. Each end
    misses the truth with (1 − level) / 2 where both signs are certain, and with 1 − level at most. ``spreads``
    is the factor by which shared draws widen ``after − before`` (1) and ``after + before`` (−1).
    """

    before: float
    after: float
    resamples: tuple[Vector, Vector]
    without_one: tuple[tuple[Vector, ...], tuple[Vector, ...]]
    freedom: int
    method: Literal["bca", "percentile"]
    redrawn: int = 0
    spreads: Mapping[float, float] = field(default_factory=dict)

    @property
    def estimate(self) -> float:
        """The change of the whole samples."""
        return abs(self.after) - abs(self.before)

    def interval_at(self, level: float) -> Interval:
        """The interval at a level; at all levels from the same resamples, so that they are nested."""
        wider = expanded(level, self.freedom)
        low, high = distance_ends(lambda s, t: self._ends(s, t, wider))
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
        found = ends(distribution, tails or ((1 - level) / 2, (1 - level) / 2))
        return widened(found, centre, self.spreads.get(s * t, 1.0))

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
    require_pairs(before, after)
    both = Clusters.of(before), Clusters.of(after)
    estimates = [estimate(clusters.sample, statistic) - parity for clusters in both]
    drawn, redrawn = resampled(both, statistic, rng, resamples)
    return DistanceChange(
        before=estimates[0],
        after=estimates[1],
        resamples=(drawn[0] - parity, drawn[1] - parity),
        without_one=_without_one(both, statistic),
        freedom=both[0].freedom,
        method=method,
        redrawn=redrawn,
        spreads=shared_spreads(before, after, statistic),
    )


def distance_ends(ends_of: Callable[[float, float], tuple[float, float]]) -> tuple[float, float]:
    """Combine the ends of ``s · after − t · before`` as the distance is: maximum over s of the minimum over t."""
    rows = [[ends_of(s, t) for t in SIGNS] for s in SIGNS]
    low, high = (max(min(found[end] for found in row) for row in rows) for end in (0, 1))
    return low, high


def require_pairs(before: Sample, after: Sample) -> None:
    """Raise UsageError unless item i of both samples is the same item."""
    if (before.clusters, before.sides) != (after.clusters, after.sides):
        raise UsageError(
            "item i of both samples must be the same item: give them the same clusters and sides, in order"
        )


def shared_spreads(before: Sample, after: Sample, statistic: str) -> dict[float, float]:
    """The factors by which shared draws widen the difference of both estimates, and their sum."""
    if not shares_draws(after):
        return {}
    earlier, later = (influences(sample, statistic) for sample in (before, after))
    return {sign: crossed_spread(after, later - sign * earlier) for sign in SIGNS}


def _without_one(both: tuple[Clusters, Clusters], statistic: str) -> tuple[tuple[Vector, ...], tuple[Vector, ...]]:
    before, after = (tuple(jackknives(clusters, statistic)) for clusters in both)
    return (before, after) if before and after else ((), ())


# The change of the distance of a mean from parity between two samples of the same items.


@dataclass(frozen=True, eq=False)
class MeanChange:
    """``|after − parity| − |before − parity|`` of mean-like statistics, with the numbers its interval is computed from.

    The kink of a distance at parity is left out as in :class:`~biascheck.stats.DistanceChange`: each of the four signed
    differences is itself a mean over clusters, with an interval of :func:`~biascheck.stats.mean_interval`.
    ``deviations`` are those of the clusters before and after.
    """

    before: float
    after: float
    deviations: tuple[Vector, Vector]
    clusters: Clusters
    scale: float = 1.0
    spreads: Mapping[float, float] = field(default_factory=dict)

    @property
    def estimate(self) -> float:
        """The change of the whole samples."""
        return abs(self.after) - abs(self.before)

    def interval_at(self, level: float) -> Interval:
        """The interval at a level; nested over levels."""
        low, high = distance_ends(lambda s, t: self._ends(s, t, level))
        count = self.deviations[0].size
        method = f"paired Student's t over {count} clusters, corrected for skewness"
        signs = (math.copysign(1.0, self.after), math.copysign(1.0, self.before))
        return Interval(low, high, level, method, self._spread(*signs).caution(count, level))

    def _spread(self, s: float, t: float) -> ClusterSpread:
        before, after = self.deviations
        return ClusterSpread.of(s * after - t * before, self.clusters, scale=self.scale)

    def _ends(self, s: float, t: float, level: float) -> tuple[float, float]:
        centre = s * self.after - t * self.before
        return widened(self._spread(s, t).ends(centre, level), centre, self.spreads.get(s * t, 1.0))


def paired_means(before: Sample, after: Sample, statistic: str, *, parity: float = 0.0) -> MeanChange:
    """Pair the clusters of two samples; item i of one is item i of the other. For mean-like statistics."""
    require_pairs(before, after)
    both = Clusters.of(before), Clusters.of(after)
    first, second = (estimate(clusters.sample, statistic) - parity for clusters in both)
    earlier, later = (cluster_deviations(clusters, statistic) for clusters in both)
    return MeanChange(
        before=first,
        after=second,
        deviations=(earlier, later),
        clusters=both[0],
        scale=max(float(np.abs(sample.values).max()) for sample in (before, after)),
        spreads=shared_spreads(before, after, statistic),
    )
