"""Data sets whose true value is known, in the shape of a real result: its clusters, sides and covariates, its noise.

For every statistic that suites judge there is a population with any true value from parity to beyond the margins:

- *mean*, *difference*, *slope*: the residuals of the result, clusters exchanged and signs tossed, around the truth.
- *rms_gap*: every cluster lies the true value above or below zero; readings vary around it by the residuals of items.
- *mean_absolute*: normal clusters around zero; with deviation s their mean magnitude is s · √(2/π).
- *ratio*, *ratio_of_sides*: the ratios of single items vary around the true one by their residuals.
- *share_positive*: each cluster is a hit with the true share.
- *standardised_difference*: two normal sets whose distance makes the true d.
- *spearman*, *pearson*: bivariate normal clusters with the true correlation.
- *skew*: "he" is predicted with one probability p for either stereotype, F1♂ = p / (p + ½), F1♀ = (1 − p) / (3/2 − p).
- *stereotype*: the expected gender is predicted with probability q for either, F1 pro = q, F1 anti = 1 − q.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import pi, sin, sqrt

import numpy as np
from numpy.typing import NDArray

from biascheck import stats
from biascheck.errors import UsageError
from biascheck.stats import Sample

__all__ = ["Draw", "draw_like", "share_of_male_for", "true_d"]

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
