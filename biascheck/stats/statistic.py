"""Statistics by name: estimates of a sample of item scores, and the sums over items that they are functions of."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from biascheck.core.errors import ScoreError, UsageError
from biascheck.stats.sides import SideF1, f1_of_counts, side_counts, standardised_difference
from biascheck.stats.vectors import Vector, as_vector
from biascheck.stats.verdicts import Interval

if TYPE_CHECKING:
    from numpy.typing import NDArray


# Statistics that are functions of sums over items: the columns to add up, and the fold from sums to an estimate.
#
# A resample of clusters then needs only the sums of each cluster. Rows of sums give rows of estimates; an undefined
# estimate is NaN.

Rows = "NDArray[np.float64]"
SUM_ROUNDING = 1e-12


@dataclass(frozen=True)
class Folded:
    """``columns`` turns a sample into one row per item, ``fold`` turns rows of summed columns into estimates."""

    columns: Callable[[Sample], NDArray[np.float64]]
    fold: Callable[[NDArray[np.float64]], Vector]
    undefined: str


def _f1(figure: Callable[[SideF1], Any]) -> Folded:
    def fold(counts: NDArray[np.float64]) -> Vector:
        return np.asarray(figure(SideF1(*f1_of_counts(counts))), dtype=float)

    def columns(sample: Sample) -> NDArray[np.float64]:
        return side_counts(sample.values, sample.sides)

    return Folded(columns, fold, "a side without items and without predictions has no F1; give items on both sides")


def _on_a(sample: Sample, statistic: str) -> Vector:
    if sample.sides is None:
        raise UsageError(f"{statistic!r} compares two sides; give the sample sides of 'A' and 'B'")
    return np.fromiter((side == "A" for side in sample.sides), dtype=float, count=len(sample))


def _weights(sample: Sample, statistic: str, use: str = "divides by the") -> Vector:
    if sample.covariate is None:
        raise UsageError(f"{statistic!r} {use} covariate; give the sample one")
    return sample.covariate


def _columns_of_difference(sample: Sample) -> NDArray[np.float64]:
    on_a = _on_a(sample, "difference")
    return np.stack([on_a * sample.values, on_a, (1 - on_a) * sample.values, 1 - on_a], axis=-1)


def _columns_of_ratio(sample: Sample) -> NDArray[np.float64]:
    return np.stack([sample.values, _weights(sample, "ratio")], axis=-1)


def _columns_of_side_ratios(sample: Sample) -> NDArray[np.float64]:
    on_a = _on_a(sample, "ratio_of_sides")
    weights = _weights(sample, "ratio_of_sides")
    columns = [on_a * sample.values, on_a * weights, (1 - on_a) * sample.values, (1 - on_a) * weights]
    return np.stack(columns, axis=-1)


def _columns_of_balance(sample: Sample) -> NDArray[np.float64]:
    return np.stack([sample.values, np.abs(sample.values)], axis=-1)


def _shares_of_clusters(sample: Sample) -> Vector:
    """The weight of each item if every cluster counts once, however many items it has."""
    return np.asarray(1 / np.bincount(sample.codes)[sample.codes])


def _columns_of_cluster_mean(sample: Sample) -> NDArray[np.float64]:
    share = _shares_of_clusters(sample)
    return np.stack([sample.values * share, share], axis=-1)


def _columns_of_icat(sample: Sample) -> NDArray[np.float64]:
    share = _shares_of_clusters(sample)
    related = _weights(sample, "icat", "multiplies by the mean")
    return np.stack([sample.values * share, related * share, share], axis=-1)


def _columns_of_squares(sample: Sample) -> NDArray[np.float64]:
    if sample.covariate is None:
        raise UsageError("'rms_gap' multiplies two readings of each gap; give the sample the second as covariate")
    share = _shares_of_clusters(sample)
    return np.stack([sample.values * sample.covariate * share, share], axis=-1)


def _moments(sample: Sample) -> NDArray[np.float64]:
    # Centred on the whole sample: sums of squares of large numbers would lose the digits that matter.
    x = sample.values - sample.values.mean()
    y = _weights(sample, "pearson") - _weights(sample, "pearson").mean()
    return np.stack([np.ones_like(x), x, y, x * x, y * y, x * y], axis=-1)


def _moments_of_line(sample: Sample) -> NDArray[np.float64]:
    x, y = _centred(_weights(sample, "slope", "is of the values on the")), _centred(sample.values)
    return np.stack([np.ones_like(x), x, y, x * x, x * y], axis=-1)


def _centred(values: Vector) -> Vector:
    # fsum is exact, so the order of the items cannot change the last digit.
    return values - math.fsum(values) / values.size


def _quotient(numerator: Any, denominator: Any) -> Vector:
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.asarray(numerator / denominator, dtype=float)
    return np.where(np.isfinite(found), found, np.nan)


def _difference(sums: NDArray[np.float64]) -> Vector:
    total_a, n_a, total_b, n_b = np.moveaxis(sums, -1, 0)
    return _quotient(total_a, n_a) - _quotient(total_b, n_b)


def _ratio_of_sides(sums: NDArray[np.float64]) -> Vector:
    value_a, weight_a, value_b, weight_b = np.moveaxis(sums, -1, 0)
    return _quotient(_quotient(value_b, weight_b), _quotient(value_a, weight_a))


def _icat(sums: NDArray[np.float64]) -> Vector:
    preferred, related, clusters = np.moveaxis(sums, -1, 0)
    share = _quotient(preferred, clusters)
    return _quotient(related, clusters) * np.minimum(share, 1 - share) * 2


def _correlation_of_sums(sums: NDArray[np.float64]) -> Vector:
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    spread = np.sqrt(np.clip(xx - x * x / n, 0, None) * np.clip(yy - y * y / n, 0, None))
    return np.clip(_quotient(xy - x * y / n, spread), -1.0, 1.0)


def _slope(sums: NDArray[np.float64]) -> Vector:
    n, x, y, xx, xy = np.moveaxis(sums, -1, 0)
    spread = xx - x * x / n
    # Equal covariates leave a spread of rounding errors, and a line through them could have any slope.
    return _quotient(xy - x * y / n, np.where(spread > SUM_ROUNDING * xx, spread, np.nan))


def root(squares: Any) -> Vector:
    """Return the root of a mean square; 0 if noise has made it negative, since a distance is never below zero."""
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)), dtype=float)


SUMS: Mapping[str, Folded] = MappingProxyType(
    {
        "balance": Folded(
            _columns_of_balance,
            lambda sums: _quotient(sums[..., 0], sums[..., 1]),
            "a balance has no value where every score is zero: nothing was decided for either side",
        ),
        "cluster_mean": Folded(
            _columns_of_cluster_mean,
            lambda sums: _quotient(sums[..., 0], sums[..., 1]),
            "a mean over clusters needs at least one cluster",
        ),
        "difference": Folded(_columns_of_difference, _difference, "a difference needs items on both sides"),
        "f1": _f1(lambda f1: f1.a_given),
        "icat": Folded(_columns_of_icat, _icat, "an icat score needs at least one cluster"),
        "ratio": Folded(
            _columns_of_ratio,
            lambda sums: _quotient(sums[..., 0], sums[..., 1]),
            "a ratio needs covariates that do not add up to zero",
        ),
        "ratio_of_sides": Folded(
            _columns_of_side_ratios, _ratio_of_sides, "a ratio of sides needs a ratio above zero on either side"
        ),
        "rms_gap": Folded(
            _columns_of_squares,
            lambda sums: root(_quotient(sums[..., 0], sums[..., 1])),
            "a root mean square needs at least one cluster",
        ),
        "skew": _f1(lambda f1: f1.skew),
        "slope": Folded(_moments_of_line, _slope, "a slope needs covariates that vary"),
        "smaller_f1": _f1(lambda f1: np.minimum(f1.a_given, f1.b_given)),
        "stereotype": _f1(lambda f1: f1.stereotype),
    }
)
PEARSON_MOMENTS = Folded(_moments, _correlation_of_sums, "a correlation needs values that vary")
"""Pearson's r of resampled clusters; the estimate itself is computed from the items."""


