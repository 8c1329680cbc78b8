"""Vectors on a plane, to be looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from biascheck.errors import UsageError
from biascheck.release import is_installed, require
from biascheck.results.attachments import MapPoint, WordMap

__all__ = ["MapMethod", "neighbour_method", "word_map"]

MapMethod = Literal["PCA", "UMAP", "t-SNE"]
MapMatrix = NDArray[np.float64]
MOST_POINTS = 400
NEIGHBOURS, PERPLEXITY = 15, 30.0


def word_map(
    vectors: Any,
    words: Sequence[str],
    groups: Sequence[str],
    *,
    method: MapMethod = "PCA",
    most: int = MOST_POINTS,
    seed: int = 0,
) -> WordMap:
    """The words on a plane, at most ``most`` of them, evenly taken.

    "PCA" takes the first two principal components, which show the directions of the largest differences. "UMAP" (as in
    Basta et al. 2019, Figure 2; the package umap-learn) and "t-SNE" (scikit-learn) keep neighbours together; distances
    between far points mean nothing there. :func:`neighbour_method` says which of the two this installation has.
    """
    matrix = np.asarray(vectors, dtype=np.float64)
    if len(matrix) < 3:
        return WordMap(points=(), method=method)
    chosen = np.unique(np.linspace(0, len(matrix) - 1, min(most, len(matrix))).astype(int))
    places = _places(matrix[chosen], method, seed)
    points = tuple(
        MapPoint(words[i], round(float(x), 5), round(float(y), 5), groups[i])
        for i, (x, y) in zip(chosen.tolist(), places, strict=True)
    )
    return WordMap(points=points, method=method)


def neighbour_method() -> MapMethod:
    """UMAP where it is installed, else scikit-learn's t-SNE."""
    return "UMAP" if is_installed("umap") else "t-SNE"


def _places(matrix: MapMatrix, method: MapMethod, seed: int) -> MapMatrix:
    centred = matrix - matrix.mean(axis=0)
    if method == "PCA":
        return _principal(centred)
    if method == "t-SNE":
        require("a map by t-SNE", "local", ("sklearn",), instead=", or choose PCA")
        from sklearn.manifold import TSNE

        perplexity = min(PERPLEXITY, (len(matrix) - 1) / 3)
        # principal components as the start make a map that is the same again, whatever the seed
        return np.asarray(TSNE(perplexity=perplexity, init="pca", random_state=seed).fit_transform(centred))
    if method != "UMAP":
        raise UsageError(f"no map by {method!r}; choose PCA, UMAP or t-SNE")
    require("a map by UMAP", "umap", instead=", or choose t-SNE or PCA")
    from umap import UMAP

    neighbours = min(NEIGHBOURS, len(matrix) - 1)
    return np.asarray(UMAP(n_neighbors=neighbours, random_state=seed).fit_transform(centred), dtype=np.float64)


def _principal(centred: MapMatrix) -> MapMatrix:
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    # A singular vector has no sign of its own: its largest part points upwards, so that a map is the same again.
    signs = np.sign(axes[np.arange(2), np.abs(axes[:2]).argmax(axis=1)])
    return np.asarray(centred @ (axes[:2] * signs[:, None]).T)
