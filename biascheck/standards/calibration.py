"""Calibration: every shipped measure held against standards whose true value is known.

Three questions are answered.

- *Does a measure read what is planted?* Planted against measured at several doses: slope, intercept and R² of the
  association gap per profession; planted and measured effect size, share and correlation at each dose.
- *Does a gate raise false alarms?* By simulation (:mod:`~biascheck.standards.simulation`) and with parity models
  trained from different seeds, which no gate should fault.
- *Does a gate see a bias?* The verdict of each gate at each dose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from time import monotonic
from typing import Any, TypeVar

import numpy as np

from biascheck import stats
from biascheck.corpora import bec_pro
from biascheck.corpora.corpus import Corpus
from biascheck.errors import UsageError
from biascheck.measures import association, effect_size, positive_share, workforce_correlation
from biascheck.measures.attributes import means_of_attributes
from biascheck.models.loading import load
from biascheck.models.protocols import LanguageModel
from biascheck.standards.references import standard_folder
from biascheck.standards.simulation import Components, Rate, Shape, Simulated, components_of, simulate
from biascheck.standards.suite_gates import GateOutcome, Limit, judge_gates, limit_of
from biascheck.standards.training import AT_PARITY, Training, train_standard
from biascheck.standards.world import World
from biascheck.stats import Sample, Verdict

__all__ = ["Calibration", "DoseReading", "Figure", "Fit", "ParityModel", "calibrate", "fit", "sided_bec_pro"]

FIRST_PARITY_SEED = 1_000
Tell = Callable[[str], None]
Outcome = TypeVar("Outcome")


@dataclass(frozen=True)
class Figure:
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
    """What was planted at one dose, and what the measures and gates made of it."""

    dose: float
    gaps: Mapping[str, Figure]
    effect_size: Figure | None
    share: Figure | None
    correlation: Figure | None
    gates: tuple[GateOutcome, ...]


@dataclass(frozen=True)
class ParityModel:
    """A model trained at parity from its own seed."""

    seed: int
    seconds: float
    largest_gap: float
    gates: tuple[GateOutcome, ...]


@dataclass(frozen=True)
class Calibration:
    """All findings of one calibration."""

    readings: tuple[DoseReading, ...]
    fit: Fit
    parity_models: tuple[ParityModel, ...]
    parity_steps: int
    simulated: tuple[Simulated, ...]
    components: Components
    components_from: str

    @property
    def parity_alarms(self) -> dict[str, Rate]:
        """How often each gate said EXCEEDS of a parity model."""
        return _rates(self.parity_models, str(Verdict.EXCEEDS))

    @property
    def parity_passes(self) -> dict[str, Rate]:
        """How often each gate said WITHIN of a parity model."""
        return _rates(self.parity_models, str(Verdict.WITHIN))

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)


def calibrate(
    doses: Sequence[float],
    *,
    models: int,
    trials: int,
    limits: Mapping[str, Limit],
    real: tuple[LanguageModel, str] | None = None,
    parity_training: Training = AT_PARITY,
    tell: Tell = lambda _: None,
) -> Calibration:
    """Hold measures and gates against the standards of these doses, ``models`` parity models and simulated data.

    ``real`` is a model whose result on BEC-Pro lends its variance components to the simulation, with its name;
    without one, the standard of the highest dose does.
    """
    if len(set(doses)) < 2:
        raise UsageError("a line needs two doses or more; pass --doses 0,0.25,0.5,0.75,1")
    readings = tuple(_told(tell, f"dose {dose:g}", partial(_read_dose, dose, limits)) for dose in doses)
    components, source = _components(real, max(doses))
    simulated = tuple(
        _told(tell, f"simulating {shape.gate}", partial(simulate, shape, components, trials=trials, seed=0))
        for shape in _shapes(limits)
    )
    parity = tuple(
        _told(tell, f"parity model {n + 1} of {models}", partial(_parity_model, n, limits, parity_training))
        for n in range(models)
    )
    figures = [figure for reading in readings for figure in reading.gaps.values()]
    return Calibration(readings, fit(figures), parity, parity_training.steps, simulated, components, source)


def fit(figures: Iterable[Figure]) -> Fit:
    """Least squares of measured on planted values."""
    pairs = list(figures)
    planted, measured = (np.array([getattr(f, name) for f in pairs]) for name in ("planted", "measured"))
    slope, intercept = np.polyfit(planted, measured, 1)
    residuals = measured - (slope * planted + intercept)
    r_squared = 1 - float(residuals @ residuals) / float(np.sum((measured - measured.mean()) ** 2))
    return Fit(float(slope), float(intercept), r_squared, float(np.abs(measured - planted).max()), len(pairs))


def sided_bec_pro() -> Corpus:
    """BEC-Pro's professions of men (side A) and of women (side B): two attribute sets with a planted effect size."""
    corpus, sides = bec_pro("en"), {"male": "A", "female": "B"}
    pairs = tuple(
        replace(pair, labels={**pair.labels, "side": sides[str(pair.labels["profession_group"])]})
        for pair in corpus
        if pair.labels["profession_group"] in sides
    )
    return replace(corpus, name="bec-pro-en by side", pairs=pairs)


