"""How often a gate speaks when it should not, and when it should: simulated data whose true value is known.

For each shape of data that the suites judge, data sets (:mod:`~biascheck.calibration.draws`) are drawn twice over: with
the true value at parity, and with the true value exactly at the margin, the worst case for a false EXCEEDS. The
statistics have not seen a model.

- *false alarms*: share of data sets judged EXCEEDS. At the margin it should be near (1 − level) / 2, since only one
  end of the interval can lie outside by chance, and not above 1 − level; at parity it should be about zero.
- *passes at parity*: share judged WITHIN.
- *power at the margin*: share whose interval leaves out parity when the true value lies at the margin, that is, how
  often the sample sees a bias of the size of the margin at all. A distance such as a skew is never below zero, so its
  interval has to lie above what 97.5 % of the data sets at parity show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from biascheck import stats
from biascheck.calibration.draws import Components, Shape, draw_of, parity_of
from biascheck.results.summaries import DISTANCES, interval_of_sample
from biascheck.stats import Sample, Verdict

__all__ = ["ENOUGH_POWER", "Rate", "Simulated", "simulate"]

ENOUGH_POWER = 0.8
AT_MOST_BY_CHANCE = 0.975


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
        """Whether no rate of false alarms is significantly above the stated level."""
        return max(self.alarms_at_margin.low, self.alarms_at_parity.low) <= self.stated

    @property
    def weak(self) -> bool:
        """Whether the gate would often miss a bias as large as its margin."""
        return self.power_at_margin.share < ENOUGH_POWER


def simulate(shape: Shape, components: Components, *, trials: int, seed: int) -> Simulated:
    """Draw and judge ``trials`` data sets at parity and as many at the margin."""
    rng = np.random.default_rng(seed)
    draw, parity = draw_of(shape, components), parity_of(shape.statistic)
    unbiased = [draw(rng, parity) for _ in range(trials)]
    biased = [draw(rng, parity + shape.limit.margin) for _ in range(trials)]
    at_parity, at_margin = (
        [interval_of_sample(sample, shape.statistic, rng=rng, level=shape.limit.level) for sample in samples]
        for samples in (unbiased, biased)
    )
    verdicts = [shape.limit.judge(interval, parity) for interval in at_parity]
    by_chance = _by_chance(unbiased, shape.statistic)
    return Simulated(
        shape,
        alarms_at_parity=Rate.of([verdict is Verdict.EXCEEDS for verdict in verdicts]),
        alarms_at_margin=Rate.of([shape.limit.judge(i, parity) is Verdict.EXCEEDS for i in at_margin]),
        passes_at_parity=Rate.of([verdict is Verdict.WITHIN for verdict in verdicts]),
        power_at_margin=Rate.of([interval is not None and interval.low > by_chance for interval in at_margin]),
    )


def _by_chance(unbiased: Sequence[Sample], statistic: str) -> float:
    """What an interval has to lie above to show a bias."""
    if statistic not in DISTANCES:
        return parity_of(statistic)
    return float(np.quantile([stats.estimate(sample, statistic) for sample in unbiased], AT_MOST_BY_CHANCE))
