"""A figure over checkpoints: a dot with its interval for each, the margin as a band, the first regression marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from biascheck.report.charts.scales import Scale, tick_text
from biascheck.report.charts.svg import FIGURE_WIDTH, chart, circle, drawing, line, nothing_to_draw, rect, text
from biascheck.stats import Interval
from biascheck.wording import shortened

__all__ = ["Dot", "trend_chart"]

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

    The unit of the scale stands above it.
    """
    if not dots:
        return nothing_to_draw("there are no figures")
    ends = [end for dot in dots if dot.interval for end in (dot.interval.low, dot.interval.high)]
    values = [parity, *(region or ()), *ends, *(dot.estimate for dot in dots)]
    y = Scale.over(values, start=TREND_HEIGHT - TREND_BOTTOM, end=TREND_TOP)
    step = (FIGURE_WIDTH - TREND_LEFT - TREND_RIGHT) / len(dots)
    places = [TREND_LEFT + step * (number + 0.5) for number in range(len(dots))]
    parts = [] if region is None else [_band(y, region)]
    parts += [text("start", 4, 12, shortened(unit, UNIT_LENGTH))] if unit else []
    parts += [part for value in y.ticks() for part in _gridline(value, y)]
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


def _band(y: Scale, region: tuple[float, float]) -> Markup:
    low, high = map(y.at, region)
    return rect("band", TREND_LEFT, high, FIGURE_WIDTH - TREND_LEFT - TREND_RIGHT, low - high)


def _gridline(value: float, y: Scale) -> list[Markup]:
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
