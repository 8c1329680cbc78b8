"""Charts as inline SVG: numbers in, markup out. Whatever is written into them is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from biascheck.figures import figure, signed
from biascheck.report.scales import Scale, coordinate
from biascheck.report.wording import shortened
from biascheck.stats import Interval

__all__ = ["Bar", "Point", "bar_chart", "interval_chart", "interval_scale", "scatter_chart", "small_bar"]

INTERVAL_WIDTH, INTERVAL_HEIGHT, INTERVAL_EDGE = 220, 28, 8
CHART_WIDTH, LABEL_WIDTH, VALUE_WIDTH = 480, 170, 44
BAR_STEP, CHART_TOP = 16, 24
SCATTER_WIDTH, SCATTER_HEIGHT, SCATTER_EDGE = 480, 280, 44
LABEL_LENGTH, GROUP_LENGTH, AXIS_LENGTH = 25, 14, 70


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: its label, its value, and the class that gives it its colour."""

    label: str
    value: float
    kind: str


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a scatter chart."""

    label: str
    x: float
    y: float


def interval_scale(values: Sequence[float]) -> Scale:
    """The common scale of all intervals of a measure."""
    return Scale.over(values, start=INTERVAL_EDGE, end=INTERVAL_WIDTH - INTERVAL_EDGE)


def interval_chart(
    scale: Scale,
    *,
    estimate: float,
    interval: Interval | None,
    parity: float,
    region: tuple[float, float],
    label: str,
) -> Markup:
    """The region as a band, parity as a line, the interval as a bar, the estimate as a dot, hollow without one."""
    middle = INTERVAL_HEIGHT / 2
    low, high = map(scale.at, region)
    parts = [
        _rect("band", low, 2, high - low, INTERVAL_HEIGHT - 4),
        _line("axis", scale.start, middle, scale.end, middle),
        _line("parity", scale.at(parity), 0, scale.at(parity), INTERVAL_HEIGHT),
    ]
    if interval is not None:
        left, right = scale.at(interval.low), scale.at(interval.high)
        parts.append(_rect("interval", left, middle - 3, right - left, 6))
    kind = "dot" if interval is not None else "dot hollow"
    parts.append(_circle(kind, scale.at(estimate), middle, 4.5))
    return _svg("interval-chart", INTERVAL_WIDTH, INTERVAL_HEIGHT, label, parts)


def bar_chart(bars: Sequence[Bar], *, contrast: tuple[str, str], label: str) -> Markup:
    """Horizontal bars from zero, in the order given, with their labels and values."""
    height = CHART_TOP + BAR_STEP * len(bars) + 4
    scale = Scale.over([0.0, *(bar.value for bar in bars)], start=LABEL_WIDTH, end=CHART_WIDTH - VALUE_WIDTH)
    zero = scale.at(0)
    parts = [*_directions(contrast), _line("parity", zero, CHART_TOP - 4, zero, height)]
    for row, bar in enumerate(bars):
        parts.extend(_bar(bar, scale, CHART_TOP + BAR_STEP * row))
    return _svg("bar-chart", CHART_WIDTH, height, label, parts)


def scatter_chart(points: Sequence[Point], *, x_label: str, y_label: str, label: str) -> Markup:
    """Gaps (upwards) against a real-world figure (to the right), with a line at gap zero."""
    right, bottom = SCATTER_WIDTH - 12, SCATTER_HEIGHT - SCATTER_EDGE
    x = Scale.over([point.x for point in points], start=SCATTER_EDGE + 16, end=right - 8)
    y = Scale.over([0.0, *(point.y for point in points)], start=bottom - 8, end=28)
    parts = [
        _line("axis", SCATTER_EDGE, bottom, right, bottom),
        _line("axis", SCATTER_EDGE, 20, SCATTER_EDGE, bottom),
        _line("parity", SCATTER_EDGE, y.at(0), right, y.at(0)),
        _text("name", SCATTER_EDGE - 6, y.at(y.high) + 4, signed(y.high)),
        _text("name", SCATTER_EDGE - 6, y.at(y.low) + 4, signed(y.low)),
        _text("start", x.at(x.low), bottom + 16, figure(x.low)),
        _text("name", right, bottom + 16, figure(x.high)),
        _text("start", 4, 12, shortened(y_label, AXIS_LENGTH)),
        _text("name", right, bottom + 34, shortened(x_label, AXIS_LENGTH)),
    ]
    parts.extend(_circle("point", x.at(p.x), y.at(p.y), 4, title=p.label) for p in points)
    return _svg("scatter-chart", SCATTER_WIDTH, SCATTER_HEIGHT, label, parts)


def small_bar(value: float, largest: float, kind: str) -> Markup:
    """A bar for a table cell: zero in the middle, ``largest`` at either edge. It repeats the cell's figure."""
    width = 0.0 if largest == 0 else 50 * abs(value) / largest
    return Markup('<svg class="small-bar" viewBox="-50 0 100 8" aria-hidden="true">{}</svg>').format(
        _rect(kind, min(0.0, width if value > 0 else -width), 1, width, 6)
    )


def _bar(bar: Bar, scale: Scale, top: float) -> list[Markup]:
    start, end = sorted((scale.at(0), scale.at(bar.value)))
    return [
        _text("name", LABEL_WIDTH - 8, top + 11, shortened(bar.label, LABEL_LENGTH)),
        _rect(bar.kind, start, top + 2, end - start, BAR_STEP - 5),
        _text("value", CHART_WIDTH - 4, top + 11, signed(bar.value)),
    ]


def _directions(contrast: tuple[str, str]) -> list[Markup]:
    first, second = (shortened(group, GROUP_LENGTH) for group in contrast)
    return [
        _text("start", LABEL_WIDTH, 12, f"← towards {second}"),
        _text("value", CHART_WIDTH - VALUE_WIDTH, 12, f"towards {first} →"),
    ]


def _svg(kind: str, width: float, height: float, label: str, parts: Sequence[Markup]) -> Markup:
    return Markup('<svg class="{}" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        kind, coordinate(width), coordinate(height), label, Markup("").join(parts)
    )


def _rect(kind: str, x: float, y: float, width: float, height: float) -> Markup:
    return Markup('<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>').format(
        kind, *map(coordinate, (x, y, width, height))
    )


def _line(kind: str, x1: float, y1: float, x2: float, y2: float) -> Markup:
    return Markup('<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>').format(kind, *map(coordinate, (x1, y1, x2, y2)))


def _circle(kind: str, x: float, y: float, radius: float, *, title: str = "") -> Markup:
    inside = Markup("<title>{}</title>").format(title) if title else ""
    return Markup('<circle class="{}" cx="{}" cy="{}" r="{}">{}</circle>').format(
        kind, *map(coordinate, (x, y, radius)), inside
    )


def _text(kind: str, x: float, y: float, text: str) -> Markup:
    return Markup('<text class="{}" x="{}" y="{}">{}</text>').format(kind, coordinate(x), coordinate(y), text)
