"""The results that later ones are compared with, in a file small enough to commit."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from biascheck import stats
from biascheck.core.errors import ResultError, UsageError
from biascheck.core.files import write_atomically
from biascheck.results.codec import (
    BASELINE,
    BASELINE_SCHEMA,
    check_schema,
    converted,
    read_document,
    refusing_damage,
    without_unknown_fields,
)
from biascheck.results.compare import Comparison, compare_all, why_not
from biascheck.results.items import ItemScore, sample_of
from biascheck.results.key import ResultKey, Slice
from biascheck.results.matching import other_runtime, similar_question
from biascheck.results.result import Provenance, Result
from biascheck.results.summaries import LEVEL
from biascheck.stats import Change

# The results that later ones are compared with, and how that went.
#
# An entry is found by what was asked, not by who answered: comparing a checkpoint with the model of the
# baseline is the point. Where several models of a baseline answered the same question, the one of the same name
# is taken.

ResultQuestion = tuple[object, ...]


@dataclass(frozen=True)
class Baseline:
    """Results to compare with: items have their scores, clusters, sides and covariates, and nothing else."""

    entries: tuple[Result, ...] = ()

    @property
    def models(self) -> tuple[str, ...]:
        """The models that were measured, by name."""
        return tuple(sorted({entry.model for entry in self.entries}))

    def find(self, result: Result) -> Result | None:
        """The entry that answers the same question, or ``None``; of several, the one of the same model."""
        return _of_same_model(self._by_question.get(result.key.question, ()), result)

    def resembling(self, result: Result, taken: Iterable[Result] = ()) -> Result | None:
        """An entry that a result was meant to answer, though its corpus has changed; none of those ``taken``."""
        elsewhere = {entry.key for entry in taken}
        found = self._by_similar_question.get(similar_question(result), ())
        return _of_same_model([entry for entry in found if entry.key not in elsewhere], result)

    def __getitem__(self, result: Result) -> Result:
        """The entry that answers the same question; UsageError where there is none."""
        if (found := self.find(result) or self.resembling(result)) is not None:
            return found
        if several := self.other_models(result):
            raise UsageError(f"{result.title}: {_none_of(several, result)}")
        raise UsageError(f"{result.title}: the baseline has no such result; add it with --bias-update-baseline")

    def other_models(self, result: Result) -> tuple[str, ...]:
        """The models that answered the question of a result, where none of them is its own."""
        if self.find(result) is not None:
            return ()
        return tuple(entry.model for entry in self._by_question.get(result.key.question, ()))

    def updated(self, results: Iterable[Result]) -> Baseline:
        """The baseline with these results; an entry that none of them replaces stays."""
        fresh = list(results)
        exact = {result.key: entry for result in fresh if (entry := self.find(result)) is not None}
        changed = [result for result in fresh if result.key not in exact]
        replaced = {entry.key for entry in exact.values()}
        replaced |= {entry.key for result in changed if (entry := self.resembling(result, exact.values()))}
        entries = {entry.key: entry for entry in self.entries if entry.key not in replaced}
        entries |= {result.key: result for result in fresh}
        return Baseline(tuple(sorted(entries.values(), key=_order)))

    @cached_property
    def _by_question(self) -> Mapping[ResultQuestion, Sequence[Result]]:
        return _grouped(self.entries, lambda entry: entry.key.question)

    @cached_property
    def _by_similar_question(self) -> Mapping[ResultQuestion, Sequence[Result]]:
        return _grouped(self.entries, similar_question)


@dataclass(frozen=True)
class RefusedResult:
    """A result that is in the baseline, but as an answer to other questions, and why."""

    title: str
    reason: str


@dataclass(frozen=True)
class BaselineComparison:
    """How the results of a run compare with a baseline: nothing that was measured is left out.

    ``comparisons`` come by corpus, measure and model. ``new`` names results without an entry, ``unused`` entries
    without a result, ``shrunk`` results with fewer items or clusters than their entry. ``compared_by_tests`` counts the
    results that tests have compared with their entry by themselves.
    """

    comparisons: tuple[Comparison, ...] = ()
    refused: tuple[RefusedResult, ...] = ()
    new: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    shrunk: tuple[RefusedResult, ...] = ()
    compared_by_tests: int = 0

    @property
    def passed(self) -> bool:
        """Whether nothing regressed, nothing shrank and everything that the baseline knows could be judged."""
        unjudged = any(one.interval is None for one in self.comparisons)
        nothing_compared = bool(self.new) and not (self.comparisons or self.compared_by_tests)
        failed = self.refused or self.shrunk or self.having(Change.REGRESSED) or self.having(Change.INVALID)
        return not (failed or unjudged or nothing_compared)

    def having(self, verdict: Change) -> tuple[Comparison, ...]:
        """The comparisons with this verdict."""
        return tuple(comparison for comparison in self.comparisons if comparison.verdict is verdict)


def compare_with_baseline(
    baseline: Baseline,
    results: Iterable[Result],
    *,
    tolerance: float | None = None,
    level: float = LEVEL,
    any_runtime: bool = False,
    ignoring: Collection[ResultKey] = (),
) -> BaselineComparison:
    """Compare every result with its entry, as one family (Holm); what cannot be compared is refused with its reason.

    Without a tolerance each measure has its own, see :func:`biascheck.compare`. Results of two runtimes are refused
    unless ``any_runtime`` allows them. ``ignoring`` names results that count although their model cannot do what was
    asked.
    """
    listed = sorted(results, key=_order)
    exact = {result.key: entry for result in listed if (entry := baseline.find(result)) is not None}
    pairs: list[tuple[Result, Result]] = []
    refused, new, used = [], [], set()
    for result in listed:
        entry = exact.get(result.key) or baseline.resembling(result, exact.values())
        if entry is None and (several := baseline.other_models(result)):
            refused.append(RefusedResult(result.title, _none_of(several, result)))
        elif entry is None:
            new.append(result.title)
        else:
            used.add(entry.key)
            other = "" if any_runtime else other_runtime(entry, result)
            if reason := other or why_not(entry, result):
                refused.append(RefusedResult(result.title, reason))
            else:
                pairs.append((entry, result))
    return BaselineComparison(
        comparisons=compare_all(pairs, tolerance=tolerance, level=level, ignoring=ignoring),
        refused=tuple(refused),
        new=tuple(new),
        unused=tuple(entry.title for entry in baseline.entries if entry.key not in used),
        shrunk=tuple(RefusedResult(after.title, lost) for before, after in pairs if (lost := _shrunk(before, after))),
    )


def _shrunk(before: Result, after: Result) -> str:
    """What a result has fewer of than its entry; a smaller sample may hide what a larger one showed."""
    lost = [
        f"{now:,} {unit} where the baseline has {then:,}"
        for unit, then, now in ((after.unit, before.n, after.n), ("clusters", before.clusters, after.clusters))
        if now < then
    ]
    return " and ".join(lost)


def _of_same_model(entries: Sequence[Result], result: Result) -> Result | None:
    if len(entries) <= 1:
        return entries[0] if entries else None
    of_same_name = [entry for entry in entries if entry.model == result.model]
    same = [entry for entry in entries if entry.key.model == result.key.model]
    return next(iter(same or of_same_name), None)


def _none_of(models: Sequence[str], result: Result) -> str:
    return (
        f"the baseline has this for {', '.join(models)}, and none is called {result.model}; "
        "keep one model in a baseline, or measure one of these"
    )


def _grouped(entries: Iterable[Result], key: Callable[[Result], ResultQuestion]) -> dict[ResultQuestion, list[Result]]:
    found: dict[ResultQuestion, list[Result]] = {}
    for entry in entries:
        found.setdefault(key(entry), []).append(entry)
    return found


def _order(result: Result) -> tuple[str, str, str, str]:
    return result.corpus_label, result.measure, result.model_label, result.key.digest


AGAIN = "remove it and write it again with --bias-update-baseline"

# A baseline on disk: scores without sentences, in a file small enough to commit.

# Below what two machines differ by, and kept relative so that no sign is lost.
DIGITS = 7

SHARED = (
    *("measure", "corpus", "model", "statistic", "parity", "contrast", "unit", "seed"),
    *("treatment", "slice", "several_groups"),
)
"""The fields of an entry that a result has under the same name."""
ORIGIN = ("measure_version", "variant", "model_fingerprint", "corpus_fingerprint", "options")
"""The fields of an entry that the provenance of a result has."""

Row = tuple[str, str, str | None, float | None, int | None]
"""What the entries of a baseline share: id, cluster, side, covariate and draw of an item."""


def write_baseline(path: Path, baseline: Baseline) -> None:
    """Write a baseline, atomically: one line an entry, so that a change of it reads well in a review."""
    rows = sorted({_row(item) for entry in baseline.entries for item in entry.items}, key=_order_of_rows)
    places = {row: number for number, row in enumerate(rows)}
    lines = [
        "{",
        f'"kind": {json.dumps(BASELINE)}, "schema": {BASELINE_SCHEMA},',
        '"items": [',
        ",\n".join(_compact(_trimmed(row)) for row in rows),
        "],",
        '"entries": [',
        ",\n".join(_compact(_written(_entry_of(entry, places))) for entry in baseline.entries),
        "]",
        "}",
    ]
    try:
        write_atomically(path, "\n".join(lines) + "\n")
    except (TypeError, ValueError) as error:
        raise ResultError(f"{path}: not written, a result holds what JSON cannot express ({error})") from error


def read_baseline(path: Path) -> Baseline:
    """Read what :func:`write_baseline` wrote; a missing file names the flags that write it."""
    if not path.exists():
        raise ResultError(f"no baseline at {path}; write it with pytest --bias-baseline {path} --bias-update-baseline")
    document = read_document(path, BASELINE, "baseline", "--bias-update-baseline --bias-baseline")
    check_schema(document, str(path), BASELINE_SCHEMA, BASELINE_SCHEMA, AGAIN)
    with refusing_damage(f"{path}: the baseline"):
        rows = [_row_from(row) for row in document["items"]]
        entries = converted(without_unknown_fields(document["entries"], BaselineEntry), list[BaselineEntry])
        return Baseline(tuple(_result_of(entry, rows) for entry in entries))


@dataclass(frozen=True)
class BaselineEntry:
    """A result as a baseline keeps it: ``items`` are the steps from row to row of those that its scores belong to."""

    measure: str
    corpus: str
    model: str
    statistic: str
    parity: float
    contrast: tuple[str, str]
    unit: str
    seed: int
    measure_version: int
    variant: str
    model_fingerprint: str
    corpus_fingerprint: str
    options: dict[str, Any]
    items: list[int]
    scores: list[float]
    estimate: float
    treatment: tuple[str, ...]
    slice: Slice
    several_groups: bool
    runtime: str = ""


def _entry_of(result: Result, places: Mapping[Row, int]) -> BaselineEntry:
    scores = sorted((places[_row(item)], _short(item.score)) for item in result.items)
    shared = {name: getattr(result, name) for name in SHARED}
    origin = {name: getattr(result.provenance, name) for name in ORIGIN}
    return BaselineEntry(
        **shared,
        **{**origin, "options": dict(origin["options"])},
        estimate=_short(result.estimate),
        items=_steps([place for place, _ in scores]),
        scores=[score for _, score in scores],
        runtime=result.provenance.model.get("runtime", ""),
    )


def _result_of(entry: BaselineEntry, rows: Sequence[Row]) -> Result:
    places = _places(entry.items)
    items = tuple(
        ItemScore(id=name, score=score, cluster=cluster, side=side, covariate=covariate, draw=draw)
        for (name, cluster, side, covariate, draw), score in zip(_taken(rows, places), entry.scores, strict=True)
    )
    if not items:
        raise ResultError(f"{entry.measure} on {entry.corpus} has no items")
    sample = sample_of(items)
    return Result(
        **{name: getattr(entry, name) for name in SHARED},
        estimate=stats.estimate(sample, entry.statistic),
        interval=None,
        n=len(items),
        clusters=len(set(sample.clusters)),
        provenance=Provenance(**{name: getattr(entry, name) for name in ORIGIN}, model=_model_of(entry)),
        items=items,
    )


def _written(entry: BaselineEntry) -> dict[str, Any]:
    """An entry as it is written: one without a runtime of its own says nothing about it."""
    return {name: value for name, value in asdict(entry).items() if name != "runtime" or value}


def _model_of(entry: BaselineEntry) -> dict[str, str]:
    return {"runtime": entry.runtime} if entry.runtime else {}


def _taken(rows: Sequence[Row], places: Sequence[int]) -> list[Row]:
    if any(not 0 <= place < len(rows) for place in places):
        raise ResultError("an entry refers to an item that is not there")
    return [rows[place] for place in places]


def _steps(places: Sequence[int]) -> list[int]:
    """Each place as its distance from the one before: small numbers take little room."""
    return [place - before for before, place in zip([0, *places], places, strict=False)]


def _places(steps: Sequence[int]) -> list[int]:
    places, place = [], 0
    for step in steps:
        place += step
        places.append(place)
    return places


def _row(item: ItemScore) -> Row:
    covariate = None if item.covariate is None else _short(item.covariate) + 0.0  # -0.0 and 0.0 are one row
    return item.id, item.cluster, item.side, covariate, item.draw


def _row_from(row: list[Any]) -> Row:
    return converted([*row, None, None, None][: max(5, len(row))], Row)  # type: ignore[arg-type]


def _trimmed(row: Row) -> list[Any]:
    values: list[Any] = list(row)
    while values[-1] is None:
        values.pop()
    return values


def _order_of_rows(row: Row) -> tuple[str | float | None, ...]:
    """No two rows have one key: beside every value that may be missing, whether it is."""
    name, cluster, side, covariate, draw = row
    return name, cluster, side or "", side is None, covariate or 0.0, covariate is None, draw or 0, draw is None


def _short(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
