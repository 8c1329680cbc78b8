"""Items from draws: one score for each word in each sentence it was drawn in."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from biascheck.measures.embeddings.states_of_words import DrawnWords
from biascheck.results.attachments import Table
from biascheck.results.items import ItemScore, Shown
from biascheck.stats import ChanceBaseline

__all__ = ["baseline_table", "drawn_items"]


def drawn_items(
    drawn: DrawnWords, scores: NDArray[np.float64], *, covariate: bool = False, chosen: NDArray[np.bool_] | None = None
) -> list[ItemScore]:
    """One item for every word and draw, or for those ``chosen``; the word is the cluster.

    A sentence is kept with the first item of each word only: they are most of a file.
    """
    items: list[ItemScore] = []
    for draw, row in enumerate(scores):
        for place in range(len(row)) if chosen is None else np.flatnonzero(chosen[draw]).tolist():
            entry, context = drawn.entries[place], drawn.contexts[draw][place]
            labels = {} if entry.bias is None else {"bias": entry.bias}
            sentence = Shown(context.text, context.span.start, context.span.end)
            items.append(
                ItemScore(
                    id=f"{entry.word}/{draw}",
                    score=float(row[place]),
                    cluster=entry.word,
                    covariate=entry.bias if covariate else None,
                    labels={**labels, **entry.labels},
                    sentences={"sentence": sentence} if draw == 0 else {},
                    draw=draw,
                )
            )
    return items


def baseline_table(baselines: Iterable[ChanceBaseline]) -> Table:
    """What permuted labels give, for a report."""
    columns = ("permutations", "mean of permuted labels", "95 % of permuted labels below", "p")
    return Table(columns=columns, rows=tuple((b.permutations, b.mean, b.high, b.p) for b in baselines))
