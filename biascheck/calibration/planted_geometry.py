"""The measures on embeddings, validated on vectors whose true values are known.

Each planting is read many times over, from embeddings of different seeds. *Does the measure read what is planted?* Its
mean is shown beside the true value. *Does its gate raise false alarms?* Each reading is judged with the true value as
the bound, the worst case.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from biascheck import stats
from biascheck.calibration.readings import PlantedEstimate
from biascheck.calibration.simulation import Rate
from biascheck.corpora.datasets.weat_stimuli import WeatStimuli
from biascheck.corpora.datasets.weat_tests import WeatTest, weat_test
from biascheck.measures import (
    classifier_accuracy,
    cluster_accuracy,
    direct_bias,
    gender_subspace,
    neighbour_correlation,
    weat,
)
from biascheck.reference_models.planted_vectors import (
    bias_of_words,
    moment_of_cosine,
    planted_encoder,
    planted_lexicon,
    subspace_share,
)
from biascheck.results.result import Result
from biascheck.results.summaries import LEVEL
from biascheck.stats import Verdict

__all__ = ["GeometryReading", "Planting", "plantings", "read_planting"]

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
    """What is planted for a measure, the value it should read, and how to read it from the embeddings of a seed."""

    planted: str
    truth: float
    read: Callable[[int], Result]


@dataclass(frozen=True)
class GeometryReading:
    """A planted value and the mean of the measured ones; how often an interval lies above the truth, or holds it."""

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
    """What is planted in embeddings of so many words."""
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
    """Read a planting from ``trials`` embeddings, and judge each reading with the true value as the bound."""
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