def _read_dose(dose: float, limits: Mapping[str, Limit]) -> DoseReading:
    model = load(standard_folder(f"reference:planted(dose={dose:g})"), name=f"dose {dose:g}")
    truth = World(dose).truth()
    result = association(model, bec_pro("en"))
    gaps = {item.id: Figure(truth[item.id], item.score) for item in means_of_attributes(result.items)}
    gates = judge_gates(model, limits)
    if dose == 0:  # with nothing planted, a direction, an order or a spread has no true value
        return DoseReading(dose, gaps, None, None, None, gates)
    return DoseReading(
        dose,
        gaps,
        Figure(_planted_d(truth), effect_size(model, sided_bec_pro()).estimate),
        Figure(_planted_share(truth), positive_share(model, bec_pro("en")).estimate),
        Figure(_planted_correlation(truth), workforce_correlation(result).estimate),
        gates,
    )


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


def _parity_model(number: int, limits: Mapping[str, Limit], training: Training) -> ParityModel:
    seed, started = FIRST_PARITY_SEED + number, monotonic()
    trained = train_standard(World(0.0), seed=seed, training=training)
    seconds = monotonic() - started
    model = load(trained, name=f"parity, seed {seed}")
    gaps = means_of_attributes(association(model, bec_pro("en")).items)
    return ParityModel(seed, seconds, max(abs(item.score) for item in gaps), judge_gates(model, limits))


def _components(real: tuple[LanguageModel, str] | None, dose: float) -> tuple[Components, str]:
    """The variance components of the profession groups, which is what most gates judge."""
    if real is None:
        real = load(standard_folder(f"reference:planted(dose={dose:g})")), f"the standard of dose {dose:g}"
    result = association(real[0], bec_pro("en"))
    return components_of(result.where(profession_group="female")), real[1]


def _shapes(limits: Mapping[str, Limit]) -> list[Shape]:
    """The shapes of data that the suites judge; gates of one shape and margin behave alike."""
    table = [
        ("bartl2020.english.female", "mean", 20, 45),
        ("bartl2020.english.template", "mean", 60, 9),
        ("bartl2020.english.workforce", "spearman", 60, 1),
        ("bartl2020.german.female", "mean", 20, 45),
        ("kurita2019.religion", "mean", 24, 4),
        ("kurita2019.career-family", "standardised_difference", 8, 1),
        ("kurita2019.white-black", "standardised_difference", 25, 1),
        ("kurita2019.titles", "share_positive", 82, 1),
        ("kurita2019.positive_traits", "share_positive", 153, 1),
        ("kurita2019.skills", "share_positive", 60, 1),
    ]
    return [Shape(gate, statistic, n, items, limit_of(limits, gate, statistic)) for gate, statistic, n, items in table]


def _rates(models: Sequence[ParityModel], verdict: str) -> dict[str, Rate]:
    if not models:
        return {}
    names = [outcome.gate for outcome in models[0].gates]
    hits = {name: [o.verdict == verdict for model in models for o in model.gates if o.gate == name] for name in names}
    return {name: Rate.of(found) for name, found in hits.items()}


def _told(tell: Tell, what: str, work: Callable[[], Outcome]) -> Outcome:
    started = monotonic()
    done = work()
    tell(f"{what}: {monotonic() - started:.0f} s")
    return done
