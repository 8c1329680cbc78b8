"""Statistics that are functions of sums over items: the columns to add up, and the fold from sums to a figure.

A resample of clusters then needs only the sums of each cluster. Rows of sums give rows of figures; a figure that is
undefined is not a number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from biascheck.errors import UsageError
from biascheck.stats.confusion import SideF1, f1_of_counts, side_counts
from biascheck.stats.vectors import Vector

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from biascheck.stats.estimators import Sample

__all__ = ["PEARSON_MOMENTS", "SUMS", "Folded", "root"]

Rows = "NDArray[np.float64]"
SUM_ROUNDING = 1e-12


@dataclass(frozen=True)
class Folded:
    """``columns`` turns a sample into one row an item, ``fold`` rows of summed columns into figures."""

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
    """What each item counts if every cluster counts once, however many items it has."""
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


def _correlation(sums: NDArray[np.float64]) -> Vector:
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    spread = np.sqrt(np.clip(xx - x * x / n, 0, None) * np.clip(yy - y * y / n, 0, None))
    return np.clip(_quotient(xy - x * y / n, spread), -1.0, 1.0)


def _slope(sums: NDArray[np.float64]) -> Vector:
    n, x, y, xx, xy = np.moveaxis(sums, -1, 0)
    spread = xx - x * x / n
    # Equal covariates leave a spread of rounding errors, and a line through them could have any slope.
    return _quotient(xy - x * y / n, np.where(spread > SUM_ROUNDING * xx, spread, np.nan))


def root(squares: Any) -> Vector:
    """Return the root of a mean square; 0 where noise has made it negative, since a distance is never below zero."""
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
PEARSON_MOMENTS = Folded(_moments, _correlation, "a correlation needs values that vary")
"""Pearson's r of resampled clusters; the estimate itself is computed from the items."""
