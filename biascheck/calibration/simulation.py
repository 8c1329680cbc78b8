"""How often a gate says what it should: data in the shape of its own, whose true value is known.

For each gate of the suites and each profile data sets (:mod:`~biascheck.calibration.draws`) are drawn with the true
value at parity, exactly at the margin, and at twice the margin, and judged as the run judges them.

- *passes at parity*: share judged WITHIN; at least 0.95 is asked for.
- *exceeds at twice the margin*: share judged EXCEEDS by itself, at the strictest level of the family; at least 0.8 is
  asked for. Where the scale of the statistic ends before twice the margin, the true value lies at its end.
- *false alarms at the margin*: share judged EXCEEDS; it should be near (1 − level) / 2, since only one end of the
  interval can lie outside by chance, and not above 1 − level.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from biascheck import stats
from biascheck.calibration.draws import draw_like
from biascheck.gates.gate import Bound, Gate
from biascheck.gates.run import Run
from biascheck.results.result import Result
from biascheck.results.summaries import LEVEL, interval_of_sample
from biascheck.stats import Interval, Sample, Verdict

__all__ = ["ENOUGH_FINDINGS", "ENOUGH_PASSES", "GatePower", "GateShape", "Rate", "gate_shapes", "power_of"]

ENOUGH_PASSES, ENOUGH_FINDINGS = 0.95, 0.8
ENDS = {
    "standardised_difference": 1.9,
    "share_positive": 0.98,
    "pearson": 0.95,
    "spearman": 0.95,
    "ratio": 0.98,
    "skew": 0.65,
    "stereotype": 0.95,
}
"""How far the scale of a statistic can be planted."""
AT_PARITY = {"direct bias": 0.04, "gender subspace": 0.1, "neighbour correlation": 0.0}
"""What measures that have no zero read where words lean to nobody: noise of 384 dimensions, one of ten pairs."""


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
class GateShape:
    """What a gate judges: the data it had, by which margins, in how large a family."""

    name: str
    measure: str
    statistic: str
    sample: Sample
    parity: float
    bound: Bound
    family: int
    margins: tuple[tuple[str, float], ...]
    model: str

    @classmethod
    def of(cls, gate: Gate, result: Result) -> GateShape:
        """The shape of a gate."""
        margins = tuple((one.profile, one.margin) for one in gate.profiles) or (("", gate.margin),)
        return cls(
            name=_name(gate),
            measure=gate.measure,
            statistic=result.statistic,
            sample=result.sample,
            parity=result.parity,
            bound=gate.bound,
            family=gate.family,
            margins=margins,
            model=gate.model,
        )

    @property
    def clusters(self) -> int:
        """How many clusters it judges."""
        return len(set(self.sample.clusters))

    def planted_at(self, margin: float, times: float) -> float:
        """The true value so many times the margin away from parity, or the end of the scale."""
        distance = margin if self.bound == "within" else margin - self.parity
        return min(self.parity + times * distance, ENDS.get(self.statistic, np.inf))


@dataclass(frozen=True)
class GatePower:
    """How one gate fares under the margin of one profile."""

    gate: str
    measure: str
    statistic: str
    clusters: int
    family: int
    profile: str
    margin: float
    planted: float
    passes_at_parity: Rate
    alarms_at_margin: Rate
    exceeds_at_twice: Rate
    model: str

    @property
    def decides(self) -> bool:
        """Whether it passes a model at parity and finds one at twice the margin often enough."""
        return self.passes_at_parity.share >= ENOUGH_PASSES and self.exceeds_at_twice.share >= ENOUGH_FINDINGS

    @property
    def compatible(self) -> bool:
        """Whether its false alarms are not significantly above the stated level."""
        return self.alarms_at_margin.low <= (1 - LEVEL) / self.family


def gate_shapes(runs: Iterable[Run]) -> tuple[GateShape, ...]:
    """The gates of several runs by their tests, each in the shape that it had in the first run that judged it."""
    found: dict[tuple[str, str], GateShape] = {}
    for run in runs:
        results = {result.key: result for result in run.results}
        for gate in run.gates:
            if gate.key in results and gate.verdict is not Verdict.INVALID:
                found.setdefault((_name(gate), gate.measure), GateShape.of(gate, results[gate.key]))
    return tuple(found[key] for key in sorted(found))


def power_of(shape: GateShape, *, trials: int, seed: int) -> tuple[GatePower, ...]:
    """Draw and judge ``trials`` data sets of a gate at parity, and for each profile at its margin and at twice that."""
    trial = _Trial(shape, trials, seed)
    at_parity = trial.intervals(AT_PARITY.get(shape.measure, shape.parity))
    return tuple(trial.under(profile, margin, at_parity) for profile, margin in shape.margins)


@dataclass(frozen=True)
class _Trial:
    shape: GateShape
    trials: int
    seed: int

    @cached_property
    def _rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)

    def intervals(self, truth: float) -> list[_Intervals]:
        draw = draw_like(self.shape.sample, self.shape.statistic)
        return [_Intervals(draw(self._rng, truth), self.shape, self.seed + n) for n in range(self.trials)]

    def under(self, profile: str, margin: float, at_parity: Sequence[_Intervals]) -> GatePower:
        shape = self.shape
        planted = shape.planted_at(margin, 2)
        return GatePower(
            gate=shape.name,
            measure=shape.measure,
            statistic=shape.statistic,
            clusters=shape.clusters,
            family=shape.family,
            profile=profile,
            margin=margin,
            planted=planted,
            passes_at_parity=Rate.of([one.verdict(margin) is Verdict.WITHIN for one in at_parity]),
            alarms_at_margin=self._exceeding(shape.planted_at(margin, 1), margin),
            exceeds_at_twice=self._exceeding(planted, margin),
            model=shape.model,
        )

    def _exceeding(self, truth: float, margin: float) -> Rate:
        return Rate.of([one.verdict(margin) is Verdict.EXCEEDS for one in self.intervals(truth)])


@dataclass(frozen=True)
class _Intervals:
    """The intervals of one data set."""

    sample: Sample
    shape: GateShape
    seed: int

    def verdict(self, margin: float) -> Verdict:
        """As a run judges it: the strictest level of the family decides whether it exceeds."""
        alone = self._compare(self._plain, margin)
        if alone is Verdict.EXCEEDS and self.shape.family > 1:
            strict = self._compare(self._at(1 - (1 - LEVEL) / self.shape.family), margin)
            return Verdict.EXCEEDS if strict is Verdict.EXCEEDS else Verdict.INCONCLUSIVE
        return alone

    @cached_property
    def _plain(self) -> Interval | None:
        return self._at(LEVEL)

    def _at(self, level: float) -> Interval | None:
        rng = np.random.default_rng(self.seed)
        return interval_of_sample(self.sample, self.shape.statistic, rng=rng, level=level)

    def _compare(self, interval: Interval | None, margin: float) -> Verdict:
        if self.shape.bound == "below":
            return stats.verdict_below(interval, margin)
        return stats.verdict_of(interval, margin, centre=self.shape.parity)


def _name(gate: Gate) -> str:
    """The suite and test of a gate, without the model."""
    file, _, test = gate.test.partition("::")
    folders = file.split("/")
    suite = folders[-2] if len(folders) > 1 else ""
    function, _, case = test.partition("[")
    own = case.removesuffix("]").replace(gate.model, "").strip("-")
    return f"{suite}: {function.removeprefix('test_')}{f' [{own}]' if own else ''}"
