"""Scores of documents as a result: one item for each document."""

from __future__ import annotations

from collections.abc import Sequence

from biascheck.corpora.documents import Documents
from biascheck.measures.draft import draft
from biascheck.models.capabilities import Model
from biascheck.results.items import ItemScore, Skipped
from biascheck.results.result import Result
from biascheck.results.summaries import summarise

__all__ = ["losses_of"]

LOSS = ("measured", "perfect")


def losses_of(
    model: Model,
    documents: Documents,
    scores: Sequence[float | str],
    seed: int,
    unit: str = "documents",
) -> Result:
    """One item for each document, or why it has no score; versions of one document are one cluster."""
    pairs = list(zip(documents, scores, strict=True))
    items = [ItemScore(d.id, score, d.source) for d, score in pairs if not isinstance(score, str)]
    skipped = [Skipped(document.id, reason) for document, reason in pairs if isinstance(reason, str)]
    return summarise(draft(model, documents, items, skipped, contrast=LOSS, seed=seed, unit=unit))
