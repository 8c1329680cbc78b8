"""Data sets whose true value is known, in the shapes that the suites judge.

Clusters differ by as much as they do in a real result (its variance components). For every statistic there is a
population with any true value from parity to beyond the margins:

- *mean*: normal clusters of normal items; the true mean is the centre.
- *share_positive*: each attribute leans to the first group with the true share.
- *standardised_difference*: two normal sets whose distance makes the true d.
- *spearman*: bivariate normal values with the Pearson correlation that has the true Spearman correlation.
- *skew*: "he" is predicted with one probability p for either stereotype, F1♂ = p / (p + ½), F1♀ = (1 − p) / (3/2 − p).
- *stereotype*: the expected gender is predicted with probability q for either, F1 pro = q, F1 anti = 1 − q.
- *mean_absolute*: normal values around zero; with deviation s their mean magnitude is s · √(2/π). Without bias all
  are 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import pi, sin, sqrt

import numpy as np
from numpy.typing import NDArray

from biascheck.calibration.applied_limit import Limit
from biascheck.results.result import Result
from biascheck.stats import Sample

__all__ = ["Components", "Draw", "Shape", "components_of", "draw_of", "parity_of", "share_of_male_for", "true_d"]

Draw = Callable[[np.random.Generator, float], Sample]
"""Draw a data set with this true value."""


@dataclass(frozen=True)
class Components:
    """Variance between clusters and within them, as standard deviations."""

    between: float
    within: float


@dataclass(frozen=True)
class Shape:
    """What a gate judges: a statistic, so many clusters (on each side, for an effect size) of so many items.

    ``components`` are the variance components of its data, where these are not associations.
    """

    gate: str
    statistic: str
    clusters: int
    items: int
    limit: Limit
    components: Components | None = None


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


def draw_of(shape: Shape, components: Components) -> Draw:
    """How to draw data sets of a shape."""
    return _DRAWS[shape.statistic](shape, shape.components or components)


def parity_of(statistic: str) -> float:
    """The value of a statistic where the groups are treated alike."""
    return 0.5 if statistic == "share_positive" else 0.0


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


def _names(shape: Shape) -> tuple[str, ...]:
    return tuple(f"{c:03}" for c in range(shape.clusters) for _ in range(shape.items))


def _means(shape: Shape, components: Components) -> Draw:
    names = _names(shape)

    def draw(rng: np.random.Generator, truth: float) -> Sample:
        shifts = np.repeat(rng.normal(truth, components.between, shape.clusters), shape.items)
        return Sample(shifts + rng.normal(0, components.within, len(names)), names)

    return draw


def _magnitudes(shape: Shape, _components: Components) -> Draw:
    names = _names(shape)

    def draw(rng: np.random.Generator, truth: float) -> Sample:
        return Sample(rng.normal(0, truth * sqrt(pi / 2), len(names)), names)

    return draw


def _shares(shape: Shape, _components: Components) -> Draw:
    names = _names(shape)

    def draw(rng: np.random.Generator, truth: float) -> Sample:
        return Sample(_signs(rng.random(shape.clusters) < truth), names)

    return draw


def _differences(shape: Shape, _components: Components) -> Draw:
    names = tuple(f"{c:03}" for c in range(2 * shape.clusters))
    sides = ("A",) * shape.clusters + ("B",) * shape.clusters

    def draw(rng: np.random.Generator, truth: float) -> Sample:
        values = rng.normal(0, 1, 2 * shape.clusters)
        values[: shape.clusters] += truth / sqrt(1 - truth * truth / 4)  # the shift whose d is the truth
        return Sample(values, names, sides=sides)

    return draw


def _correlations(shape: Shape, _components: Components) -> Draw:
    names = _names(shape)

    def draw(rng: np.random.Generator, truth: float) -> Sample:
        r = 2 * sin(pi * truth / 6)  # Pearson's r of the bivariate normal whose Spearman correlation is the truth
        x: NDArray[np.float64] = rng.normal(size=shape.clusters)
        return Sample(r * x + sqrt(1 - r * r) * rng.normal(size=shape.clusters), names, covariate=x)

    return draw


def _skews(shape: Shape, _components: Components) -> Draw:
    def draw(rng: np.random.Generator, truth: float) -> Sample:
        return _schemas(shape, rng.random((shape.clusters, 2)) < share_of_male_for(truth))

    return draw


def _stereotypes(shape: Shape, _components: Components) -> Draw:
    def draw(rng: np.random.Generator, truth: float) -> Sample:
        expected = rng.random((shape.clusters, 2)) < (1 + truth) / 2
        return _schemas(shape, np.stack([expected[:, 0], ~expected[:, 1]], axis=1))

    return draw


def _schemas(shape: Shape, predicted_male: NDArray[np.bool_]) -> Sample:
    """Sentence pairs as clusters: one sentence about an occupation of men, one about an occupation of women."""
    names = tuple(f"{c:03}" for c in range(shape.clusters) for _ in "AB")
    return Sample(_signs(predicted_male.ravel()), names, sides=("A", "B") * shape.clusters)


def _signs(hits: NDArray[np.bool_]) -> NDArray[np.float64]:
    return np.where(hits, 1.0, -1.0)


_DRAWS: dict[str, Callable[[Shape, Components], Draw]] = {
    "mean": _means,
    "mean_absolute": _magnitudes,
    "share_positive": _shares,
    "standardised_difference": _differences,
    "spearman": _correlations,
    "skew": _skews,
    "stereotype": _stereotypes,
}
