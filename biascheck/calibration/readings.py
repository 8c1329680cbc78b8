"""Planted against measured values, on models and vectors whose true value is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, get_args

import numpy as np

from biascheck import stats
from biascheck.calibration.simulation import Rate
from biascheck.corpora import bec_pro, review_pairs, winograd, written_reviews
from biascheck.corpora.corpus import Corpus
from biascheck.corpora.weat import WeatStimuli, WeatTest, weat_test
from biascheck.corpora.winograd import WinogradKind
from biascheck.gates.gate import Gate
from biascheck.measures import (
    absolute_delta,
    association,
    classifier_accuracy,
    cluster_accuracy,
    direct_bias,
    effect_size,
    gender_subspace,
    name_resolution,
    neighbour_correlation,
    positive_share,
    pronoun_gap,
    sentiment_delta,
    skew_of,
    stereotype_of,
    weat,
    workforce_correlation,
)
from biascheck.measures.gaps import means_of_attributes
from biascheck.models.base import LanguageModel
from biascheck.reference.planted import (
    bias_of_words,
    moment_of_cosine,
    planted_classifier,
    planted_deltas,
    planted_encoder,
    planted_f1,
    planted_lexicon,
    subspace_share,
)
from biascheck.reference.world import World
from biascheck.results.result import Result
from biascheck.results.summaries import LEVEL
from biascheck.runs.run import Run
from biascheck.stats import Sample, Verdict

# Planted against measured values, on reference models whose true values are known.


@dataclass(frozen=True)
class GateOutcome:
    """One gate of a suite, judged."""

    gate: str
    statistic: str
    estimate: float
    low: float
    high: float
    margin: float
    verdict: str

    @classmethod
    def of(cls, gate: Gate) -> GateOutcome:
        """The outcome of a gate, under the names of its suite, measure and corpus."""
        suite = gate.test.split("::")[0].rpartition("/")[0].rpartition("/")[2]
        low, high = (gate.estimate, gate.estimate) if gate.interval is None else (gate.interval.low, gate.interval.high)
        name = f"{suite}: {' · '.join((gate.measure, gate.corpus, *gate.key.treatment))}"
        return cls(name, gate.statistic, gate.estimate, low, high, gate.margin, str(gate.verdict))


def gate_outcomes(run: Run) -> tuple[GateOutcome, ...]:
    """The outcomes of all gates of a run, in order."""
    return tuple(map(GateOutcome.of, run.gates))


@dataclass(frozen=True)
class PlantedEstimate:
    """A figure as planted and as measured."""

    planted: float
    measured: float


@dataclass(frozen=True)
class Fit:
    """The line through measured against planted values: slope 1, intercept 0 and R² 1 are a perfect instrument."""

    slope: float
    intercept: float
    r_squared: float
    largest_error: float
    points: int


@dataclass(frozen=True)
class DoseReading:
    """The planted values of one dose, and the readings of the measures and gates."""

    dose: float
    gaps: Mapping[str, PlantedEstimate]
    effect_size: PlantedEstimate | None
    share: PlantedEstimate | None
    correlation: PlantedEstimate | None
    gates: tuple[GateOutcome, ...]


@dataclass(frozen=True)
class PronounReading:
    """Skew and stereotype as planted and as measured on one kind of Winograd sentences; ``f1`` is that on names."""

    dose: float
    tilt: float
    kind: str
    online: bool
    skew: PlantedEstimate
    stereotype: PlantedEstimate
    f1: float


@dataclass(frozen=True)
class SentimentReading:
    """Total and absolute sentiment delta as planted and as measured on our own reviews."""

    shift: float
    total: PlantedEstimate
    absolute: PlantedEstimate


def fit(estimates: Iterable[PlantedEstimate]) -> Fit:
    """Least squares of measured on planted values."""
    pairs = list(estimates)
    planted, measured = (np.array([getattr(f, name) for f in pairs]) for name in ("planted", "measured"))
    slope, intercept = np.polyfit(planted, measured, 1)
    residuals = measured - (slope * planted + intercept)
    r_squared = 1 - float(residuals @ residuals) / float(np.sum((measured - measured.mean()) ** 2))
    return Fit(float(slope), float(intercept), r_squared, float(np.abs(measured - planted).max()), len(pairs))


def read_dose(model: LanguageModel, dose: float, gates: tuple[GateOutcome, ...]) -> DoseReading:
    """Compare the reference model of a dose with the bias planted in its professions, by the gates of the suites."""
    truth = World(dose).truth()
    result = association(model, bec_pro("en"))
    gaps = {item.id: PlantedEstimate(truth[item.id], item.score) for item in means_of_attributes(result.items)}
    if dose == 0:  # with nothing planted, a direction, an order or a spread has no true value
        return DoseReading(dose, gaps, None, None, None, gates)
    return DoseReading(
        dose,
        gaps,
        PlantedEstimate(_planted_d(truth), effect_size(model, sided_bec_pro()).estimate),
        PlantedEstimate(_planted_share(truth), positive_share(model, bec_pro("en")).estimate),
        PlantedEstimate(_planted_correlation(truth), workforce_correlation(result).estimate),
        gates,
    )


def read_pronouns(model: LanguageModel, world: World) -> tuple[PronounReading, ...]:
    """Compare the reference model of a world with the skew and stereotype planted in its pronouns."""
    return tuple(
        _read_pronouns(model, world, kind, online) for kind in get_args(WinogradKind) for online in (False, True)
    )


def _read_pronouns(model: LanguageModel, world: World, kind: WinogradKind, online: bool) -> PronounReading:
    planted = planted_f1(world, kind, online=online)
    gaps = pronoun_gap(model, winograd(kind), online=online)
    return PronounReading(
        world.dose,
        world.tilt,
        kind,
        online,
        PlantedEstimate(planted.skew, skew_of(gaps).estimate),
        PlantedEstimate(planted.stereotype, stereotype_of(gaps).estimate),
        name_resolution(model, winograd(kind)).estimate,
    )


def read_sentiment(shift: float) -> SentimentReading:
    """Compare a classifier with shifted female ratings with the planted deltas."""
    pairs = review_pairs(written_reviews("test"), "all")
    planted = np.array(list(planted_deltas(pairs, shift).values()))
    result = sentiment_delta(planted_classifier(shift), pairs)
    return SentimentReading(
        shift,
        PlantedEstimate(float(planted.mean()), result.estimate),
        PlantedEstimate(float(np.abs(planted).mean()), absolute_delta(result).estimate),
    )


def sided_bec_pro() -> Corpus:
    """BEC-Pro's professions of men (side A) and of women (side B): two attribute sets with a planted effect size."""
    corpus, sides = bec_pro("en"), {"male": "A", "female": "B"}
    pairs = tuple(
        replace(pair, labels={**pair.labels, "side": sides[str(pair.labels["profession_group"])]})
        for pair in corpus
        if pair.labels["profession_group"] in sides
    )
    return replace(corpus, name="bec-pro-en by side", pairs=pairs)


