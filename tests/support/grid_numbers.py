"""Rows of a grid from numbers alone, without a classifier."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from biascheck.mitigation import Condition, Quality
from biascheck.papers import GridCell, GridRow
from biascheck.results.items import ItemScore
from support.handmade import result_of

QUALITY = Quality(0.8, 0.75, 0.7, 0.72, "negative", 100)
FORM = result_of(
    [ItemScore(str(n), 0.1, str(n), {"male": 0.1, "female": 0.0}) for n in range(6)],
    measure="sentiment delta",
    unit="reviews",
)


def row_of(deltas, model="bert-base-uncased", condition="original", terms="all", *, batch=0, ids=None, quality=QUALITY):
    deltas = np.asarray(deltas, dtype=float)
    cell = GridCell(model, Condition.named(condition), terms, batch)
    ids = tuple(map(str, range(deltas.size))) if ids is None else ids
    ratings = np.full(deltas.size, 0.5, dtype=np.float32)
    return GridRow(cell, replace(FORM, items=()), quality, ids, deltas, ratings)
