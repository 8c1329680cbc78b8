"""Named statistics of a sample of item scores, so that a stored result can be summarised again."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from biascheck.errors import ScoreError, UsageError
from biascheck.stats.effects import standardised_difference
from biascheck.stats.sums import SUMS, Folded
from biascheck.stats.vectors import Vector, as_vector

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

__all__ = ["ESTIMATORS", "MEANS", "Sample", "estimate"]

AT_ONCE = 2**14
Member = TypeVar("Member")


@dataclass(frozen=True, eq=False)
class Sample:
    """Item scores with what resampling and the statistics need to know about each item.

    ``values`` one score per item · ``clusters`` the name of what the item shares with others; items of
    one cluster are not independent · ``sides`` "A" or "B", for statistics that compare two sides ·
    ``covariate`` a second number per item, for correlations · ``draws`` the number of the draw an item was
    judged in, where items of different clusters were judged together.
    """

    values: Vector
    clusters: tuple[str, ...]
    sides: tuple[str, ...] | None = None
    covariate: Vector | None = None
    draws: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", _frozen(as_vector(self.values)))
        object.__setattr__(self, "clusters", tuple(self.clusters))
        if self.sides is not None:
            object.__setattr__(self, "sides", tuple(self.sides))
        if self.covariate is not None:
            object.__setattr__(self, "covariate", _frozen(as_vector(self.covariate, "covariates")))
        self._validate()

    def _validate(self) -> None:
        for name, column in (
            ("clusters", self.clusters),
            ("sides", self.sides),
            ("covariate", self.covariate),
            ("draws", self.draws),
        ):
            if column is not None and len(column) != len(self.values):
                raise ScoreError(f"{len(self.values)} values but {len(column)} {name}; give one for every item")
        if set(map(type, self.clusters)) != {str}:
            raise UsageError("clusters are named by strings; convert other keys with str()")
        if self.sides is not None and not set(self.sides) <= {"A", "B"}:
            raise UsageError(f"sides are {sorted(set(map(str, self.sides)))}; name them 'A' and 'B'")

    def __len__(self) -> int:
        return len(self.values)

    def take(self, indices: Sequence[int] | NDArray[np.intp]) -> Sample:
        """Return the sample of the items at ``indices``, in that order, repetitions included."""
        chosen = np.asarray(indices, dtype=np.intp)
        return Sample(
            self.values[chosen],
            _taken(self.clusters, chosen),
            None if self.sides is None else _taken(self.sides, chosen),
            None if self.covariate is None else self.covariate[chosen],
            None if self.draws is None else _taken(self.draws, chosen),
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the clusters, sorted."""
        return tuple(sorted(set(self.clusters)))

    @cached_property
    def codes(self) -> NDArray[np.intp]:
        """For every item the place of its cluster among the names; an array of names would be many times as large."""
        places = {name: place for place, name in enumerate(self.names)}
        return np.fromiter(map(places.__getitem__, self.clusters), dtype=np.intp, count=len(self))


def _taken(column: tuple[Member, ...], chosen: NDArray[np.intp]) -> tuple[Member, ...]:
    """Some members of a column; a list of all their places would be larger than the column."""
    parts = (chosen[start : start + AT_ONCE].tolist() for start in range(0, chosen.size, AT_ONCE))
    return tuple(map(column.__getitem__, chain.from_iterable(parts)))


