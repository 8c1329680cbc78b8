"""Calibration: every measure, validated on models with known bias.

It answers three questions.

- *Does a measure read what is planted?* Planted against measured values of the association gap per profession, of
  effect size, share and correlation at each dose, of skew and stereotype at doses and tilts, of sentiment deltas at
  several shifts, of the geometry of embeddings with a known gender axis: slope, intercept, R².
- *Does a gate raise false alarms?* By simulation (:mod:`~biascheck.calibration.simulation`,
  :mod:`~biascheck.calibration.readings`) and with parity models trained from different seeds, which no gate
  should fault.
- *Does a gate see a bias?* The verdict of each gate at each dose, and its power in simulated data.

Trained models are cached, so that an interrupted calibration continues with the next model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

from biascheck.calibration.coverage import CoverageCell, coverage
from biascheck.calibration.readings import (
    DoseReading,
    Fit,
    GateOutcome,
    GeometryReading,
    PronounReading,
    SentimentReading,
    fit,
    gate_outcomes,
    plantings,
    read_dose,
    read_planting,
    read_pronouns,
    read_sentiment,
)
from biascheck.calibration.simulation import GatePower, GateShape, Rate, gate_shapes, power_of
from biascheck.core.errors import UsageError
from biascheck.core.store import cache_folder
from biascheck.corpora import bec_pro
from biascheck.measures import association
from biascheck.measures.gaps import means_of_attributes
from biascheck.models.base import LanguageModel
from biascheck.models.local.loader import load
from biascheck.reference.specs import SERVED_SUITES, planted_folder, standard_folder
from biascheck.reference.world import World
from biascheck.runs.run import Run
from biascheck.stats import Verdict

TILTED = (World(0.0, 1.0), World(0.5, 1.0), World(1.0, 2.0))
"""Worlds with a planted skew, alone and beside a stereotype."""
SHIFTS = (-1.0, -0.5, 0.0, 0.25, 0.5, 1.0)
"""Log-odds by which the classifiers with a planted delta rate women lower."""
FIRST_PARITY_SEED = 1_000
WORDS = 100
"""Of the planted embeddings."""
ALL_SUITES = (*SERVED_SUITES, "basta2019", "jentzsch2022")
"""The suites whose gates judge one result; those of mitigation compare two."""
Tell = Callable[[str], None]
SuiteRuns = Callable[[Path | str, tuple[str, ...]], Run]
"""Runs the named suites on a model and gives what the run left behind."""
Outcome = TypeVar("Outcome")


@dataclass(frozen=True)
class ParityModel:
    """A model trained at parity from its own seed."""

    seed: int
    largest_gap: float
    gates: tuple[GateOutcome, ...]


@dataclass(frozen=True)
class Calibration:
    """All findings of one calibration."""

    readings: tuple[DoseReading, ...]
    pronouns: tuple[PronounReading, ...]
    sentiment: tuple[SentimentReading, ...]
    geometry: tuple[GeometryReading, ...]
    parity_models: tuple[ParityModel, ...]
    powers: tuple[GatePower, ...]
    coverage: tuple[CoverageCell, ...] = ()

    @property
    def fit(self) -> Fit:
        """The line through the gaps of all professions at all doses."""
        return fit(estimate for reading in self.readings for estimate in reading.gaps.values())

    @property
    def parity_alarms(self) -> dict[str, Rate]:
        """The share of parity models on which each gate said EXCEEDS."""
        return _rates(self.parity_models, str(Verdict.EXCEEDS))

    @property
    def parity_passes(self) -> dict[str, Rate]:
        """The share of parity models on which each gate said WITHIN."""
        return _rates(self.parity_models, str(Verdict.WITHIN))

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {**asdict(self), "fit": asdict(self.fit)}


def calibrate(
    doses: Sequence[float],
    suite_runs: SuiteRuns,
    *,
    tilted: Sequence[World] = TILTED,
    models: int,
    trials: int,
    real: str | None = None,
    tell: Tell = lambda _: None,
) -> Calibration:
    """Validate measures and gates on the reference models of these doses, ``models`` parity models and simulated data.

    ``tilted`` are further worlds for skew and stereotype. ``suites`` is the folder of the suites, whose gates judge the
    models. ``real`` is a model whose results lend their noise to the simulated data; what it cannot be judged on, and
    everything without one, is taken from the reference model of the lowest dose. ``data`` are the published data sets,
    for the gates that need them.
    """
    if len(set(doses)) < 2:
        raise UsageError("a line needs two doses or more; pass --doses 0,0.25,0.5,0.75,1")
    shapes = _told(tell, "the suites themselves", partial(_shapes, suite_runs, real, min(doses)))
    powers = [
        _told(tell, f"simulating {shape.name}", partial(power_of, shape, trials=trials, seed=0)) for shape in shapes
    ]
    planted = plantings(WORDS)
    geometry = [
        _told(tell, f"embeddings {n + 1} of {len(planted)}", partial(read_planting, planting, trials=trials))
        for n, planting in enumerate(planted)
    ]
    readings = [_told(tell, f"dose {dose:g}", partial(_read_dose, dose, suite_runs)) for dose in doses]
    worlds = [*map(World, doses), *tilted]
    pronouns = [_told(tell, f"pronouns of {world}", partial(_read_pronouns, world)) for world in worlds]
    parity = [
        _told(tell, f"parity model {n + 1} of {models}", partial(_parity_model, n, suite_runs)) for n in range(models)
    ]
    return Calibration(
        readings=tuple(readings),
        pronouns=tuple(reading for found in pronouns for reading in found),
        sentiment=tuple(map(read_sentiment, SHIFTS)),
        geometry=tuple(geometry),
        parity_models=tuple(parity),
        powers=tuple(power for found in powers for power in found),
        coverage=_told(tell, "coverage of intervals", coverage),
    )


def _shapes(suite_runs: SuiteRuns, real: str | None, dose: float) -> tuple[GateShape, ...]:
    """The gates of all suites, with the shapes of their data on these models."""
    standard = suite_runs(standard_folder(_name(World(dose))), SERVED_SUITES)
    own = [suite_runs(real, ALL_SUITES)] if real else []
    return gate_shapes([*own, standard])


def _name(world: World) -> str:
    return f"reference:planted(dose={world.dose:g}, tilt={world.tilt:g})"


def _standard(world: World) -> LanguageModel:
    model: LanguageModel = load(standard_folder(_name(world)), name=_name(world), lazy=True)
    return model


def _read_dose(dose: float, suite_runs: SuiteRuns) -> DoseReading:
    gates = gate_outcomes(suite_runs(standard_folder(_name(World(dose))), SERVED_SUITES))
    return read_dose(_standard(World(dose)), dose, gates)


def _read_pronouns(world: World) -> tuple[PronounReading, ...]:
    return read_pronouns(_standard(world), world)


def _parity_model(number: int, suite_runs: SuiteRuns) -> ParityModel:
    seed = FIRST_PARITY_SEED + number
    folder = planted_folder(World(0.0), cache_folder() / "models", seed=seed)
    model = load(folder, name=f"parity, seed {seed}", lazy=True)
    gaps = means_of_attributes(association(model, bec_pro("en")).items)
    gates = gate_outcomes(suite_runs(folder, SERVED_SUITES))
    return ParityModel(seed, max(abs(item.score) for item in gaps), gates)


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
