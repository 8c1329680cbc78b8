"""Planted against measured: what the measures read off a standard whose true values are known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np

from biascheck import stats
from biascheck.calibration.suite_gates import GateOutcome
from biascheck.corpora import bec_pro, review_pairs, winograd, written_reviews
from biascheck.corpora.corpus import Corpus
from biascheck.corpora.datasets.winograd import WinogradKind
from biascheck.measures import (
    absolute_delta,
    association,
    effect_size,
    name_resolution,
    positive_share,
    pronoun_gap,
    sentiment_delta,
    skew_of,
    stereotype_of,
    workforce_correlation,
)
from biascheck.measures.attribute_means import means_of_attributes
from biascheck.models.capabilities import LanguageModel
from biascheck.reference_models.planted_pronouns import planted_f1
from biascheck.reference_models.planted_sentiment import planted_classifier, planted_deltas
from biascheck.reference_models.world import World
from biascheck.stats import Sample

__all__ = [
    "DoseReading",
    "Fit",
    "PlantedEstimate",
    "PronounReading",
    "SentimentReading",
    "fit",
    "read_dose",
    "read_pronouns",
    "read_sentiment",
    "sided_bec_pro",
]


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
    """What was planted at one dose, and what the measures and gates made of it."""

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
    """Compare the standard of a dose with what was planted in its professions; the gates are those of the suites."""
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
    """Compare the standard of a world with the skew and stereotype planted in its pronouns."""
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
    """Compare a classifier whose female ratings are shifted with the deltas that this plants."""
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
