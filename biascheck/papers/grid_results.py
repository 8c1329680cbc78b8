"""A whole grid as results: the research questions of Jentzsch & Turan (2022), and their figures beside ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biascheck import stats
from biascheck.core.errors import ScoreError, UsageError
from biascheck.core.store import digest_of
from biascheck.corpora.rewriting.terms import TermName
from biascheck.measures.sentiment import corrected_rows, stars
from biascheck.papers.grid import GridRow, paper_row
from biascheck.results.attachments import AnyAttachment, Correlations, Facts, Table, TwoSided
from biascheck.results.items import ItemScore
from biascheck.results.key import Label
from biascheck.results.published import PublishedFigures
from biascheck.results.result import Result
from biascheck.results.summaries import summarise
from biascheck.stats import Interval, Sample

# A whole grid as one result, with the tables of Jentzsch & Turan (2022).

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


# The research questions of Jentzsch & Turan (2022, §3) as results: what makes deltas larger or smaller?
#
# Two classifiers, or two groups of them, are compared on the same reviews: the difference of a review is its
# mean size of delta under the second minus that under the first. A comparison is the mean over reviews,
# positive where the second has the larger absolute bias, with an interval over reviews and a sign-flip test; p
# is corrected (Holm) for all comparisons of one question. So reviews are the sample: another training run of
# the same classifier may differ by more.

GRID_PERMUTATIONS = 1_999
QUESTION_COLUMNS = ("comparison", "first", "second", "difference", "low", "high", "p", "")
TERM_ORDER = ("pro", "weat", "all")

QuestionRows = Sequence[GridRow]
Pairing = Iterator[tuple[str, QuestionRows, QuestionRows]]


@dataclass(frozen=True)
class GroupComparison:
    """Absolute bias of two groups of classifiers on the same reviews; ``difference`` is second minus first."""

    name: str
    first: float
    second: float
    interval: Interval
    p: float

    @property
    def difference(self) -> float:
        """Positive where the second has the larger absolute bias."""
        return self.second - self.first


def answers(rows: QuestionRows, *, sizes: Mapping[str, float] | None = None, seed: int = 0) -> tuple[Result, ...]:
    """A result for every question that the rows can answer; ``sizes`` order the models of a family by their layers."""
    found = (answer(rows, question, sizes=sizes, seed=seed) for question in QUESTIONS)
    return tuple(result for result in found if result is not None)


def answer(
    rows: QuestionRows, question: str, *, sizes: Mapping[str, float] | None = None, seed: int = 0
) -> Result | None:
    """One question as a result, with a table of its comparisons; ``None`` where the rows have nothing to compare.

    The estimate is the mean size of the differences. Its interval, over comparisons, says little: read the table.
    """
    found = comparisons(rows, question, sizes=sizes, seed=seed)
    if not found:
        return None
    corrected = stats.adjust([one.p for one in found], "holm").tolist()
    table = tuple(
        (one.name, one.first, one.second, one.difference, one.interval.low, one.interval.high, p, stars(p))
        for one, p in zip(found, corrected, strict=True)
    )
    form = form_of(rows, f"sentiment grid: {question}", "comparisons", statistic="mean_absolute", seed=seed)
    items = tuple(ItemScore(one.name, one.difference, one.name) for one in found)
    whole = replace(form, corpus=f"{len(found)} comparisons", contrast=("second", "first"), items=items)
    return summarise(whole).with_attachments(
        Table(columns=QUESTION_COLUMNS, rows=table, title=QUESTIONS[question].about)
    )


def comparisons(
    rows: QuestionRows, question: str, *, sizes: Mapping[str, float] | None = None, seed: int = 0
) -> list[GroupComparison]:
    """All comparisons of one question."""
    if question not in QUESTIONS:
        raise UsageError(f"no question {question!r}; there are: {', '.join(QUESTIONS)}")
    pairs = list(QUESTIONS[question].pairs(rows, sizes or {}))
    draws = max(GRID_PERMUTATIONS, 40 * len(pairs))
    rng = np.random.default_rng(seed)
    return [_compared(name, first, second, draws, rng) for name, first, second in pairs]


def _compared(
    name: str, first: QuestionRows, second: QuestionRows, draws: int, rng: np.random.Generator
) -> GroupComparison:
    ids = first[0].ids
    if any(row.ids != ids for row in (*first, *second)):
        raise UsageError(f"{name}: the classifiers were measured on different reviews; run the grid on the same ones")
    before, after = _sizes(first), _sizes(second)
    interval = stats.mean_interval(Sample(after - before, ids), "mean")
    p = stats.permute_signs(after - before, rng=rng, permutations=draws).p
    return GroupComparison(name, float(before.mean()), float(after.mean()), interval, p)


def _sizes(rows: QuestionRows) -> NDArray[np.float64]:
    """The mean size of each review's deltas."""
    found: NDArray[np.float64] = np.mean([np.abs(row.deltas) for row in rows], axis=0)
    return found


