"""Charts of series side by side: shares of components, two-sided biases, means before and after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from math import ceil

from markupsafe import Markup

from biascheck.report.charts.intervals import LABEL_LENGTH, LABEL_WIDTH, SCALE_HEIGHT, VALUE_WIDTH, ticks_below
from biascheck.report.charts.scales import Scale, tick_text
from biascheck.report.charts.svg import FIGURE_WIDTH, chart, drawing, line, nothing_to_draw, rect, text
from biascheck.wording import format_number, shortened, signed

__all__ = ["Series", "SideBars", "column_chart", "row_chart", "two_sided_chart"]

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
    """Upright bars from zero: for each place one of every series."""
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
    # every name where there is room for all, else every second, third …
    named = list(zip(middle, places, strict=True))[:: ceil(len(places) / MOST_COLUMN_NAMES)]
    parts.extend(text("tick middle", x, COLUMN_HEIGHT - 8, name) for x, name in named)
    return drawing("column-chart", FIGURE_WIDTH, COLUMN_HEIGHT, label, parts)


@chart
def row_chart(places: Sequence[str], series: Sequence[Series], *, label: str) -> Markup:
    """Lying bars from zero: for each place one of every series, with its value."""
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
    """How many letters all names begin with, up to a separator; what differs comes after."""
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
