"""Squared gaps without the noise that squaring adds: products of two readings of one gap.

A square of a noisy gap is too large by the variance of the noise. The product of two readings whose noise is
independent is not: on average it is the square of the true gap. It can be negative, and averages are taken before
any root.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from biascheck.stats.estimators import Sample
from biascheck.stats.interval import Interval
from biascheck.stats.sums import SUMS, root
from biascheck.stats.vectors import Vector, as_vector

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["partner_means", "rooted", "squared_gaps"]


def partner_means(values: Sequence[float], labels: Sequence[Sequence[object]]) -> Vector:
    """Return for each item of one cluster the mean of its partners: the items with which it shares no label.

    ``labels`` has a row for each item. A column in which all items agree is left out, since it tells none apart. An
    item without such a partner has all other items as partners; a single item has none, and gets not a number.
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