def estimate(sample: Sample, statistic: str) -> float:
    """Compute the named statistic of a sample; ScoreError where the sample leaves it undefined.

    - ``mean``: mean of the values.
    - ``mean_absolute``: mean of their magnitudes.
    - ``net_share``: mean of values from −1 to 1: the share of those for, minus the share of those against.
    - ``share_positive``: share of values above 0; an exact 0 counts one half, so that no preference
      at all reads 0.5.
    - ``standardised_difference``: side A minus side B in standard deviations of both together.
    - ``spearman``, ``pearson``: correlation of the values with the covariate.
    - ``slope``: least-squares slope of the values on the covariate.
    - ``difference``: mean of side A minus mean of side B.
    - ``balance``: sum of the values over the sum of their magnitudes, from −1 to 1; without a value where all are 0.
    - ``cluster_mean``: mean over clusters of the mean of each, so that a cluster counts once.
    - ``icat``: with p the cluster mean of the values and r that of the covariates, ``r · min(p, 1 − p) / ½``
      (Nadeem et al. 2021); 1 at best.
    - ``ratio``: sum of the values over sum of the covariates, such as an F1 or a share of variance.
    - ``rms_gap``: root of the mean over clusters of value × covariate, where the covariate is a second reading of the
      same gap; 0 where that mean is negative. See :mod:`biascheck.stats.squares`.
    - ``ratio_of_sides``: the ratio of side B over that of side A; 1 where the sides fare alike.
    - ``skew``, ``stereotype``, ``smaller_f1``, ``f1`` (of side A): from the F1 figures of both sides, where a value
      above 0 predicts side A and one below 0 side B; see :class:`biascheck.stats.SideF1`.
    """
    if statistic not in ESTIMATORS:
        raise UsageError(f"unknown statistic {statistic!r}; choose one of {', '.join(sorted(ESTIMATORS))}")
    return ESTIMATORS[statistic](sample)


def _frozen(vector: Vector) -> Vector:
    copy = vector.copy()
    copy.flags.writeable = False
    return copy


def _magnitudes(values: Vector) -> Vector:
    return np.abs(values)


def _halves(values: Vector) -> Vector:
    return (np.sign(values) + 1) / 2


def _mean_of(transform: Callable[[Vector], Vector]) -> Callable[[Sample], float]:
    def mean(sample: Sample) -> float:
        # fsum is exact, so the order of the items cannot change the last digit.
        return math.fsum(transform(sample.values)) / len(sample)

    return mean


def _difference_of_sides(sample: Sample) -> float:
    if sample.sides is None:
        raise UsageError("'standardised_difference' compares two sides; give the sample sides of 'A' and 'B'")
    on_a = np.array([side == "A" for side in sample.sides])
    if on_a.all() or not on_a.any():
        raise ScoreError(f"all {len(sample)} items are on side {sample.sides[0]}; a difference needs both sides")
    return standardised_difference(sample.values[on_a], sample.values[~on_a])


def _correlation(kind: str) -> Callable[[Sample], float]:
    def coefficient(sample: Sample) -> float:
        from biascheck.stats import correlations  # scipy.stats is slow to import and rarely needed

        if sample.covariate is None:
            raise UsageError(f"{kind!r} correlates values with a covariate; give the sample one")
        measure = correlations.spearman if kind == "spearman" else correlations.pearson
        return measure(sample.values, sample.covariate).coefficient

    return coefficient


MEANS: Mapping[str, Callable[[Vector], Vector]] = MappingProxyType(
    {"mean": np.positive, "mean_absolute": _magnitudes, "net_share": np.positive, "share_positive": _halves}
)
"""The statistics that are means of one transformed value per item, with that transformation."""


def _of_sums(folded: Folded) -> Callable[[Sample], float]:
    def statistic_of(sample: Sample) -> float:
        columns = folded.columns(sample)
        # fsum is exact, so the order of the items cannot change the last digit.
        found = float(folded.fold(np.array([math.fsum(column) for column in columns.T])))
        if math.isnan(found):
            raise ScoreError(folded.undefined)
        return found

    return statistic_of


ESTIMATORS: Mapping[str, Callable[[Sample], float]] = MappingProxyType(
    {name: _mean_of(transform) for name, transform in MEANS.items()}
    | {name: _of_sums(folded) for name, folded in SUMS.items()}
    | {
        "pearson": _correlation("pearson"),
        "spearman": _correlation("spearman"),
        "standardised_difference": _difference_of_sides,
    }
)
