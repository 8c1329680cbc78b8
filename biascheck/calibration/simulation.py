"""Power and false alarms of gates, on simulated data of their own shape with a known true value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import pi, sin, sqrt

import numpy as np
from numpy.typing import NDArray

from biascheck import stats
from biascheck.core.errors import UsageError
from biascheck.gates.gate import Bound, Gate
from biascheck.results.result import Result
from biascheck.results.summaries import LEVEL, interval_of_sample
from biascheck.runs.run import Run
from biascheck.stats import Interval, Sample, Verdict

# Data sets whose true value is known, in the shape of a real result: its clusters, sides and covariates, its
# noise.
#
# For every statistic that suites judge there is a population with any true value from parity to beyond the
# margins:
#
# - *mean*, *difference*, *slope*: the residuals of the result, clusters exchanged and signs tossed, around the truth.
# - *rms_gap*: every cluster lies the true value above or below zero; readings vary around it by the residuals of
#   items.
# - *mean_absolute*: normal clusters around zero; with deviation s their mean magnitude is s · √(2/π).
# - *ratio*, *ratio_of_sides*: the ratios of single items vary around the true one by their residuals.
# - *share_positive*: each cluster is a hit with the true share.
# - *standardised_difference*: two normal sets whose distance makes the true d.
# - *spearman*, *pearson*: bivariate normal clusters with the true correlation.
# - *skew*: "he" is predicted with one probability p for either stereotype, F1♂ = p / (p + ½), F1♀ = (1 − p) / (3/2 −
#   p).
# - *stereotype*: the expected gender is predicted with probability q for either, F1 pro = q, F1 anti = 1 − q.

Draw = Callable[[np.random.Generator, float], Sample]
"""Draw a data set with this true value."""
Array = NDArray[np.float64]


def draw_like(sample: Sample, statistic: str) -> Draw:
    """How to draw data sets in the shape of a sample."""
    if statistic not in _DRAWS:
        raise UsageError(f"no data with a known {statistic} can be drawn; there are: {', '.join(sorted(_DRAWS))}")
    return _DRAWS[statistic](replace(sample, draws=None))


def true_d(shift: float) -> float:
    """The effect size of two normal sets of equal number that lie ``shift`` standard deviations apart.

    d divides by the deviation of both sets together, √(1 + shift² / 4), so it never reaches 2.
    """
    return shift / sqrt(1 + shift * shift / 4)


def share_of_male_for(skew: float) -> float:
    """The probability of predicting male, whatever the occupation, that makes this skew; the root of a quadratic.

    With x = p − ½, skew = (½ + x) / (1 + x) − (½ − x) / (1 − x) = x / (1 − x²).
    """
    return 0.5 + (0.0 if skew == 0 else (sqrt(1 + 4 * skew * skew) - 1) / (2 * skew))


class _Noise:
    """What is left of a sample without its means: how far clusters lie from their mean, and items from theirs."""

    def __init__(self, values: Array, sample: Sample) -> None:
        self.codes = sample.codes
        self.count = len(sample.names)
        sizes = np.bincount(self.codes)
        means = np.bincount(self.codes, weights=values) / sizes
        on_b = np.bincount(self.codes, weights=_on_b(sample)) / sizes > 0.5
        self.strata = [np.flatnonzero(on_b == side) for side in (False, True)]
        centres = np.array([means[on_b == side].mean() if (on_b == side).any() else 0.0 for side in (False, True)])
        self.between = means - centres[on_b.astype(int)]
        self.within = values - means[self.codes]

    def of_clusters(self, rng: np.random.Generator) -> Array:
        """The residuals of other clusters, drawn with replacement within each side, with random signs."""
        drawn = np.zeros(self.count)
        for stratum in self.strata:
            drawn[stratum] = self.between[rng.choice(stratum, stratum.size)] if stratum.size else 0.0
        return (drawn * _signs(rng, self.count))[self.codes]

    def shuffled(self, rng: np.random.Generator) -> Array:
        """The residuals of all items, each with its own sign, in any order: as independent as the readings of a gap."""
        return rng.permutation(self.within) * _signs(rng, self.within.size)

    def of_items(self, rng: np.random.Generator) -> Array:
        """The residuals of the items of each cluster, together with one random sign."""
        return self.within * _signs(rng, self.count)[self.codes]


def _shifted(effect: Callable[[Sample], Array]) -> Callable[[Sample], Draw]:
    """Noise of clusters and items around an effect that is proportional to the true value."""

    def like(sample: Sample) -> Draw:
        pattern, noise = effect(sample), _Noise(sample.values - _fitted(effect(sample), sample.values), sample)

        def draw(rng: np.random.Generator, truth: float) -> Sample:
            return replace(sample, values=truth * pattern + noise.of_clusters(rng) + noise.of_items(rng))

        return draw

    return like


def _fitted(pattern: Array, values: Array) -> Array:
    """The part of the values that follows a pattern, if the pattern varies."""
    centred = pattern - pattern.mean()
    squares = float(centred @ centred)
    return centred * float(centred @ values) / squares if squares else np.zeros_like(values)


def _everywhere(sample: Sample) -> Array:
    return np.ones(len(sample))


def _on_side_a(sample: Sample) -> Array:
    return 1.0 - _on_b(sample)


def _along_covariate(sample: Sample) -> Array:
    """The pattern whose slope is 1."""
    covariate = np.zeros(len(sample)) if sample.covariate is None else sample.covariate
    return covariate / stats.estimate(replace(sample, values=covariate), "slope")


def _typical_gaps(sample: Sample) -> Draw:
    noise = _Noise(sample.values, sample)
    sizes = np.bincount(noise.codes)[noise.codes]

    def draw(rng: np.random.Generator, truth: float) -> Sample:
        values = (truth * _signs(rng, noise.count))[noise.codes] + noise.shuffled(rng)
        sums = np.bincount(noise.codes, weights=values)[noise.codes]
        return replace(sample, values=values, covariate=(sums - values) / np.maximum(sizes - 1, 1))

    return draw


def _magnitudes(sample: Sample) -> Draw:
    codes = sample.codes

    def draw(rng: np.random.Generator, truth: float) -> Sample:
        return replace(sample, values=rng.normal(0, truth * sqrt(pi / 2), codes.max() + 1)[codes])

    return draw


def _ratios(of_sides: bool) -> Callable[[Sample], Draw]:
    """Ratios of single items around the true one, or, of sides, around a common one that side B has times the truth."""

    def like(sample: Sample) -> Draw:
        weights = np.ones(len(sample)) if sample.covariate is None else sample.covariate
        noise = _Noise(np.divide(sample.values, weights, out=np.zeros(len(sample)), where=weights != 0), sample)
        level, on_b = sample.values.sum() / weights.sum(), _on_b(sample) == 1

        def draw(rng: np.random.Generator, truth: float) -> Sample:
            centre = level * np.where(on_b, truth, 1.0) if of_sides else np.full(len(sample), truth)
            return replace(sample, values=weights * (centre + noise.of_clusters(rng) + noise.of_items(rng)))

        return draw

    return like


def _shares(sample: Sample) -> Draw:
    codes = sample.codes

    def draw(rng: np.random.Generator, truth: float) -> Sample:
        return replace(sample, values=np.where(rng.random(codes.max() + 1) < truth, 1.0, -1.0)[codes])

    return draw


def _differences(sample: Sample) -> Draw:
    on_a = _on_side_a(sample)

    def draw(rng: np.random.Generator, truth: float) -> Sample:
        shift = truth / sqrt(1 - truth * truth / 4)  # the shift whose d is the truth
        return replace(sample, values=rng.normal(0, 1, len(sample)) + shift * on_a)

    return draw


def _correlations(ranks: bool) -> Callable[[Sample], Draw]:
    def like(sample: Sample) -> Draw:
        codes = sample.codes
        count = codes.max() + 1

        def draw(rng: np.random.Generator, truth: float) -> Sample:
            r = 2 * sin(pi * truth / 6) if ranks else truth  # Pearson's r with which Spearman's is the truth
            x, y = rng.normal(size=count), rng.normal(size=count)
            return replace(sample, values=(r * x + sqrt(1 - r * r) * y)[codes], covariate=x[codes])

        return draw

    return like


def _predictions(probability: Callable[[float, bool], float]) -> Callable[[Sample], Draw]:
    """Predicted genders: "he" with a probability that depends on the true value and the side of the item."""

    def like(sample: Sample) -> Draw:
        on_b = _on_b(sample) == 1

        def draw(rng: np.random.Generator, truth: float) -> Sample:
            male = np.where(on_b, probability(truth, True), probability(truth, False))
            return replace(sample, values=np.where(rng.random(len(sample)) < male, 1.0, -1.0))

        return draw

    return like


def _expected(truth: float, on_b: bool) -> float:
    return (1 - truth) / 2 if on_b else (1 + truth) / 2


def _on_b(sample: Sample) -> Array:
    return np.array([side == "B" for side in sample.sides or ("A",) * len(sample)], dtype=float)


def _signs(rng: np.random.Generator, count: int) -> Array:
    return rng.choice([-1.0, 1.0], count)


_DRAWS: dict[str, Callable[[Sample], Draw]] = {
    "mean": _shifted(_everywhere),
    "difference": _shifted(_on_side_a),
    "slope": _shifted(_along_covariate),
    "rms_gap": _typical_gaps,
    "mean_absolute": _magnitudes,
    "ratio": _ratios(of_sides=False),
    "ratio_of_sides": _ratios(of_sides=True),
    "share_positive": _shares,
    "standardised_difference": _differences,
    "spearman": _correlations(ranks=True),
    "pearson": _correlations(ranks=False),
    "skew": _predictions(lambda truth, _: share_of_male_for(truth)),
    "stereotype": _predictions(_expected),
}


# Power and false alarms of gates on these data.
#
# For each gate of the suites and each profile data sets (:mod:`~biascheck.calibration.simulation`) are drawn
# with the true value at parity, exactly at the margin, and at twice the margin, and judged as the run judges
# them.
#
# - *passes at parity*: share judged WITHIN; at least 0.95 is required.
# - *exceeds at twice the margin*: share judged EXCEEDS by itself, at the strictest level of the family; at least 0.8
#   is
#   asked for. Where the scale of the statistic ends before twice the margin, the true value lies at its end.
# - *false alarms at the margin*: share judged EXCEEDS; it should be near (1 − level) / 2, since only one end of the
#   interval can lie outside by chance, and not above 1 − level.

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
"""The largest planted value on the scale of a statistic."""
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
    """A gate to simulate: its data, its margins, and the size of its family."""

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
    """The power and false alarms of one gate under the margin of one profile."""

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
        """The verdict of a run: the strictest level of the family decides whether it exceeds."""
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
