"""The trend report: every figure over checkpoints or dates, and where it first got worse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from biascheck.core.files import write_atomically
from biascheck.core.wording import pluralize
from biascheck.report.cards import when
from biascheck.report.charts import Dot, trend_chart
from biascheck.report.drawings import Drawing, table_of
from biascheck.report.findings import plain_change, plain_finding
from biascheck.report.first_screen import Step
from biascheck.report.html import render
from biascheck.report.words import Headline, measured_text, statistic_name
from biascheck.runs.trend import Trend, TrendPoint

COMPARE = "biascheck compare GOOD.json WORSE.json --report compare.html"
COLUMNS = ("run", "measured", "figure", "interval", "gate", "since the first run")


@dataclass(frozen=True)
class Worse:
    """A figure that got worse: in plain words with the run, in figures, and where it is drawn."""

    plain: str
    text: str
    anchor: str


@dataclass(frozen=True)
class TrendPage:
    """Everything the template shows."""

    headline: Headline
    regressed: tuple[Worse, ...]
    failing: tuple[Worse, ...]
    next_steps: tuple[Step, ...]
    drawings: tuple[Drawing, ...]


def write_trend_html(path: Path, trends: Sequence[Trend]) -> None:
    """Write one self-contained file, whole or not at all. A place that cannot be written raises OSError."""
    write_atomically(path, render("trend.html.j2", page=trend_page(trends)))


def trend_page(trends: Sequence[Trend]) -> TrendPage:
    """Gather what the page shows: regressions come first."""
    ordered = sorted(trends, key=lambda trend: trend.first_regression is None)
    regressed = [trend for trend in ordered if trend.first_regression is not None]
    failing = tuple(_failing(ordered))
    uncompared = sum(bool(trend.uncompared) for trend in trends)
    return TrendPage(
        headline=_headline(trends, len(regressed), len(failing), uncompared),
        regressed=tuple(_worse(trend, number) for number, trend in enumerate(regressed)),
        failing=failing,
        next_steps=tuple(_next_steps(bool(regressed), bool(failing), bool(uncompared))),
        drawings=tuple(_drawing(trend, number) for number, trend in enumerate(ordered)),
    )


def _failing(trends: Sequence[Trend]) -> Iterator[Worse]:
    """Figures whose gate fails in the last run, whether they got worse or not."""
    for number, trend in enumerate(trends):
        gate = trend.points[-1].gate
        if gate is not None and not gate.passed:
            plain = plain_finding(gate) or f"Nothing can be said: {gate.inability}."
            yield Worse(plain, f"{trend.title}: {gate.measured}, allowed {gate.allowed}", f"trend-{number}")


def _headline(trends: Sequence[Trend], regressed: int, failing: int, uncompared: int) -> Headline:
    runs = dict.fromkeys(point.label for trend in trends for point in trend.points)
    detail = f"{pluralize(len(trends), 'figure')} over {pluralize(len(runs), 'run')}: {', '.join(runs)}"
    if regressed:
        return Headline("regressed", f"{regressed:,} of {pluralize(len(trends), 'figure')} regressed", detail)
    if failing:
        text = (
            f"Nothing regressed, but {pluralize(failing, 'gate')} {'fails' if failing == 1 else 'fail'} in the last run"
        )
        return Headline("inconclusive", text, detail)
    if uncompared:
        text = f"{uncompared:,} of {pluralize(len(trends), 'figure')} not comparable with the first run"
        return Headline("inconclusive", text, detail)
    return Headline("no worse" if trends else "none", "Nothing regressed" if trends else "Nothing to compare", detail)


def _worse(trend: Trend, number: int) -> Worse:
    point = trend.first_regression
    assert point is not None
    assert point.change is not None
    figures = f"{trend.title}: first worse in {point.label}, {point.change.figures}, {point.change.moved_and_tolerated}"
    return Worse(f"Since {point.label}: {plain_change(point.change)}", figures, f"trend-{number}")


def _next_steps(regressed: bool, failing: bool, uncompared: bool) -> Iterator[Step]:
    if regressed:
        yield Step("Compare the last good run with the first worse one, sentence by sentence:", COMPARE)
        yield Step("Make a pipeline fail on a regression:", "biascheck trend results/*.json --fail-on-regression")
    elif failing:
        yield Step("Keep reducing the bias: the last run is no worse than the first, but still does not pass.")
    elif uncompared:
        yield Step("Measure the runs in the same way: the table under each figure says why it is not comparable.")
    else:
        yield Step("Nothing to do: add the next run to the folder, and write the page again.")


def _drawing(trend: Trend, number: int) -> Drawing:
    last = trend.points[-1]
    region = None if last.gate is None else last.gate.region
    first_worse = trend.first_regression
    dots = [
        Dot(point.label, point.result.estimate, point.result.interval, _kind(point, point is first_worse))
        for point in trend.points
    ]
    return Drawing(
        key=f"trend-{number}",
        title=trend.title,
        chart=trend_chart(
            dots,
            parity=last.result.parity,
            region=region,
            label=_in_words(trend),
            unit=last.result.description.unit or statistic_name(last.result.statistic),
        ),
        note="" if first_worse is None else f"First worse than in {trend.points[0].label}: {first_worse.label}.",
        table=table_of(list(COLUMNS), [_row(point) for point in trend.points]),
    )


def _kind(point: TrendPoint, first_worse: bool) -> str:
    if first_worse:
        return "regressed"
    return "point" if point.gate is None else str(point.gate.verdict)


def _in_words(trend: Trend) -> str:
    figures = ", ".join(f"{point.label} {measured_text(point.result)[0]}" for point in trend.points)
    return f"{trend.title}: {figures}"


def _row(point: TrendPoint) -> list[str]:
    figure, interval = measured_text(point.result)
    gate = "" if point.gate is None else f"{point.gate.verdict} {point.gate.allowed}"
    change = point.reason if point.change is None else f"{point.change.verdict} {point.change.moved}"
    return [point.label, when(point.result.provenance.created), figure, interval, gate, change]
