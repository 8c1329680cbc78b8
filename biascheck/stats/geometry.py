"""Directions, clusters and neighbours in a space of vectors: matrices (one row per point) in, numbers out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from biascheck.core.errors import ScoreError
from biascheck.core.release import require
from biascheck.stats.vectors import Vector

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

ITERATIONS = 100
STARTS = 10


@dataclass(frozen=True, eq=False)
class Subspace:
    """Orthogonal axes, one per row, by falling share of the sum of squares; the shares add up to 1."""

    axes: NDArray[np.float64]
    shares: Vector


@dataclass(frozen=True, slots=True)
class ChanceBaseline:
    """The distribution of a statistic under permuted labels: mean, 95th percentile, and p of the observed value."""

    mean: float
    high: float
    p: float
    permutations: int


def matrix_of(rows: ArrayLike, name: str = "vectors") -> NDArray[np.float64]:
    """A finite matrix with at least one row, or ScoreError."""
    matrix = np.asarray(rows, dtype=np.float64)
    if matrix.ndim != 2 or not matrix.size:
        raise ScoreError(f"{name} have the shape {matrix.shape}; give one row of numbers for each point")
    if not np.isfinite(matrix).all():
        raise ScoreError(f"{name} contain numbers that are not finite; leave out the points they belong to")
    return matrix


def principal_subspace(differences: ArrayLike) -> Subspace:
    """The principal axes of paired differences: an **uncentred** singular value decomposition.

    Centring each pair on its own mean and decomposing both halves gives the same axes and shares, as in
    Bolukbasi et al. 2016; centring the differences would remove the very direction in which they agree.
    The first axis points where the mean difference points.
    """
    matrix = matrix_of(differences, "differences")
    _, singular, axes = np.linalg.svd(matrix, full_matrices=False)
    squares = singular**2
    if squares[0] == 0:
        raise ScoreError("all differences are zero; the pairs do not differ and span no direction")
    if axes[0] @ matrix.mean(axis=0) < 0:
        axes[0] = -axes[0]
    return Subspace(axes, squares / squares.sum())


def held_out_squares(differences: ArrayLike, names: Sequence[str]) -> Vector:
    """The square of each difference along the first axis of all differences of *other* names.

    A few differences in many dimensions make an axis that fits themselves, and their share along it is too high; along
    an axis that has not seen them it is too low, by as much to first order. See ``gender_subspace(corrected=True)``.
    """
    matrix = matrix_of(differences, "differences")
    owners = np.asarray(names)
    if len(set(names)) < 2:
        raise ScoreError("differences of one name cannot be compared with those of others; give two pairs or more")
    squares = np.empty(len(matrix))
    for name in set(names):
        own = owners == name
        squares[own] = (matrix[own] @ principal_subspace(matrix[~own]).axes[0]) ** 2
    return squares


def unit_rows(rows: ArrayLike) -> NDArray[np.float64]:
    """Every row scaled to length 1; ScoreError for a row without direction."""
    matrix = matrix_of(rows)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    if np.any(lengths == 0):
        raise ScoreError(f"vector {int(np.argmin(lengths))} is zero and has no direction; leave out its word")
    return np.asarray(matrix / lengths)


def cosines(rows: ArrayLike, direction: ArrayLike) -> Vector:
    """The cosine of every row with one direction."""
    axis = unit_rows(np.asarray(direction, dtype=np.float64)[None, :])[0]
    found: Vector = unit_rows(rows) @ axis
    return np.clip(found, -1.0, 1.0)


def two_centres(rows: ArrayLike, *, seed: int) -> NDArray[np.float64]:
    """The two centres of k-means (k = 2), the best of ten starts (scikit-learn's Lloyd with k-means++)."""
    require("k-means", "local", ("sklearn",))
    from sklearn.cluster import KMeans

    matrix = matrix_of(rows)
    found = KMeans(n_clusters=2, n_init=STARTS, max_iter=ITERATIONS, random_state=seed).fit(matrix)
    return np.asarray(found.cluster_centers_, dtype=np.float64)


def side_of_centres(rows: ArrayLike, centres: NDArray[np.float64]) -> Vector:
    """How much nearer each row is to the first centre than to the second; negative if the second is nearer."""
    matrix = matrix_of(rows)
    distances = np.linalg.norm(matrix[:, None, :] - centres[None, :, :], axis=2)
    return np.asarray(distances[:, 1] - distances[:, 0])


def nearest(rows: ArrayLike, count: int) -> NDArray[np.intp]:
    """The ``count`` nearest other rows of each row, by cosine; ties go to the earlier row."""
    units = unit_rows(rows)
    if not 1 <= count < len(units):
        raise ScoreError(f"{count} neighbours among {len(units)} points; ask for 1 to {len(units) - 1}")
    likeness = np.round(units @ units.T, 12)
    np.fill_diagonal(likeness, -np.inf)
    return np.argsort(-likeness, axis=1, kind="stable")[:, :count]


def label_baseline(observed: float, permuted: ArrayLike) -> ChanceBaseline:
    """Compare an observed statistic with those of permuted labels; p = (k + 1) / (n + 1), one-sided upwards."""
    dealt = np.asarray(permuted, dtype=np.float64)
    reached = int(np.count_nonzero(dealt >= observed - 1e-12))
    p = (reached + 1) / (dealt.size + 1)
    return ChanceBaseline(float(dealt.mean()), float(np.quantile(dealt, 0.95)), p, int(dealt.size))
