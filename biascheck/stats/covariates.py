"""Correlation of two columns of numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy import special

from biascheck.core.errors import ScoreError
from biascheck.stats.vectors import Vector, as_vector, mid_ranks

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Kind = Literal["pearson", "spearman"]
MINIMUM_POINTS = 3  # two points always lie on a line


@dataclass(frozen=True, slots=True)
class Correlation:
    """A correlation coefficient from −1 to 1, its two-sided p for "no association", and n points."""

    kind: Kind
    coefficient: float
    p: float
    n: int


def pearson(x: ArrayLike, y: ArrayLike) -> Correlation:
    """Measure linear association; positive when ``y`` grows with ``x``.

    ``r = Σ(x − x̄)(y − ȳ) / sqrt(Σ(x − x̄)² · Σ(y − ȳ)²)``, p from Student's t with n − 2 degrees.
    Limit: p supposes independent, roughly normal points. Constant input has no correlation: ScoreError.
    """
    first, second = _columns(x, y)
    return _correlation("pearson", first, second)


def spearman(x: ArrayLike, y: ArrayLike) -> Correlation:
    """Measure monotone association: Pearson's r of the mid-ranks, so ties are shared fairly.

    Limit: p is the usual t approximation, which is too small below about 10 points (0 for a perfect
    order of 3); read the coefficient's bootstrap interval there.
    """
    first, second = _columns(x, y)
    return _correlation("spearman", mid_ranks(first), mid_ranks(second))


def correlation_of_rows(x: NDArray[np.float64], y: NDArray[np.float64], *, ranks: bool) -> Vector:
    """Correlate each row of one matrix with the same row of another; a constant row gives not-a-number."""
    if ranks:
        x, y = mid_ranks(x), mid_ranks(y)
    with np.errstate(invalid="ignore", divide="ignore"):
        units = [_unit_rows(x), _unit_rows(y)]
    coefficients: Vector = np.clip(np.einsum("ij,ij->i", *units), -1.0, 1.0)
    return coefficients


def _unit_rows(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    centred = rows - rows.mean(axis=1, keepdims=True)
    centred[np.ptp(rows, axis=1) == 0] = 0.0
    centred = centred / np.abs(centred).max(axis=1, keepdims=True)
    return np.asarray(centred / np.linalg.norm(centred, axis=1, keepdims=True))


def _columns(x: ArrayLike, y: ArrayLike) -> tuple[Vector, Vector]:
    first, second = as_vector(x, "values of x"), as_vector(y, "values of y")
    if first.size != second.size:
        raise ScoreError(f"x has {first.size} values and y has {second.size}; give one y for every x")
    if first.size < MINIMUM_POINTS:
        raise ScoreError(f"{first.size} points support no correlation; at least {MINIMUM_POINTS} are needed")
    for name, column in (("x", first), ("y", second)):
        if np.ptp(column) == 0:
            raise ScoreError(f"{name} is constant ({column[0]:g}); a correlation needs values that vary")
    return first, second


def _correlation(kind: Kind, first: Vector, second: Vector) -> Correlation:
    n = int(first.size)
    coefficient = float(np.clip(np.dot(_unit(first), _unit(second)), -1.0, 1.0))
    distance = (1 - coefficient) * (1 + coefficient)
    t = math.inf if distance <= 0 else abs(coefficient) * math.sqrt((n - 2) / distance)
    return Correlation(kind, coefficient, min(1.0, 2 * float(special.stdtr(n - 2, -t))), n)


def _unit(column: Vector) -> Vector:
    """Centre and scale to length 1; the first division keeps squares of tiny scores from vanishing."""
    centred = column - column.mean()
    centred = centred / np.abs(centred).max()
    unit: Vector = centred / np.sqrt(np.dot(centred, centred))
    return unit
