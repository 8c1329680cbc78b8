"""The check that all numbers pass: a finite, non-empty, one-dimensional array of floats."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biascheck.core.errors import ScoreError, UsageError

Vector: TypeAlias = NDArray[np.float64]

LARGEST = 1e150  # squares of larger magnitudes overflow, and no score is that large


def as_vector(values: ArrayLike, name: str = "values") -> Vector:
    """Return ``values`` as an array of floats, or raise ScoreError naming what is wrong with them."""
    try:
        vector = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ScoreError(f"{name} are not numbers: {error}") from error
    if vector.ndim != 1:
        raise ScoreError(f"{name} have {vector.ndim} dimensions; give one number per item")
    if vector.size == 0:
        raise ScoreError(f"{name} are empty; without data there is no score")
    bad = np.flatnonzero(~(np.abs(vector) <= LARGEST))
    if bad.size:
        raise ScoreError(
            f"{bad.size} of {vector.size} {name} are not finite "
            f"(first: {vector[bad[0]]} at position {bad[0]}); "
            "find the item that produced it, or record it as skipped"
        )
    return vector


def mid_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks from 1 along the last axis; equal values share the mean of theirs.

    Same as scipy.stats.rankdata, whose import takes longer than all other computations of a repeated run.
    """
    rows = np.atleast_2d(values)
    order = rows.argsort(axis=1)
    ordered = np.take_along_axis(rows, order, axis=1)
    groups = np.zeros(rows.shape, dtype=np.intp)
    np.cumsum(ordered[:, 1:] != ordered[:, :-1], axis=1, out=groups[:, 1:])
    within = groups + rows.shape[1] * np.arange(len(rows))[:, None]
    counts = np.bincount(within.ravel(), minlength=rows.size).reshape(rows.shape)
    shared = np.take_along_axis(counts.cumsum(axis=1) - (counts - 1) / 2, groups, axis=1)
    ranks = np.empty(rows.shape)
    np.put_along_axis(ranks, order, shared, axis=1)
    return ranks.reshape(values.shape)


def require_generator(rng: object) -> None:
    """Raise UsageError unless ``rng`` is a numpy Generator, so that every draw can be repeated."""
    if not isinstance(rng, np.random.Generator):
        raise UsageError(
            f"rng is {type(rng).__name__}, not a numpy Generator; "
            "pass numpy.random.default_rng(seed) and record the seed"
        )