# Named statistics of a sample of item scores, so that a stored result can be summarised again.

AT_ONCE = 2**14
Member = TypeVar("Member")


@dataclass(frozen=True, eq=False)
class Sample:
    """Item scores with the properties of each item that resampling and the statistics need.

    ``values`` one score per item · ``clusters`` the name of what the item shares with others; items of
    one cluster are not independent · ``sides`` "A" or "B", for statistics that compare two sides ·
    ``covariate`` a second number per item, for correlations · ``draws`` the number of the draw that an item was
    scored in, if items of different clusters were scored together.
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
        """The index of each item's cluster among the names; an array of names would be many times as large."""
        places = {name: place for place, name in enumerate(self.names)}
        return np.fromiter(map(places.__getitem__, self.clusters), dtype=np.intp, count=len(self))


def _taken(column: tuple[Member, ...], chosen: NDArray[np.intp]) -> tuple[Member, ...]:
    """A selection of a column; a list of all its indices would be larger than the column."""
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
    - ``balance``: sum of the values over the sum of their magnitudes, from −1 to 1; undefined if all are 0.
    - ``cluster_mean``: mean over clusters of the mean of each, so that a cluster counts once.
    - ``icat``: with p the cluster mean of the values and r that of the covariates, ``r · min(p, 1 − p) / ½``
      (Nadeem et al. 2021); 1 at best.
    - ``ratio``: sum of the values over sum of the covariates, such as an F1 or a share of variance.
    - ``rms_gap``: root of the mean over clusters of value × covariate, where the covariate is a second reading of the
      same gap; 0 where that mean is negative. See :mod:`biascheck.stats.statistic`.
    - ``ratio_of_sides``: the ratio of side B over that of side A; 1 where the sides fare alike.
    - ``skew``, ``stereotype``, ``smaller_f1``, ``f1`` (of side A): from the F1 scores of both sides, where a value
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
        from biascheck.stats import covariates as correlations  # scipy.stats is slow to import and rarely needed

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


