"""How often a gate speaks when it should not, and when it should: simulated data whose true value is known.

For each shape of data that the suites judge, data sets are drawn twice over: with the true value at parity, and with
the true value exactly at the margin, the worst case for a false EXCEEDS. Clusters differ by as much as they do in a
real result (its variance components); the statistics have not seen a model.

- *false alarms*: share of data sets judged EXCEEDS. At the margin it should be near (1 − level) / 2, since only one
  end of the interval can lie outside by chance, and not above 1 − level; at parity it should be about zero.
- *passes at parity*: share judged WITHIN.
- *power at the margin*: share whose interval leaves out parity when the true value lies at the margin, that is, how
  often the sample sees a bias of the size of the margin at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import pi, sin, sqrt

import numpy as np
from numpy.typing import NDArray

from biascheck import stats
from biascheck.results import Result
from biascheck.standards.suite_gates import Limit
from biascheck.stats import Interval, Sample, Verdict

__all__ = ["Components", "Rate", "Shape", "Simulated", "components_of", "simulate", "true_d"]

ENOUGH_POWER = 0.8
RESAMPLES = {"mean": 2_000, "share_positive": 2_000, "standardised_difference": 400, "spearman": 200}
Draw = Callable[[np.random.Generator, float], Sample]


@dataclass(frozen=True)
class Components:
    """Variance between clusters and within them, as standard deviations."""

    between: float
    within: float


@dataclass(frozen=True)
class Shape:
    """What a gate judges: a statistic, so many clusters (on each side, for an effect size) of so many items."""

    gate: str
    statistic: str
    clusters: int
    items: int
    limit: Limit


@dataclass(frozen=True)
class Rate:
    """A share of trials with Wilson's interval."""

    count: int
    trials: int
    low: float
    high: float

    @classmethod
    def of(cls, hits: Sequence[bool]) -> Rate:
        """Count the hits among independent trials."""
        interval = stats.wilson_interval(sum(hits) / len(hits), len(hits))
        return cls(sum(hits), len(hits), interval.low, interval.high)

    @property
    def share(self) -> float:
        """The observed share."""
        return self.count / self.trials


@dataclass(frozen=True)
class Simulated:
    """How one shape fared."""

    shape: Shape
    alarms_at_parity: Rate
    alarms_at_margin: Rate
    passes_at_parity: Rate
    power_at_margin: Rate

    @property
    def stated(self) -> float:
        """The largest rate of false alarms that the gate's level allows."""
        return 1 - self.shape.limit.level

    @property
    def compatible(self) -> bool:
        """Whether the rates of false alarms can be told from the stated level, upwards."""
        return max(self.alarms_at_margin.low, self.alarms_at_parity.low) <= self.stated

    @property
    def weak(self) -> bool:
        """Whether the gate would often miss a bias as large as its margin."""
        return self.power_at_margin.share < ENOUGH_POWER


def components_of(result: Result) -> Components:
    """The variance components of a result's items, from a one-way analysis of variance over its clusters."""
    clusters: dict[str, list[float]] = {}
    for item in result.items:
        clusters.setdefault(item.cluster, []).append(item.score)
    sizes = np.array([len(scores) for scores in clusters.values()])
    means = np.array([np.mean(scores) for scores in clusters.values()])
    squares = sum(float(np.sum((np.array(s) - np.mean(s)) ** 2)) for s in clusters.values())
    within = squares / max(1, int(sizes.sum()) - len(sizes))
    between = max(0.0, float(means.var(ddof=1)) - within / float(sizes.mean()))
    return Components(sqrt(between), sqrt(within))


def simulate(shape: Shape, components: Components, *, trials: int, seed: int) -> Simulated:
    """Draw and judge ``trials`` data sets at parity and as many at the margin."""
    rng = np.random.default_rng(seed)
    draw = _DRAWS[shape.statistic](shape, components)
    parity = 0.5 if shape.statistic == "share_positive" else 0.0
    margin = shape.limit.margin
    at_parity = [_interval(draw(rng, parity), shape, rng) for _ in range(trials)]
    at_margin = [_interval(draw(rng, parity + margin), shape, rng) for _ in range(trials)]
    verdicts = [stats.judge(interval, margin, centre=parity) for interval in at_parity]
    exceeded = [stats.judge(interval, margin, centre=parity) is Verdict.EXCEEDS for interval in at_margin]
    return Simulated(
        shape,
        alarms_at_parity=Rate.of([verdict is Verdict.EXCEEDS for verdict in verdicts]),
        alarms_at_margin=Rate.of(exceeded),
        passes_at_parity=Rate.of([verdict is Verdict.WITHIN for verdict in verdicts]),
        power_at_margin=Rate.of([interval.low > parity for interval in at_margin]),
    )


def _interval(sample: Sample, shape: Shape, rng: np.random.Generator) -> Interval:
    """The interval of a gate: Wilson's for a share, a cluster bootstrap for all else."""
    level, statistic = shape.limit.level, shape.statistic
    if statistic == "share_positive":
        return stats.wilson_interval(stats.estimate(sample, statistic), len(sample), level=level)
    return stats.cluster_bootstrap(sample, statistic, rng=rng, level=level, resamples=RESAMPLES[statistic])


def _means(shape: Shape, components: Components) -> Draw:
    names = tuple(f"{c:03}" for c in range(shape.clusters) for _ in range(shape.items))

    def draw(rng: np.random.Generator, truth: float) -> Sample:
        shifts = np.repeat(rng.normal(truth, components.between, shape.clusters), shape.items)
        return Sample(shifts + rng.normal(0, components.within, len(names)), names)

    return draw


def _shares(shape: Shape, _components: Components) -> Draw:
    names = tuple(f"{c:03}" for c in range(shape.clusters))

    def draw(rng: np.random.Generator, truth: float) -> Sample:
        return Sample(np.where(rng.random(shape.clusters) < truth, 1.0, -1.0), names)

    return draw


def _differences(shape: Shape, _components: Components) -> Draw:
    names = tuple(f"{c:03}" for c in range(2 * shape.clusters))
    sides = ("A",) * shape.clusters + ("B",) * shape.clusters

    def draw(rng: np.random.Generator, truth: float) -> Sample:
        shift = _shift_for(truth)
        values = rng.normal(0, 1, 2 * shape.clusters)
        values[: shape.clusters] += shift
        return Sample(values, names, sides=sides)

    return draw


def _correlations(shape: Shape, _components: Components) -> Draw:
    names = tuple(f"{c:03}" for c in range(shape.clusters))

    def draw(rng: np.random.Generator, truth: float) -> Sample:
        r = 2 * sin(pi * truth / 6)  # Pearson's r of the bivariate normal whose Spearman correlation is the truth
        x: NDArray[np.float64] = rng.normal(size=shape.clusters)
        return Sample(r * x + sqrt(1 - r * r) * rng.normal(size=shape.clusters), names, covariate=x)

    return draw


def true_d(shift: float) -> float:
    """The effect size of two normal sets of equal number that lie ``shift`` standard deviations apart.

    d divides by the deviation of both sets together, √(1 + shift² / 4), so it never reaches 2.
    """
    return shift / sqrt(1 + shift * shift / 4)


def _shift_for(d: float) -> float:
    return d / sqrt(1 - d * d / 4)


_DRAWS: dict[str, Callable[[Shape, Components], Draw]] = {
    "mean": _means,
    "share_positive": _shares,
    "standardised_difference": _differences,
    "spearman": _correlations,
}