def _plain(rows: QuestionRows) -> QuestionRows:
    """The classifiers of the main experiment: the recipe's batch size, measured with the terms of their training."""
    return [row for row in rows if row.cell.matched and not row.cell.batch]


def _by_model(rows: QuestionRows) -> dict[str, dict[tuple[str, str], GridRow]]:
    found: dict[str, dict[tuple[str, str], GridRow]] = {}
    for row in rows:
        found.setdefault(row.cell.model, {})[str(row.cell.condition), row.cell.terms] = row
    return found


def _base_models(rows: QuestionRows, _: Mapping[str, float]) -> Pairing:
    for (one, first), (other, second) in combinations(_by_model(_plain(rows)).items(), 2):
        shared = [key for key in first if key in second]
        if shared:
            yield f"{one} → {other}", [first[key] for key in shared], [second[key] for key in shared]


def _model_sizes(rows: QuestionRows, sizes: Mapping[str, float]) -> Pairing:
    """Within a family, which is the name up to its size: pairs that ``sizes`` puts in order."""
    for (one, first), (other, second) in combinations(_by_model(_plain(rows)).items(), 2):
        if one in sizes and other in sizes and family_of(one) == family_of(other) and sizes[one] != sizes[other]:
            small, large = (first, second) if sizes[one] < sizes[other] else (second, first)
            names = (one, other) if sizes[one] < sizes[other] else (other, one)
            shared = [key for key in small if key in large]
            yield " → ".join(names), [small[key] for key in shared], [large[key] for key in shared]


def family_of(model: str) -> str:
    """The architecture in the name of a model: "albert" of "albert-large-v2". DistilBERT is a BERT of smaller size."""
    name = model.rsplit("/", 1)[-1].lower()
    return next((family for family in ("albert", "roberta", "bert") if family in name), name)


def _conditions(rows: QuestionRows, _: Mapping[str, float]) -> Pairing:
    """R and mix against the original, for each term set: each model by itself, and all together."""
    for terms in TERM_ORDER:
        for treatment in ("R", "mix"):
            both = [
                (original, treated)
                for cells in _by_model(_plain(rows)).values()
                for original in _of(cells, "original", terms)
                for treated in _of(cells, treatment, terms)
            ]
            for original, treated in both:
                yield f"{original.cell.model}: original → {treatment}, {terms}", [original], [treated]
            if len(both) > 1:
                firsts, seconds = ([pair[side] for pair in both] for side in (0, 1))
                yield f"all models: original → {treatment}, {terms}", firsts, seconds


def _of(cells: Mapping[tuple[str, str], GridRow], treatment: str, terms: str) -> list[GridRow]:
    return [row for (_, own), row in cells.items() if own == terms and row.cell.condition.treatment == treatment]


def _term_sets(rows: QuestionRows, _: Mapping[str, float]) -> Pairing:
    """Larger term sets against smaller ones, over the classifiers that have both."""
    kept: dict[tuple[str, str], dict[str, GridRow]] = {}
    for row in _plain(rows):
        kept.setdefault((row.cell.model, row.cell.condition.treatment), {})[row.cell.terms] = row
    for small, large in combinations(TERM_ORDER, 2):
        both = [sets for sets in kept.values() if small in sets and large in sets]
        if both:
            yield f"{small} → {large}", [sets[small] for sets in both], [sets[large] for sets in both]


def _batch_sizes(rows: QuestionRows, _: Mapping[str, float]) -> Pairing:
    """The recipe's batch size against every other one, over the classifiers that were trained with both."""
    plain = {_identity(row): row for row in rows if not row.cell.batch}
    for batch in dict.fromkeys(row.cell.batch for row in rows if row.cell.batch):
        both = [(plain[_identity(row)], row) for row in rows if row.cell.batch == batch and _identity(row) in plain]
        if both:
            yield f"recipe → batch {batch}", [first for first, _ in both], [second for _, second in both]


