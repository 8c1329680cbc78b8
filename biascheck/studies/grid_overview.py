"""A whole grid as one result, with the tables of Jentzsch & Turan (2022)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from biascheck import stats
from biascheck.cache.document_cache import digest_of
from biascheck.errors import ScoreError
from biascheck.measures.tables.delta_table import corrected_rows
from biascheck.results.attachments import AnyAttachment, Correlations, Facts, Table, TwoSided
from biascheck.results.items import ItemScore, Label
from biascheck.results.result import Result
from biascheck.results.summaries import summarise
from biascheck.studies.grid_rows import GridRow

__all__ = ["FIGURES", "correlations_of", "form_of", "overview"]

BIAS_COLUMNS = ("total bias", "low", "high", "absolute bias", "total (non-zero)", "absolute (non-zero)")
OVERVIEW_COLUMNS = ("classifier", *BIAS_COLUMNS, "N<0", "N=0", "N>0", "p", "")
QUALITY_COLUMNS = ("classifier", "accuracy", "recall", "precision", "F1", "reviews")
FIGURES = ("absolute bias", "total bias", "accuracy", "F1")


def correlations_of(rows: Sequence[tuple[float, ...]], names: Sequence[str] = FIGURES) -> dict[str, Any]:
    """Pearson's correlation of every two columns over the classifiers (the paper's Table 2), and Holm's p for each."""
    columns = list(zip(*rows, strict=True))
    pairs = [(i, j) for i in range(len(names)) for j in range(i)]
    found = {(i, j): stats.pearson(columns[i], columns[j]) for i, j in pairs}
    corrected = stats.adjust([found[pair].p for pair in pairs], "holm")
    matrix = [
        [1.0 if i == j else found[max(i, j), min(i, j)].coefficient for j in range(len(names))]
        for i in range(len(names))
    ]
    p = {f"{names[i]}, {names[j]}": float(value) for (i, j), value in zip(pairs, corrected, strict=True)}
    return {"names": list(names), "matrix": matrix, "p": p}


def overview(rows: Sequence[GridRow], *, correction: str = "holm", family: int | None = None, seed: int = 0) -> Result:
    """The grid as one result: the mean of the total biases of its classifiers, with the tables of the paper.

    Attached are the two sides of every cell, a table like the paper's 3 and 4 with corrected p-values, one like 5 and 6
    with recall, precision and F1 of the negative class, and the correlations of Table 2, where there are at least three
    classifiers and their figures vary. The paper corrects by ``bonferroni`` for a ``family`` of 64.

    Limits: classifiers that share a base model or reviews are not independent; the interval takes them as if they were.
    """
    form = form_of(rows, "sentiment grid", "classifiers", seed=seed)
    whole = replace(form, corpus=f"{len(rows)} classifiers", items=tuple(_item(row) for row in rows))
    return summarise(whole).with_attachments(*_attachments(rows, correction, family))


def form_of(rows: Sequence[GridRow], measure: str, unit: str, *, statistic: str = "mean", seed: int = 0) -> Result:
    """An empty result about several rows, identified by all of their classifiers."""
    if not rows:
        raise ScoreError("a grid without rows; run it first")
    first = rows[0].result
    digest_of_models = digest_of([row.result.provenance.model_fingerprint for row in rows])
    return replace(
        first,
        provenance=replace(first.provenance, model_fingerprint=digest_of_models),
        measure=measure,
        model=", ".join(dict.fromkeys(row.cell.model for row in rows)),
        treatment=(),
        slice=(),
        statistic=statistic,
        skipped=(),
        warnings=(),
        seed=seed,
        unit=unit,
        attachments=(),
        competence=None,
    )


def _item(row: GridRow) -> ItemScore:
    labels: dict[str, Label] = {"condition": str(row.cell.condition), "terms": row.cell.terms}
    labels |= {"absolute bias": row.summary.absolute, "accuracy": row.quality.accuracy}
    return ItemScore(str(row.cell), row.summary.total, str(row.cell), labels=labels)


def _attachments(rows: Sequence[GridRow], correction: str, family: int | None) -> Iterator[AnyAttachment]:
    table = corrected_rows([row.summary for row in rows], correction=correction, family=family)
    body = []
    for row, line in zip(rows, table, strict=True):
        summary, interval = line.summary, row.result.interval
        ends = (None, None) if interval is None else (interval.low, interval.high)
        biases = (summary.absolute, summary.total_nonzero, summary.absolute_nonzero)
        counts = (summary.n_negative, summary.n_zero, summary.n_positive)
        body.append((str(row.cell), summary.total, *ends, *biases, *counts, line.p, line.stars))
    yield TwoSided(sides=tuple(row.summary.side for row in rows))
    yield Table(columns=OVERVIEW_COLUMNS, rows=tuple(body), title=f"Biases; p corrected by {correction}")
    yield Table(columns=QUALITY_COLUMNS, rows=tuple(_quality(row) for row in rows), title="Of the negative class")
    with suppress(ScoreError):  # too few classifiers, or a figure that does not vary, correlate with nothing
        found = correlations_of([row.figures for row in rows])
        yield Correlations(names=tuple(found["names"]), matrix=tuple(map(tuple, found["matrix"])))
        yield Facts(facts={"p of correlations": found["p"]})


def _quality(row: GridRow) -> tuple[str | float, ...]:
    found = row.quality
    return str(row.cell), found.accuracy, found.recall, found.precision, found.f1, found.n
