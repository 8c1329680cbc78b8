"""How far several raters agree beyond chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biascheck.errors import ScoreError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["fleiss_kappa"]


def fleiss_kappa(counts: ArrayLike) -> float:
    """Return Fleiss' κ of a table with one row for each subject and one column for each category.

    A cell is the number of raters who put the subject into the category; every row sums to the same n ≥ 2.
    With P_i = (Σ_j n_ij² − n) / (n (n − 1)) the agreement on subject i, P̄ its mean, and P̄_e = Σ_j p_j² what
    the shares p_j of the categories give by chance, ``κ = (P̄ − P̄_e) / (1 − P̄_e)``: 1 for full agreement, 0
    for chance, negative below it (Fleiss 1971).

    Limits: undefined (ScoreError) where all votes fall into one category; raters need not be the same
    people for every subject, so κ says nothing about any one of them.
    """
    table = np.asarray(counts, dtype=float)
    if table.ndim != 2 or not table.size or not np.all(np.isfinite(table)) or np.any(table < 0):
        raise ScoreError("agreement needs a table of counts, one row for each subject and one column for each category")
    raters = table[0].sum()
    if raters < 2 or not np.all(table.sum(axis=1) == raters):
        raise ScoreError("every subject needs votes of the same number of raters, at least 2; leave the others out")
    observed = float(np.mean((np.sum(table**2, axis=1) - raters) / (raters * (raters - 1))))
    expected = float(np.sum((table.sum(axis=0) / table.sum()) ** 2))
    if expected == 1:
        raise ScoreError("all votes fall into one category; agreement beyond chance is undefined")
    return (observed - expected) / (1 - expected)
