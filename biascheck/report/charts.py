"""Charts: intervals against margins, points with names, columns side by side, figures over checkpoints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from math import ceil

from markupsafe import Markup

from biascheck.core.wording import format_number, shortened, signed
from biascheck.report.svg import (
    FIGURE_WIDTH,
    Box,
    Name,
    Scale,
    chart,
    circle,
    cross,
    diamond,
    drawing,
    line,
    nothing_to_draw,
    place_names,
    rect,
    square,
    text,
    tick_text,
    triangle,
)
from biascheck.stats import Interval

# Charts along one axis: intervals against margins, and bars from zero.

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

    Above them is the direction of the gaps, or ``axis``: the name of values that are not gaps.
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
        return nothing_to_draw("no attribute is in both")
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
    """The direction of the gaps, above a chart."""
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


# Charts with two axes: named points, whose groups differ in colour and shape.

PLANE_HEIGHT, PLANE_LEFT, PLANE_RIGHT, PLANE_TOP, PLANE_BOTTOM = 320, 44, 10, 24, 44
AXIS_LENGTH = 64
RADIUS = 4.5
KINDS = ("one", "two", "three", "four", "five")
"""The classes that colour points; each has its own shape, so that colour is never alone."""
_SHAPES = {"one": circle, "two": square, "three": triangle, "four": diamond, "five": cross}


@dataclass(frozen=True, slots=True)
class PlanePoint:
    """One point: where it lies, which kind it is, and whether its name is to be written beside it."""

    label: str
    x: float
    y: float
    kind: str = "one"
    named: bool = False


@chart
def plane_chart(
    points: Sequence[PlanePoint],
    *,
    x_label: str,
    y_label: str,
    label: str,
    x_from: Iterable[float] = (),
    y_from: Iterable[float] = (),
    zero: bool = False,
) -> Markup:
    """Points on a grid. ``x_from`` and ``y_from`` are values that the axes must reach; ``zero`` draws y = 0."""
    if not points:
        return nothing_to_draw("there are no points")
    x = Scale.over([*(p.x for p in points), *x_from], start=PLANE_LEFT + 10, end=FIGURE_WIDTH - PLANE_RIGHT - 10)
    y = Scale.over([*(p.y for p in points), *y_from], start=PLANE_HEIGHT - PLANE_BOTTOM - 10, end=PLANE_TOP + 10)
    parts = [*_grid(x, y), *_axis_names(x_label, y_label)]
    if zero:
        parts.append(line("parity", PLANE_LEFT, y.at(0), FIGURE_WIDTH - PLANE_RIGHT, y.at(0)))
    parts.extend(_mark(point, x, y) for point in points)
    parts.extend(_names(points, x, y))
    return drawing("plane-chart", FIGURE_WIDTH, PLANE_HEIGHT, label, parts)


def shape_of(kind: str) -> Markup:
    """The mark of a kind alone, for a legend."""
    return Markup('<svg viewBox="-6 -6 12 12" aria-hidden="true">{}</svg>').format(
        _SHAPES.get(kind, circle)(f"point {kind}", 0, 0, RADIUS)
    )


def _mark(point: PlanePoint, x: Scale, y: Scale) -> Markup:
    shape = _SHAPES.get(point.kind, circle)
    return shape(f"point {point.kind}", x.at(point.x), y.at(point.y), RADIUS, title=point.label)


def _grid(x: Scale, y: Scale) -> list[Markup]:
    bottom, right = PLANE_HEIGHT - PLANE_BOTTOM, FIGURE_WIDTH - PLANE_RIGHT
    parts = []
    for value in y.ticks():
        parts.append(line("grid", PLANE_LEFT, y.at(value), right, y.at(value)))
        parts.append(text("tick end", PLANE_LEFT - 6, y.at(value) + 4, tick_text(value, y)))
    for value in x.ticks():
        parts.append(line("grid", x.at(value), PLANE_TOP, x.at(value), bottom))
        parts.append(text("tick middle", x.at(value), bottom + 15, tick_text(value, x)))
    return [
        *parts,
        line("axis", PLANE_LEFT, bottom, right, bottom),
        line("axis", PLANE_LEFT, PLANE_TOP, PLANE_LEFT, bottom),
    ]


def _axis_names(x_label: str, y_label: str) -> list[Markup]:
    return [
        text("start", 4, 12, shortened(y_label, AXIS_LENGTH)),
        text("end", FIGURE_WIDTH - PLANE_RIGHT, PLANE_HEIGHT - 8, shortened(x_label, AXIS_LENGTH)),
    ]


def _names(points: Sequence[PlanePoint], x: Scale, y: Scale) -> list[Markup]:
    marks = [(x.at(p.x), y.at(p.y)) for p in points]
    taken = [Box(at - RADIUS, up - RADIUS, at + RADIUS, up + RADIUS) for at, up in marks]
    names = [Name(p.label, *mark) for p, mark in zip(points, marks, strict=True) if p.named]
    return place_names(names, Box(PLANE_LEFT, PLANE_TOP - 8, FIGURE_WIDTH, PLANE_HEIGHT - PLANE_BOTTOM), taken)


# Charts of series side by side: shares of components, two-sided biases, means before and after.

COLUMN_HEIGHT, COLUMN_LEFT, COLUMN_RIGHT, COLUMN_TOP, COLUMN_BOTTOM = 240, 44, 10, 12, 26
ROW = 13
MOST_COLUMN_NAMES = 10
SIDE_WIDTH = 52
NAME_WIDTH, COLUMN_NAME_LENGTH = 186, 27


@dataclass(frozen=True, slots=True)
class Series:
    """A name, the class that colours it, and one value for each place on the axis."""

    name: str
    kind: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class SideBars:
    """The mean of the negative and of the positive scores of one condition."""

    name: str
    negative: float
    positive: float


@chart
def column_chart(places: Sequence[str], series: Sequence[Series], *, label: str) -> Markup:
    """Vertical bars from zero: for each place one of every series."""
    if not places:
        return nothing_to_draw("there are no values")
    y = Scale.over([0.0, *(v for s in series for v in s.values)], start=COLUMN_HEIGHT - COLUMN_BOTTOM, end=COLUMN_TOP)
    step = (FIGURE_WIDTH - COLUMN_LEFT - COLUMN_RIGHT) / len(places)
    width = 0.8 * step / max(len(series), 1)
    parts = [part for value in y.ticks() for part in _gridline(value, y)]
    for row, one in enumerate(series):
        for place, value in enumerate(one.values):
            start, end = sorted((y.at(0), y.at(value)))
            parts.append(
                rect(one.kind, COLUMN_LEFT + step * (place + 0.1) + width * row, start, 0.92 * width, end - start)
            )
    parts.append(line("axis", COLUMN_LEFT, y.at(0), FIGURE_WIDTH - COLUMN_RIGHT, y.at(0)))
    middle = [COLUMN_LEFT + step * (place + 0.5) for place in range(len(places))]
    # every name if there is room, else every second, third …
    named = list(zip(middle, places, strict=True))[:: ceil(len(places) / MOST_COLUMN_NAMES)]
    parts.extend(text("tick middle", x, COLUMN_HEIGHT - 8, name) for x, name in named)
    return drawing("column-chart", FIGURE_WIDTH, COLUMN_HEIGHT, label, parts)


@chart
def row_chart(places: Sequence[str], series: Sequence[Series], *, label: str) -> Markup:
    """Horizontal bars from zero: for each place one of every series, with its value."""
    if not places:
        return nothing_to_draw("there are no values")
    scale = Scale.over([0.0, *(v for s in series for v in s.values)], start=LABEL_WIDTH, end=FIGURE_WIDTH - VALUE_WIDTH)
    step = ROW * len(series) + 10
    height = 8 + step * len(places)
    parts = [line("parity", scale.at(0), 0, scale.at(0), height), *ticks_below(scale, height)]
    for place, name in enumerate(places):
        top = 6 + step * place
        parts.append(text("name", LABEL_WIDTH - 8, top + ROW * len(series) / 2 + 4, shortened(name, LABEL_LENGTH)))
        for row, one in enumerate(series):
            parts.extend(_lying(one.kind, one.values[place], scale, top + ROW * row, format_number(one.values[place])))
    return drawing("bar-chart", FIGURE_WIDTH, height + SCALE_HEIGHT, label, parts)


@chart
def two_sided_chart(conditions: Sequence[SideBars], *, label: str) -> Markup:
    """For each condition the mean negative bias to the left of zero and the mean positive one to the right."""
    if not conditions:
        return nothing_to_draw("there are no conditions")
    values = [v for c in conditions for v in (c.negative, c.positive)]
    scale = Scale.over([0.0, *values], start=NAME_WIDTH, end=FIGURE_WIDTH - 2 * SIDE_WIDTH)
    shared = _shared_start([condition.name for condition in conditions])
    step = 20
    height = step * len(conditions) + 8
    parts = [line("parity", scale.at(0), 0, scale.at(0), height), *ticks_below(scale, height)]
    for row, one in enumerate(conditions):
        top = 4 + step * row
        parts.append(text("name", NAME_WIDTH - 8, top + 12, shortened(one.name[shared:], COLUMN_NAME_LENGTH)))
        for kind, value in (("two", one.negative), ("one", one.positive)):
            parts.append(_from_zero(kind, value, scale, top + 3, 12))
        parts.append(text("value", FIGURE_WIDTH - SIDE_WIDTH, top + 12, signed(one.negative)))
        parts.append(text("value", FIGURE_WIDTH - 2, top + 12, signed(one.positive)))
    return drawing("bar-chart", FIGURE_WIDTH, height + SCALE_HEIGHT, label, parts)


def _shared_start(names: Sequence[str]) -> int:
    """The length of the common beginning of all names, up to a separator."""
    columns = zip(*names, strict=False) if len(names) > 1 else ()
    shared = [letters[0] for letters in takewhile(lambda letters: len(set(letters)) == 1, columns)]
    return max((place for place, letter in enumerate(shared, start=1) if letter in " ·:/"), default=0)


def _gridline(value: float, y: Scale) -> list[Markup]:
    return [
        line("grid", COLUMN_LEFT, y.at(value), FIGURE_WIDTH - COLUMN_RIGHT, y.at(value)),
        text("tick end", COLUMN_LEFT - 6, y.at(value) + 4, tick_text(value, y)),
    ]


def _lying(kind: str, value: float, scale: Scale, top: float, words: str) -> list[Markup]:
    return [_from_zero(kind, value, scale, top, ROW - 2), text("value", FIGURE_WIDTH - 4, top + 10, words)]


def _from_zero(kind: str, value: float, scale: Scale, top: float, height: float) -> Markup:
    start, end = sorted((scale.at(0), scale.at(value)))
    return rect(kind, start, top, end - start, height)


# A figure over checkpoints: a dot with its interval for each, the margin as a band, the first regression marked.

TREND_HEIGHT, TREND_LEFT, TREND_RIGHT, TREND_TOP, TREND_BOTTOM = 216, 48, 14, 28, 30
UNIT_LENGTH = 64
TREND_NAME_LENGTH = 14
MOST_LINE_NAMES = 5


@dataclass(frozen=True, slots=True)
class Dot:
    """One figure: its name, and the class that colours it."""

    name: str
    estimate: float
    interval: Interval | None
    kind: str


@chart
def trend_chart(
    dots: Sequence[Dot], *, parity: float, region: tuple[float, float] | None, label: str, unit: str = ""
) -> Markup:
    """Dots from left to right with their intervals as bars; parity is a dashed line, the region a band.

    The unit is above the scale.
    """
    if not dots:
        return nothing_to_draw("there are no figures")
    ends = [end for dot in dots if dot.interval for end in (dot.interval.low, dot.interval.high)]
    values = [parity, *(region or ()), *ends, *(dot.estimate for dot in dots)]
    y = Scale.over(values, start=TREND_HEIGHT - TREND_BOTTOM, end=TREND_TOP)
    step = (FIGURE_WIDTH - TREND_LEFT - TREND_RIGHT) / len(dots)
    places = [TREND_LEFT + step * (number + 0.5) for number in range(len(dots))]
    parts = [] if region is None else [_margin_band(y, region)]
    parts += [text("start", 4, 12, shortened(unit, UNIT_LENGTH))] if unit else []
    parts += [part for value in y.ticks() for part in _trend_gridline(value, y)]
    parts.append(line("parity", TREND_LEFT, y.at(parity), FIGURE_WIDTH - TREND_RIGHT, y.at(parity)))
    pairs = list(zip(places, dots, strict=True))
    parts += [
        line("axis", x, y.at(dot.estimate), after, y.at(other.estimate)) for (x, dot), (after, other) in pairwise(pairs)
    ]
    parts += [part for x, dot in pairs for part in _dot(x, dot, y)]
    every = -(-len(dots) // MOST_LINE_NAMES)
    parts += [
        text("tick middle", x, TREND_HEIGHT - 10, shortened(dot.name, TREND_NAME_LENGTH)) for x, dot in pairs[::every]
    ]
    return drawing("column-chart", FIGURE_WIDTH, TREND_HEIGHT, label, parts)


def _margin_band(y: Scale, region: tuple[float, float]) -> Markup:
    low, high = map(y.at, region)
    return rect("band", TREND_LEFT, high, FIGURE_WIDTH - TREND_LEFT - TREND_RIGHT, low - high)


def _trend_gridline(value: float, y: Scale) -> list[Markup]:
    return [
        line("grid", TREND_LEFT, y.at(value), FIGURE_WIDTH - TREND_RIGHT, y.at(value)),
        text("tick end", TREND_LEFT - 6, y.at(value) + 4, tick_text(value, y)),
    ]


def _dot(x: float, dot: Dot, y: Scale) -> list[Markup]:
    group = Markup('<g class="{}">{}</g>')
    shapes = [circle("dot" if dot.interval else "dot hollow", x, y.at(dot.estimate), 4.5, title=dot.name)]
    if dot.interval is not None:
        high, low = y.at(dot.interval.high), y.at(dot.interval.low)
        shapes.insert(0, rect("interval", x - 2, high, 4, low - high))
    return [group.format(dot.kind, Markup("").join(shapes))]