def _planted_d(truth: Mapping[str, float]) -> float:
    sides = {pair.attribute: str(pair.labels["side"]) for pair in sided_bec_pro()}
    names = sorted(sides)
    sample = Sample(np.array([truth[n] for n in names]), tuple(names), sides=tuple(sides[n] for n in names))
    return stats.estimate(sample, "standardised_difference")


def _planted_share(truth: Mapping[str, float]) -> float:
    return stats.estimate(Sample(np.array(list(truth.values())), tuple(truth)), "share_positive")


def _planted_correlation(truth: Mapping[str, float]) -> float:
    shares = {pair.attribute: float(pair.labels["share_of_women"]) for pair in bec_pro("en")}
    values, covariate = np.array(list(truth.values())), np.array([shares[name] for name in truth])
    return stats.estimate(Sample(values, tuple(truth), covariate=covariate), "spearman")


# The measures on embeddings, validated on vectors whose true values are known.
#
# Each planted value is measured many times, on embeddings of different seeds. *Does the measure read what is
# planted?* Its mean is shown beside the true value. *Does its gate raise false alarms?* Each reading is judged
# with the true value as the bound, the worst case.

FAR = 6.0
"""Six standard deviations to either side: only words that lean astray are classified wrongly."""
SHARP = 50.0
"""So far apart that the axis of the definitional pairs is known almost exactly."""
PAIRS = (3.0, 5.0, 10.0)
LEANS = (0.0, 0.5, 1.0, 2.0)
ASTRAY = (0.0, 0.1, 0.3)
DRAWS = 5
OPTIONS: Mapping[Callable[..., Result], Mapping[str, Any]] = {
    gender_subspace: {"corrected": True},
    cluster_accuracy: {"permutations": 1},
    classifier_accuracy: {"permutations": 1},
}
"""As the suites judge them, but without the permuted labels that are shown beside an accuracy."""


