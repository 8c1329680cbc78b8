"""How certain the predicted pronouns are (Manela et al. 2021, Figure 3)."""

from __future__ import annotations

import numpy as np

from biascheck.measures.pronouns.certain_gaps import CERTAINTY
from biascheck.results.attachments import Histogram
from biascheck.results.result import Result

__all__ = ["certainty_histogram"]

BINS = 20


def certainty_histogram(gaps: Result, *, bins: int = BINS) -> Histogram:
    """|P(male) − P(female)| of every sentence of a :func:`pronoun_gap` result, from 0 to 1 in equal bins.

    The paper calls a prediction certain from 0.1 on, and says that most of its own are. A model whose sentences crowd
    below that guesses, and its F1s count guesses. A value at an edge belongs to the bin above it, 1 to the last one.
    """
    certainties = np.abs([item.score for item in gaps.items])
    # in whole bins, so that 0.3 is not just below the edge that is written 0.3
    places = np.minimum(np.floor(certainties * bins + 1e-9).astype(int), bins - 1)
    below = int((certainties < CERTAINTY).sum())
    first, second = gaps.contrast
    return Histogram(
        x=f"|P({first}) − P({second})|",
        unit=gaps.unit,
        edges=tuple(round(n / bins, 12) for n in range(bins + 1)),
        counts=tuple(np.bincount(places, minlength=bins).tolist()),
        note=f"{below:,} of {gaps.n:,} {gaps.unit} lie below {CERTAINTY:g}, the cut-off of Manela et al. (2021).",
    )
