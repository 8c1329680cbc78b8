"""A figure over several runs: every checkpoint or date, its interval and margin, and where it first got worse."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

from biascheck.gates.gate import Gate
from biascheck.results.compare import Comparison, compare_all, why_not
from biascheck.results.key import ResultKey
from biascheck.results.matching import other_runtime
from biascheck.results.result import Result
from biascheck.runs.run import Run
from biascheck.stats import Change

Watching = Callable[[int], AbstractContextManager[Callable[[int], None]]]
"""Shows progress: takes the number of steps, gives what is called after each."""


def _unwatched(_total: int) -> AbstractContextManager[Callable[[int], None]]:
    return nullcontext(lambda _steps: None)


@dataclass(frozen=True)
class TrendPoint:
    """One run's answer to the question of a trend.

    ``change`` compares it with the first point; where that cannot be done, ``reason`` says why.
    """

    label: str
    result: Result
    gate: Gate | None = None
    change: Comparison | None = None
    reason: str = ""

    @property
    def regressed(self) -> bool:
        """Whether the figure is further from parity than at first, by more than noise and tolerance explain."""
        return self.change is not None and self.change.verdict is Change.REGRESSED

    @property
    def uncompared(self) -> str:
        """Why nothing is known of the way since the first point; empty where it is known, and at the first point."""
        if self.change is not None and self.change.verdict is Change.INVALID:
            return self.change.inability or "the model cannot do what is asked"
        return self.reason


@dataclass(frozen=True)
class Trend:
    """The same question, answered by one run after another."""

    points: tuple[TrendPoint, ...]

    @property
    def title(self) -> str:
        """The measure and the part of the corpus, for people."""
        last = self.points[-1].result
        return " · ".join((last.measure, last.corpus_label, *last.treatment))

    @property
    def first_regression(self) -> TrendPoint | None:
        """The first point that is worse than the first of all; None where there is none."""
        return next((point for point in self.points if point.regressed), None)

    @property
    def uncompared(self) -> tuple[TrendPoint, ...]:
        """The points that could not be compared with the first."""
        return tuple(point for point in self.points if point.uncompared)


def dated(runs: Mapping[str, Run]) -> dict[str, Run]:
    """The runs by when they were measured; those without a date come first, in the order given."""
    return dict(sorted(runs.items(), key=lambda entry: _measured(entry[1])))


def trends_of(
    runs: Mapping[str, Run],
    *,
    tolerance: float | None = None,
    any_runtime: bool = False,
    watching: Watching = _unwatched,
) -> tuple[Trend, ...]:
    """Every question that at least two runs answered; all points are compared with the first as one family (Holm).

    ``runs`` are in their order, by the label that names them. A run that measured several models by one question is a
    point for each of them. Points of another runtime than the first are compared only if ``any_runtime`` allows it.
    ``watching`` receives the number of comparisons and yields what to call after each.
    """
    trends = [Trend(tuple(points)) for points in _by_question(runs).values() if len(points) > 1]
    with watching(sum(len(trend.points) - 1 for trend in trends)) as advance:
        return _compared(sorted(trends, key=lambda trend: trend.title), tolerance, any_runtime, advance)


def _by_question(runs: Mapping[str, Run]) -> dict[tuple[object, ...], list[TrendPoint]]:
    found: dict[tuple[object, ...], list[TrendPoint]] = {}
    for label, run in runs.items():
        gates: dict[ResultKey, Gate] = {gate.key: gate for gate in run.gates}
        several = len({result.model for result in run.results}) > 1
        for result in run.results:
            named = f"{label} · {result.model}" if several else label
            found.setdefault(result.key.question, []).append(TrendPoint(named, result, gates.get(result.key)))
    return found


def _compared(
    trends: Sequence[Trend], tolerance: float | None, any_runtime: bool, advance: Callable[[int], None]
) -> tuple[Trend, ...]:
    reasons = {
        (row, place): _why_not(trend.points[0].result, point.result, any_runtime)
        for row, trend in enumerate(trends)
        for place, point in enumerate(trend.points)
        if place
    }
    places = [place for place, reason in reasons.items() if not reason]
    if refused := len(reasons) - len(places):
        advance(refused)
    pairs = [(trends[row].points[0].result, trends[row].points[place].result) for row, place in places]
    found = compare_all(pairs, tolerance=tolerance, done=lambda: advance(1)) if pairs else ()
    changes = dict(zip(places, found, strict=True))
    return tuple(
        Trend(
            tuple(
                replace(point, change=changes.get((row, place)), reason=reasons.get((row, place), ""))
                for place, point in enumerate(trend.points)
            )
        )
        for row, trend in enumerate(trends)
    )


def _why_not(before: Result, after: Result, any_runtime: bool) -> str:
    return ("" if any_runtime else other_runtime(before, after)) or why_not(before, after)


def _measured(run: Run) -> str:
    return min((result.provenance.created for result in run.results if result.provenance.created), default="")
