"""Base models × training conditions × term sets: the 63 classifiers of Jentzsch & Turan (2022), or a few of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from biascheck import stats
from biascheck.cache.document_cache import digest_of
from biascheck.corpora.datasets.reviews import Reviews, review_pairs
from biascheck.corpora.rewriting.terms import TermName
from biascheck.debias.classifier_checkpoints import fine_tune_classifier
from biascheck.debias.conditions import Condition
from biascheck.debias.quality import Quality, quality_of
from biascheck.debias.recipes import ClassifierRecipe
from biascheck.errors import ScoreError, UsageError
from biascheck.measures.sentiment_delta import sentiment_delta
from biascheck.measures.tables.delta_table import delta_summary, delta_table
from biascheck.models.adapters.sequence_classifier import TransformersClassifier
from biascheck.models.adapters.transformers import TransformersModel
from biascheck.results.attachments import AnyAttachment, Correlations, Facts, Table, TwoSided
from biascheck.results.items import ItemScore, Label
from biascheck.results.result import Result
from biascheck.results.summaries import summarise

__all__ = ["Cell", "GridRow", "SentimentGrid", "correlations_of", "overview"]

DEFAULT_TERMS: tuple[TermName, ...] = ("all",)
COLUMNS = ("classifier", "total bias", "low", "high", "absolute bias", "N<0", "N=0", "N>0", "p", "", "accuracy", "F1")
FIGURES = ("absolute bias", "total bias", "accuracy", "F1")


@dataclass(frozen=True)
class Cell:
    """One classifier and the term set it is measured with."""

    model: str
    condition: Condition
    terms: TermName

    def __str__(self) -> str:
        return f"{self.model}·{self.condition}×{self.terms}"


@dataclass(frozen=True)
class GridRow:
    """A measured cell: its deltas, and how good the classifier is on test reviews under its own condition."""

    cell: Cell
    result: Result
    quality: Quality

    @property
    def figures(self) -> tuple[float, ...]:
        """Absolute bias, total bias, accuracy and F1, biases over non-zero reviews as in the paper's Table 1."""
        summary = delta_summary(self.result)
        return summary.absolute_nonzero, summary.total_nonzero, self.quality.accuracy, self.quality.f1


@dataclass(frozen=True)
class SentimentGrid:
    """One declaration of the whole experiment.

    The original condition is measured with every term set that occurs, R-x and mix-x with their own, as in the paper.
    In a mix every review stands twice, so it is trained for half the epochs: all classifiers take as many steps.
    Running again goes on where it stopped: checkpoints and results come from the cache.
    """

    models: Sequence[TransformersModel]
    conditions: Sequence[str]
    train: Reviews
    test: Reviews
    recipe: ClassifierRecipe
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.models or not self.conditions:
            raise UsageError("a grid needs at least one model and one condition")
        _ = list(self.cells())

    def cells(self) -> Iterator[Cell]:
        """Every classifier with every term set it is measured with, in order."""
        conditions = [Condition.named(name) for name in self.conditions]
        sets = tuple(dict.fromkeys(c.terms for c in conditions if c.terms is not None)) or DEFAULT_TERMS
        for model in self.models:
            for condition in conditions:
                for terms in sets if condition.terms is None else (condition.terms,):
                    yield Cell(model.name, condition, terms)

    def run(self) -> Iterator[GridRow]:
        """Train, rate and test, cell by cell."""
        bases = {model.name: model for model in self.models}
        corpora = cache(lambda terms: review_pairs(self.test, terms))
        for cell in self.cells():
            classifier = self.classifier(bases[cell.model], cell.condition)
            result = sentiment_delta(classifier, corpora(cell.terms), seed=self.seed)
            # The test reviews are treated like the training data (paper, A.3).
            yield GridRow(cell, result, quality_of(classifier, cell.condition.apply(self.test)))

    def classifier(self, base: TransformersModel, condition: Condition) -> TransformersClassifier:
        """The classifier of one condition, fine-tuned or from the cache."""
        recipe = condition.steps_kept(self.recipe)
        return fine_tune_classifier(base, condition.apply(self.train), recipe, treatment=str(condition))


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


def overview(rows: Sequence[GridRow], *, seed: int = 0) -> Result:
    """The grid as one result: the mean of the total biases of its classifiers, with the tables of the paper.

    Attached are the two sides of every cell, a table like the paper's 3 and 4 with corrected p-values, and the
    correlations of Table 2, where there are at least three classifiers and their figures vary.

    Limits: classifiers that share a base model or reviews are not independent; the interval takes them as if they were.
    """
    if not rows:
        raise ScoreError("a grid without rows; run it first")
    first = rows[0].result
    prints = digest_of([row.result.provenance.model_fingerprint for row in rows])
    form = replace(
        first,
        provenance=replace(first.provenance, model_fingerprint=prints),
        measure="sentiment grid",
        model=", ".join(dict.fromkeys(row.cell.model for row in rows)),
        treatment=(),
        slice=(),
        corpus=f"{len(rows)} classifiers",
        statistic="mean",
        items=tuple(_item(row) for row in rows),
        skipped=(),
        warnings=(),
        seed=seed,
        unit="classifiers",
        attachments=(),
    )
    return summarise(form).with_attachments(*_attachments(rows))


def _item(row: GridRow) -> ItemScore:
    summary = delta_summary(row.result)
    labels: dict[str, Label] = {"condition": str(row.cell.condition), "terms": row.cell.terms}
    labels |= {"absolute bias": summary.absolute, "accuracy": row.quality.accuracy}
    return ItemScore(str(row.cell), summary.total, str(row.cell), labels=labels)


def _attachments(rows: Sequence[GridRow]) -> Iterator[AnyAttachment]:
    table = delta_table([row.result for row in rows])
    sides, body = [], []
    for row, line in zip(rows, table, strict=True):
        summary, interval = line.summary, row.result.interval
        ends = (None, None) if interval is None else (interval.low, interval.high)
        counts = (summary.n_negative, summary.n_zero, summary.n_positive)
        quality = (row.quality.accuracy, row.quality.f1)
        body.append((str(row.cell), summary.total, *ends, summary.absolute, *counts, line.p, line.stars, *quality))
        sides.append(replace(summary, name=str(row.cell)).side)
    yield TwoSided(sides=tuple(sides))
    yield Table(columns=COLUMNS, rows=tuple(body))
    with suppress(ScoreError):  # too few classifiers, or a figure that does not vary, correlate with nothing
        found = correlations_of([row.figures for row in rows])
        yield Correlations(names=tuple(found["names"]), matrix=tuple(map(tuple, found["matrix"])))
        yield Facts(facts={"p of correlations": found["p"]})
