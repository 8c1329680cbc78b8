"""Adjusted p-values for a family of tests: compare each with α itself."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from biascheck.errors import ScoreError, UsageError
from biascheck.stats.vectors import Vector, as_vector

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import ArrayLike

__all__ = ["adjust", "benjamini_hochberg", "bonferroni", "holm"]


def bonferroni(p: ArrayLike) -> Vector:
    """Control the chance of any false alarm: ``min(1, m · p)``. Holm is never less powerful."""
    values = _probabilities(p)
    return np.minimum(1.0, values * values.size)


def holm(p: ArrayLike) -> Vector:
    """Control the chance of any false alarm, under any dependence, by stepping down (Holm 1979).

    The i-th smallest p (i = 1 … m) becomes ``max over j ≤ i of min(1, (m − j + 1) · p_(j))``.
    """
    values = _probabilities(p)
    order = np.argsort(values, kind="stable")
    weights = np.arange(values.size, 0, -1)
    return _unsort(np.minimum(1.0, np.maximum.accumulate(values[order] * weights)), order)


def benjamini_hochberg(p: ArrayLike) -> Vector:
    """Control the expected share of false alarms among the alarms (Benjamini & Hochberg 1995).

    The i-th smallest p becomes ``min over j ≥ i of min(1, m / j · p_(j))``. Supposes tests that are
    independent or positively dependent; it does not bound the chance of a single false alarm.
    """
    values = _probabilities(p)
    order = np.argsort(values, kind="stable")
    scaled = values[order] * values.size / np.arange(1, values.size + 1)
    return _unsort(np.minimum(1.0, np.minimum.accumulate(scaled[::-1])[::-1]), order)


def adjust(p: ArrayLike, method: str = "holm") -> Vector:
    """Adjust ``p`` by the named method: holm, bonferroni, benjamini_hochberg or none."""
    if method not in _METHODS:
        raise UsageError(f"unknown correction {method!r}; choose one of {', '.join(sorted(_METHODS))}")
    return _METHODS[method](p)


def _probabilities(p: ArrayLike) -> Vector:
    values = as_vector(p, "p-values")
    outside = values[(values < 0) | (values > 1)]
    if outside.size:
        raise ScoreError(f"{outside[0]:g} is not a probability; p-values lie between 0 and 1")
    return values


def _unsort(adjusted: Vector, order: np.ndarray[tuple[int, ...], np.dtype[np.intp]]) -> Vector:
    result = np.empty_like(adjusted)
    result[order] = adjusted
    return result


_METHODS: Mapping[str, Callable[[ArrayLike], Vector]] = MappingProxyType(
    {
        "benjamini_hochberg": benjamini_hochberg,
        "bonferroni": bonferroni,
        "holm": holm,
        "none": lambda p: _probabilities(p).copy(),
    }
)
