"""The research questions of Jentzsch & Turan (2022, §3) as results: what makes deltas larger or smaller?

Two classifiers, or two groups of them, are compared on the same reviews: the difference of a review is its mean size of
delta under the second minus that under the first. A comparison is the mean over reviews, positive where the second has
the larger absolute bias, with an interval over reviews and a sign-flip test; p is corrected (Holm) for all comparisons
of one question. So reviews are the sample: another training run of the same classifier may differ by more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from biascheck import stats
from biascheck.corpora.rewriting.terms import TermName
from biascheck.errors import UsageError
from biascheck.measures.tables.delta_table import stars
from biascheck.results.attachments import Table
from biascheck.results.items import ItemScore
from biascheck.results.result import Result
from biascheck.results.summaries import summarise
from biascheck.stats import Interval, Sample
from biascheck.studies.grid_overview import form_of
from biascheck.studies.grid_rows import GridRow

__all__ = ["QUESTIONS", "GroupComparison", "answer", "answers", "comparisons"]

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
    """What is asked, and which groups of rows are compared to answer it."""

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