# Squared gaps without the bias that squaring noise adds: products of two readings of one gap.
#
# The square of a noisy gap is too large by the variance of the noise. The product of two readings whose noise is
# independent is not: on average it is the square of the true gap. It can be negative, and averages are taken before
# any root.


def partner_means(values: Sequence[float], labels: Sequence[Sequence[object]]) -> Vector:
    """Return for each item of one cluster the mean of its partners: the items with which it shares no label.

    ``labels`` has a row for each item. A column in which all items agree is ignored. An item without such a partner has
    all other items as partners; a single item has none, and gets NaN.
    """
    found = as_vector(values)
    others = ~np.eye(found.size, dtype=bool)
    apart = others.copy()
    for column in zip(*labels, strict=True):
        codes = _codes(column)
        if codes.max() > 0:
            apart &= codes[:, None] != codes[None, :]
    partners = np.where(apart.any(axis=1, keepdims=True), apart, others)
    counts = partners.sum(axis=1)
    means: Vector = np.full(found.size, np.nan)
    np.divide(partners @ found, counts, out=means, where=counts > 0)
    return means


def squared_gaps(sample: Sample) -> Sample:
    """Return one value per cluster: the mean product of values and covariates, unbiased for its squared true gap."""
    products = SUMS["rms_gap"].columns(sample)[:, 0]
    return Sample(as_vector(np.bincount(sample.codes, weights=products)), sample.names)


def rooted(interval: Interval) -> Interval:
    """Return the interval of the root from that of the mean square."""
    low, high = (float(root(end)) for end in (interval.low, interval.high))
    return Interval(low, high, interval.level, f"{interval.method}, of squared gaps")


def _codes(column: Sequence[object]) -> NDArray[np.intp]:
    known: dict[object, int] = {}
    return np.array([known.setdefault(value, len(known)) for value in column], dtype=np.intp)
