"""Charts of two axes: points with names, groups differ in colour and in shape."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from biascheck.report.charts.labels import Box, Name, place
from biascheck.report.charts.scales import Scale, tick_text
from biascheck.report.charts.svg import (
    FIGURE_WIDTH,
    chart,
    circle,
    cross,
    diamond,
    drawing,
    line,
    nothing_to_draw,
    square,
    text,
    triangle,
)
from biascheck.wording import shortened

__all__ = ["KINDS", "PlanePoint", "plane_chart", "shape_of"]

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
    return place(names, Box(PLANE_LEFT, PLANE_TOP - 8, FIGURE_WIDTH, PLANE_HEIGHT - PLANE_BOTTOM), taken)