def _identity(row: GridRow) -> tuple[str, str, str]:
    return row.cell.model, str(row.cell.condition), row.cell.terms


def _other_terms(rows: QuestionRows, _: Mapping[str, float]) -> Pairing:
    """Measured with one set, trained with the same or with another one."""
    kept: dict[tuple[str, TermName], dict[TermName, dict[str, GridRow]]] = {}
    for row in rows:
        trained = row.cell.condition.terms
        if trained is not None and not row.cell.batch:
            place = kept.setdefault((row.cell.condition.treatment, row.cell.terms), {})
            place.setdefault(trained, {})[row.cell.model] = row
    for (treatment, measured), by_terms in kept.items():
        same = by_terms.get(measured, {})
        for terms, found in by_terms.items():
            both = [(same[model], row) for model, row in found.items() if model in same and terms != measured]
            if both:
                name = f"measured with {measured}: {treatment}-{measured} → {treatment}-{terms}"
                yield name, [first for first, _ in both], [second for _, second in both]


@dataclass(frozen=True)
class ResearchQuestion:
    """A research question, and the groups of rows that are compared to answer it."""

    about: str
    pairs: Callable[[QuestionRows, Mapping[str, float]], Pairing]


QUESTIONS: Mapping[str, ResearchQuestion] = MappingProxyType(
    {
        "base model": ResearchQuestion("Is bias induced by the pretrained model? Every two base models", _base_models),
        "size": ResearchQuestion("Do larger models of a family have larger biases?", _model_sizes),
        "condition": ResearchQuestion(
            "Is bias induced by fine-tuning? Terms removed (R) or balanced (mix)", _conditions
        ),
        "term set": ResearchQuestion("Does bias depend on the term set?", _term_sets),
        "batch size": ResearchQuestion("Does the batch size of the training matter?", _batch_sizes),
        "other terms": ResearchQuestion(
            "Does it matter that training and measurement use the same terms?", _other_terms
        ),
    }
)


# The figures of a grid beside those that Jentzsch & Turan (2022) printed for the same architecture.

PAPER_BIASES = {"total": "total", "absolute": "absolute", "total-nonzero": "total_nonzero"}
PAPER_BIASES |= {"absolute-nonzero": "absolute_nonzero"}


def beside_paper(rows: Sequence[GridRow], figures: PublishedFigures) -> Iterator[Table]:
    """A table of biases and one of correlations, each figure with the printed one after it.

    Biases over all reviews have Tables 3 and 4 beside them, those over reviews with a delta Table 1; the row is that of
    the same architecture. Correlations have Table 2, which is over 63 classifiers.
    """
    biases = tuple(_biases(row, figures) for row in rows if row.cell.matched and not row.cell.batch)
    if any(value is not None for row in biases for value in row[2::2]):
        columns = [name for kind in PAPER_BIASES for name in (kind.replace("-", " "), "printed")]
        title = "Beside Tables 1 (non-zero reviews), 3 and 4 (all reviews)"
        yield Table(columns=("classifier", *columns), rows=biases, title=title)
    with suppress(ScoreError):  # too few classifiers, or a figure that does not vary, correlate with nothing
        yield _correlations(rows, figures)


def _biases(row: GridRow, figures: PublishedFigures) -> tuple[str | float | None, ...]:
    model, condition = paper_row(row.result), row.cell.condition
    name = f"{condition.treatment}-{condition.terms or row.cell.terms}"
    found: list[str | float | None] = [str(row.cell)]
    for kind, field in PAPER_BIASES.items():
        printed = figures.get(f"jentzsch2022.{kind}.{model}.{name}")
        found += [float(getattr(row.summary, field)), None if printed is None else printed.value]
    return tuple(found)


def _correlations(rows: Sequence[GridRow], figures: PublishedFigures) -> Table:
    found = correlations_of([row.figures for row in rows])
    body = []
    for i, first in enumerate(FIGURES):
        for j, second in enumerate(FIGURES[:i]):
            printed = figures.get(f"jentzsch2022.correlation.{first}.{second}")
            pair = f"{first}, {second}"
            body.append((pair, found["matrix"][i][j], found["p"][pair], None if printed is None else printed.value))
    return Table(columns=("figures", "Pearson's r", "p (Holm)", "printed"), rows=tuple(body), title="Beside Table 2")
