"""How the distance of a mean from parity changes between two samples of the same items."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from biascheck.stats.estimators import Sample, estimate
from biascheck.stats.interval import Interval
from biascheck.stats.intervals.clusters import Clusters
from biascheck.stats.intervals.crossing import widened
from biascheck.stats.intervals.mean_intervals import ClusterSpread, cluster_deviations
from biascheck.stats.intervals.pairing import distance_ends, require_pairs, shared_spreads
from biascheck.stats.vectors import Vector

__all__ = ["MeanChange", "paired_means"]


@dataclass(frozen=True, eq=False)
class MeanChange:
    """``|after − parity| − |before − parity|`` of mean-like figures, with what its interval is made from.

    The kink of a distance at parity is left out as in :class:`~biascheck.stats.DistanceChange`: each of the four signed
    differences of both figures is a mean over clusters itself, with an interval of
    :func:`~biascheck.stats.mean_interval`. ``deviations`` are those of the clusters before and after.
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
