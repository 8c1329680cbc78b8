"""Charts along one axis: intervals against margins, and bars from zero."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from biascheck.report.charts.scales import Scale, tick_text
from biascheck.report.charts.svg import FIGURE_WIDTH, chart, circle, diamond, drawing, line, nothing_to_draw, rect, text
from biascheck.stats import Interval
from biascheck.wording import shortened, signed

__all__ = ["Bar", "BeforeAfter", "bar_chart", "change_chart", "interval_chart", "interval_scale", "ticks_below"]

INTERVAL_WIDTH, INTERVAL_HEIGHT, INTERVAL_EDGE, SCALE_HEIGHT = 220, 28, 16, 13
LABEL_WIDTH, VALUE_WIDTH = 152, 44
BAR_STEP, CHART_TOP = 16, 24
LABEL_LENGTH, GROUP_LENGTH = 21, 12


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: its label, its value, and the class that gives it its colour."""

    label: str
    value: float
    kind: str


@dataclass(frozen=True, slots=True)
class BeforeAfter:
    """A value before and after."""

    label: str
    before: float
    after: float


def interval_scale(values: Sequence[float]) -> Scale:
    """The common scale of all intervals of a measure."""
    return Scale.over(values, start=INTERVAL_EDGE, end=INTERVAL_WIDTH - INTERVAL_EDGE)


@chart
def interval_chart(
    scale: Scale,
    *,
    estimate: float,
    interval: Interval | None,
    parity: float,
    region: tuple[float, float] | None,
    label: str,
    published: Sequence[float] = (),
) -> Markup:
    """The region as a band, parity as a line, the interval as a bar, the estimate as a dot, hollow without one.

    Published figures are hollow diamonds. Below is the scale.
    """
    middle = INTERVAL_HEIGHT / 2
    parts = [] if region is None else [_band(scale, region)]
    parts += ticks_below(scale, INTERVAL_HEIGHT, 4)
    parts += [
        line("axis", scale.start, middle, scale.end, middle),
        line("parity", scale.at(parity), 0, scale.at(parity), INTERVAL_HEIGHT),
    ]
    if interval is not None:
        left, right = scale.at(interval.low), scale.at(interval.high)
        parts.append(rect("interval", left, middle - 3, right - left, 6))
    parts += [diamond("paper", scale.at(value), middle, 6) for value in published]
    kind = "dot" if interval is not None else "dot hollow"
    parts.append(circle(kind, scale.at(estimate), middle, 4.5))
    return drawing("interval-chart", INTERVAL_WIDTH, INTERVAL_HEIGHT + SCALE_HEIGHT, label, parts)


@chart
def bar_chart(bars: Sequence[Bar], *, contrast: tuple[str, str], label: str, axis: str = "") -> Markup:
    """Horizontal bars from zero, in the order given, with their labels and values; below them is the scale.

    Above them stands which way is which, or ``axis``: what the values are where they are no gaps.
    """
    if not bars:
        return nothing_to_draw("there are no bars")
    height = CHART_TOP + BAR_STEP * len(bars) + 4
    scale = _bar_scale([0.0, *(bar.value for bar in bars)])
    zero = scale.at(0)
    heading = [text("start", LABEL_WIDTH, 12, f"{axis} →")] if axis else directions(contrast)
    parts = [*heading, line("parity", zero, CHART_TOP - 4, zero, height)]
    parts.extend(ticks_below(scale, height))
    for row, bar in enumerate(bars):
        parts.extend(_bar(bar, scale, CHART_TOP + BAR_STEP * row))
    return drawing("bar-chart", FIGURE_WIDTH, height + SCALE_HEIGHT, label, parts)


@chart
def change_chart(changes: Sequence[BeforeAfter], *, contrast: tuple[str, str], label: str) -> Markup:
    """For each name a hollow dot before, a full dot after, and the line between; the change is at the right."""
    if not changes:
        return nothing_to_draw("nothing is in both")
    height = CHART_TOP + BAR_STEP * len(changes) + 4
    scale = _bar_scale([0.0, *(value for change in changes for value in (change.before, change.after))])
    zero = scale.at(0)
    parts = [*directions(contrast), line("parity", zero, CHART_TOP - 4, zero, height)]
    parts.extend(ticks_below(scale, height))
    for row, change in enumerate(changes):
        parts.extend(_change(change, scale, CHART_TOP + BAR_STEP * row))
    return drawing("bar-chart", FIGURE_WIDTH, height + SCALE_HEIGHT, label, parts)


def ticks_below(scale: Scale, height: float, most: int = 5) -> list[Markup]:
    """The scale below a chart of this height: round values, each with a short mark."""
    parts = []
    for value in scale.ticks(most):
        at = scale.at(value)
        parts += [
            line("axis", at, height - 3, at, height),
            text("tick middle", at, height + 10, tick_text(value, scale)),
        ]
    return parts


def directions(contrast: tuple[str, str]) -> list[Markup]:
    """Above a chart, which way is which."""
    first, second = (shortened(group, GROUP_LENGTH) for group in contrast)
    return [
        text("start", LABEL_WIDTH, 12, f"← towards {second}"),
        text("value", FIGURE_WIDTH - VALUE_WIDTH, 12, f"towards {first} →"),
    ]


def _band(scale: Scale, region: tuple[float, float]) -> Markup:
    low, high = map(scale.at, region)
    return rect("band", low, 2, high - low, INTERVAL_HEIGHT - 4)


def _bar_scale(values: Sequence[float]) -> Scale:
    return Scale.over(values, start=LABEL_WIDTH, end=FIGURE_WIDTH - VALUE_WIDTH)


def _bar(bar: Bar, scale: Scale, top: float) -> list[Markup]:
    start, end = sorted((scale.at(0), scale.at(bar.value)))
    return [
        text("name", LABEL_WIDTH - 8, top + 11, shortened(bar.label, LABEL_LENGTH)),
        rect(bar.kind, start, top + 2, end - start, BAR_STEP - 5),
        text("value", FIGURE_WIDTH - 4, top + 11, signed(bar.value)),
    ]


def _change(change: BeforeAfter, scale: Scale, top: float) -> list[Markup]:
    before, after, middle = scale.at(change.before), scale.at(change.after), top + BAR_STEP / 2
    kind = "one" if change.after >= change.before else "two"
    return [
        text("name", LABEL_WIDTH - 8, top + 11, shortened(change.label, LABEL_LENGTH)),
        rect(kind, min(before, after), middle - 1.5, abs(after - before), 3),
        circle("dot hollow", before, middle, 3.5),
        circle(kind, after, middle, 4),
        text("value", FIGURE_WIDTH - 4, top + 11, signed(change.after - change.before)),
    ]