@dataclass(frozen=True)
class Planting:
    """A planted value for a measure, the figure it should read, and a function that reads it for a seed."""

    planted: str
    truth: float
    read: Callable[[int], Result]


@dataclass(frozen=True)
class GeometryReading:
    """A planted value and the mean of the measured ones; how often an interval lies above the truth, or contains it."""

    measure: str
    planted: str
    value: PlantedEstimate
    alarms: Rate
    covered: Rate

    @property
    def stated(self) -> float:
        """The largest rate of false alarms that the level of a gate allows."""
        return 1 - LEVEL

    @property
    def compatible(self) -> bool:
        """Whether the rate of false alarms is not significantly above the stated one."""
        return self.alarms.low <= self.stated


def plantings(words: int) -> tuple[Planting, ...]:
    """The values planted in embeddings of so many words."""
    lexicon, sides = planted_lexicon(words, sentences=DRAWS), _sides(words)

    def planting(measure: Callable[..., Result], what: str, truth: float, **planted: Any) -> Planting:
        def read(seed: int) -> Result:
            encoder = planted_encoder(**{"pairs": SHARP, **planted}, seed=seed)
            if measure is weat:
                return weat(encoder, sides, level="word", seed=seed)
            return measure(encoder, lexicon, **OPTIONS.get(measure, {}), draws=DRAWS, seed=seed)

        return Planting(what, truth, read)

    cosines = {lean: moment_of_cosine(lean, 1, absolute=True) for lean in LEANS}
    accuracies = (cluster_accuracy, classifier_accuracy)
    return (
        *(planting(gender_subspace, f"pairs {2 * p:g} apart", subspace_share(p), pairs=p) for p in PAIRS),
        *(planting(direct_bias, _leaning(lean), cosines[lean], lean=lean) for lean in LEANS),
        *(planting(measure, _leaning(0.0), 0.5) for measure in accuracies),
        *(
            planting(measure, f"{share:.0%} of the words astray", 1 - share, lean=FAR, astray=share)
            for measure in accuracies
            for share in ASTRAY
        ),
        planting(neighbour_correlation, _leaning(0.0), 0.0),
        planting(neighbour_correlation, _leaning(FAR), _of_all_alike(words), lean=FAR),
        *(planting(weat, _leaning(lean), _planted_effect(lean), lean=lean) for lean in LEANS),
    )


def read_planting(planting: Planting, *, trials: int) -> GeometryReading:
    """Measure a planted value on ``trials`` embeddings, and judge each reading with the true value as the bound."""
    results = [planting.read(seed) for seed in range(trials)]
    intervals = [result.interval for result in results]
    verdicts = [stats.verdict_below(interval, planting.truth) for interval in intervals]
    return GeometryReading(
        results[0].measure,
        planting.planted,
        PlantedEstimate(planting.truth, float(np.mean([result.estimate for result in results]))),
        alarms=Rate.of([verdict is Verdict.EXCEEDS for verdict in verdicts]),
        covered=Rate.of([interval is not None and interval.contains(planting.truth) for interval in intervals]),
    )


def _leaning(lean: float) -> str:
    return f"words lean by {lean:g} standard deviations" if lean else "noise"


def _of_all_alike(words: int) -> float:
    """The correlation where all neighbours of a word lean as it does: that of its bias with the sign of its bias."""
    bias = np.array(list(bias_of_words(words).values()))
    return float(np.corrcoef(bias, np.sign(bias))[0, 1])


def _planted_effect(lean: float) -> float:
    """With attributes at the ends of the axis, s = 2 · cos: X and Y lie 4 · E[cos] apart and vary by 2 · √E[cos²]."""
    return 2 * moment_of_cosine(lean, 1) / sqrt(moment_of_cosine(lean, 2))


def _sides(words: int) -> WeatTest:
    bias = bias_of_words(words)
    male, female = (tuple(word for word in bias if bias[word] * sign > 0) for sign in (1, -1))
    stimuli = WeatStimuli(0, "male words", male, "female words", female, "he", ("he",), "she", ("she",))
    return weat_test(stimuli=stimuli, name="planted")
