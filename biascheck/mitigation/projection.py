"""Hard debiasing of static vectors: neutralise and equalise (Bolukbasi et al. 2016, §6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from biascheck import stats
from biascheck.core.errors import UsageError
from biascheck.corpora.rewriting.gender_words import GENDER_PAIRS, GENDERED
from biascheck.models.local.vectors import WordVectors

HARD_DEBIASED = "hard-debiased"
"""The treatment that results on such vectors name."""

ROWS_AT_ONCE = 50_000


def hard_debiased(
    vectors: WordVectors,
    *,
    pairs: Sequence[tuple[str, str]] = GENDER_PAIRS,
    equalise: Sequence[tuple[str, str]] | None = None,
    gendered: Iterable[str] = GENDERED,
    components: int = 1,
) -> WordVectors:
    """The vectors without their component in the gender subspace, in three steps.

    1. All vectors are scaled to length 1 and the subspace is spanned by the first ``components`` axes of the
       differences of ``pairs``, each centred on its mean.
    2. *Neutralise*: every word that is not ``gendered`` loses its component in the subspace and is scaled to length 1
    again.
    3. *Equalise*: the two words of a pair in ``equalise`` (by default ``pairs``) are placed symmetrically about the
       subspace, so that every neutralised word is equally near to both.

    Limits: only the component along the axis is removed; other dimensions still encode gender, and words still cluster
    by it (Gonen & Goldberg 2019), which ``cluster_accuracy`` shows.
    """
    if components < 1:
        raise UsageError(f"a subspace of {components} axes removes nothing; use at least 1")
    lengths = np.linalg.norm(vectors.matrix, axis=1, keepdims=True)
    matrix = (vectors.matrix / np.where(lengths == 0, 1, lengths)).astype(np.float32)
    known = [(vectors.places[m], vectors.places[f]) for m, f in pairs if m in vectors.places and f in vectors.places]
    if not known:
        raise UsageError(f"{vectors.name} knows none of the pairs {list(pairs)[:3]} …; give pairs of its words")
    differences = np.stack([matrix[m].astype(np.float64) - matrix[f] for m, f in known])
    axes = stats.principal_subspace(differences).axes[:components]
    spared = set(gendered) | {word for pair in pairs for word in pair}
    neutral = np.array([word not in spared and word.lower() not in spared for word in vectors.vocabulary])
    _neutralise(matrix, np.flatnonzero(neutral), axes)
    for male, female in pairs if equalise is None else equalise:
        if male in vectors.places and female in vectors.places:
            _equalise(matrix, vectors.places[male], vectors.places[female], axes)
    return vectors.with_matrix(matrix, treatment=(HARD_DEBIASED,))


def _neutralise(matrix: NDArray[np.float32], rows: NDArray[np.intp], axes: NDArray[np.float64]) -> None:
    for start in range(0, len(rows), ROWS_AT_ONCE):
        chosen = rows[start : start + ROWS_AT_ONCE]
        part = matrix[chosen].astype(np.float64)
        part -= part @ axes.T @ axes
        lengths = np.linalg.norm(part, axis=1, keepdims=True)
        matrix[chosen] = part / np.where(lengths == 0, 1, lengths)


def _equalise(matrix: NDArray[np.float32], male: int, female: int, axes: NDArray[np.float64]) -> None:
    """Both words share what lies outside the subspace, and lie opposite each other inside it."""
    one, other = matrix[male].astype(np.float64), matrix[female].astype(np.float64)
    mean = (one + other) / 2
    outside = mean - mean @ axes.T @ axes
    inside = (one - other) @ axes.T @ axes
    length = np.linalg.norm(inside)
    if length == 0:
        return
    reach = np.sqrt(max(0.0, 1 - float(outside @ outside)))
    matrix[male] = outside + reach * inside / length
    matrix[female] = outside - reach * inside / length
