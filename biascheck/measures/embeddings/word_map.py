"""Vectors on a plane, to be looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from biascheck.results.attachments import MapPoint, WordMap

__all__ = ["word_map"]

MOST_POINTS = 400


def word_map(vectors: Any, words: Sequence[str], groups: Sequence[str]) -> WordMap:
    """The first two principal components of the words, at most 400 of them, evenly taken."""
    matrix = np.asarray(vectors, dtype=np.float64)
    if len(matrix) < 3:
        return WordMap(points=())
    chosen = np.unique(np.linspace(0, len(matrix) - 1, min(MOST_POINTS, len(matrix))).astype(int))
    centred = matrix[chosen] - matrix[chosen].mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    # A singular vector has no sign of its own: its largest part points upwards, so that a map is the same again.
    signs = np.sign(axes[np.arange(2), np.abs(axes[:2]).argmax(axis=1)])
    places = centred @ (axes[:2] * signs[:, None]).T
    return WordMap(
        points=tuple(
            MapPoint(words[i], round(float(x), 5), round(float(y), 5), groups[i])
            for i, (x, y) in zip(chosen.tolist(), places, strict=True)
        )
    )
