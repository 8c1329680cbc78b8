"""The shapes that charts are made of: numbers in, SVG out. Whatever is written into them is escaped."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import wraps
from math import ceil, floor, log10
from typing import ParamSpec

from markupsafe import Markup

from biascheck.core.wording import escape_control, format_number, shortened

# From numbers to coordinates.


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear map of ``low … high`` onto ``start … end``.

    ``at(v) = start + (v − low) / (high − low) · (end − start)``
    """

    low: float
    high: float
    start: float
    end: float

    @classmethod
    def over(cls, values: Iterable[float], *, start: float, end: float) -> Scale:
        """The scale on which all values fit; values that are all the same get room on both sides."""
        known = list(values)
        low, high = min(known), max(known)
        if low == high:
            low, high = low - 1, high + 1
        return cls(low, high, start, end)

    def at(self, value: float) -> float:
        """The coordinate of a value."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self, most: int = 6) -> list[float]:
        """Round values on the scale (multiples of 1, 2 or 5 times a power of ten), at most this many."""
        rough = (self.high - self.low) / most
        power = 10.0 ** floor(log10(rough))
        for factor in (1, 2, 5, 10, 20):
            step = factor * power
            first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
            if last - first < most:
                return [step * k for k in range(first, last + 1)]
        return []


def coordinate(value: float) -> str:
    """A coordinate with one decimal, as short as it can be written."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def tick_text(value: float, scale: Scale) -> str:
    """A round value: whole numbers on wide scales and of counts, decimals where they tell ticks apart."""
    counts = scale.low == 0 and scale.high > 4 and all(abs(tick - round(tick)) < 1e-9 for tick in scale.ticks())
    return f"{value:.0f}".replace("-", "−") if counts or scale.high - scale.low >= 8 else format_number(value)


Drawn = ParamSpec("Drawn")
LOG = logging.getLogger(__name__)

FIGURE_WIDTH = 420
"""All figures are this wide: letters of 11 units stay legible on a phone and do not shout on a desk."""


def chart(draw: Callable[Drawn, Markup]) -> Callable[Drawn, Markup]:
    """All charts are called through this: one that cannot be drawn costs itself and not the page."""

    @wraps(draw)
    def attempt(*args: Drawn.args, **kwargs: Drawn.kwargs) -> Markup:
        try:
            return draw(*args, **kwargs)
        except Exception as error:  # whatever it is, the rest of the page can be read without this chart
            return not_drawn(draw.__name__.replace("_", " "), error)

    return attempt


def not_drawn(what: str, error: Exception) -> Markup:
    """A sentence in place of a chart that failed, with the reason, which the log has as well."""
    reason = f"{type(error).__name__}: {error}".partition("\n")[0]
    LOG.warning("a figure of the report could not be drawn: %s (%s)", what, reason)
    LOG.debug("where it failed", exc_info=error)
    return _sentence(f"This chart could not be drawn ({reason}).")


def nothing_to_draw(reason: str) -> Markup:
    """A sentence in place of a chart that would be empty."""
    return _sentence(f"Nothing to draw: {reason}.")


def drawing(kind: str, width: float, height: float, label: str, parts: Sequence[Markup]) -> Markup:
    """A drawing that a screen reader reads as one image with this label."""
    return Markup('<svg class="{}" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        kind, coordinate(width), coordinate(height), escape_control(label), Markup("").join(parts)
    )


def rect(kind: str, x: float, y: float, width: float, height: float) -> Markup:
    """A rectangle."""
    return Markup('<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>').format(
        kind, *map(coordinate, (x, y, width, height))
    )


def line(kind: str, x1: float, y1: float, x2: float, y2: float) -> Markup:
    """A straight line."""
    return Markup('<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>').format(kind, *map(coordinate, (x1, y1, x2, y2)))


def circle(kind: str, x: float, y: float, radius: float, *, title: str = "") -> Markup:
    """A circle; its title shows when the pointer rests on it."""
    return Markup('<circle class="{}" cx="{}" cy="{}" r="{}">{}</circle>').format(
        kind, *map(coordinate, (x, y, radius)), _title(title)
    )


def diamond(kind: str, x: float, y: float, radius: float, *, title: str = "") -> Markup:
    """A square turned onto its tip."""
    return _outline(kind, x, y, [(0, -radius), (radius, 0), (0, radius), (-radius, 0)], title)


def square(kind: str, x: float, y: float, radius: float, *, title: str = "") -> Markup:
    """A square around a point."""
    return _outline(kind, x, y, [(-radius, -radius), (radius, -radius), (radius, radius), (-radius, radius)], title)


def triangle(kind: str, x: float, y: float, radius: float, *, title: str = "") -> Markup:
    """A triangle with its tip upwards."""
    return _outline(kind, x, y, [(0, -radius), (radius, radius), (-radius, radius)], title)


def cross(kind: str, x: float, y: float, radius: float, *, title: str = "") -> Markup:
    """A plus sign made of two bars."""
    thin = radius / 3
    corners = [(-thin, -radius), (thin, -radius), (thin, -thin), (radius, -thin), (radius, thin), (thin, thin)]
    return _outline(kind, x, y, [*corners, *((-dx, -dy) for dx, dy in corners)], title)


def text(kind: str, x: float, y: float, words: str) -> Markup:
    """A line of text."""
    return Markup('<text class="{}" x="{}" y="{}">{}</text>').format(
        kind, coordinate(x), coordinate(y), escape_control(words)
    )


def _sentence(words: str) -> Markup:
    return Markup('<p class="no-chart soft">{}</p>').format(escape_control(words))


def _outline(kind: str, x: float, y: float, corners: Sequence[tuple[float, float]], title: str) -> Markup:
    points = " ".join(f"{coordinate(x + dx)},{coordinate(y + dy)}" for dx, dy in corners)
    return Markup('<polygon class="{}" points="{}">{}</polygon>').format(kind, points, _title(title))


def _title(title: str) -> Markup | str:
    return Markup("<title>{}</title>").format(escape_control(title)) if title else ""


# Names beside points, where there is room for them.

LETTER_WIDTH, LINE_HEIGHT, DISTANCE, LONGEST = 5.7, 11, 7, 20


@dataclass(frozen=True, slots=True)
class Name:
    """A name and the point it belongs to."""

    words: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle that is taken."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Whether the two have any area in common."""
        apart = self.right <= other.left or other.right <= self.left
        return not apart and self.top < other.bottom and other.top < self.bottom


def place_names(names: Sequence[Name], field: Box, taken: Iterable[Box] = ()) -> list[Markup]:
    """Write each name to the right or left of its point, above or below; leave it out if all four are taken.

    The names come in order of importance. Nothing is lost with a name that has no room: every chart has a table.
    """
    boxes, written = list(taken), []
    for name in names:
        for kind, x, y, box in _positions(name):
            inside = box.left >= field.left and box.right <= field.right
            if inside and box.top >= field.top and box.bottom <= field.bottom and not any(map(box.meets, boxes)):
                boxes.append(box)
                written.append(text(kind, x, y, shortened(name.words, LONGEST)))
                break
    return written


def _positions(name: Name) -> list[tuple[str, float, float, Box]]:
    width = LETTER_WIDTH * len(shortened(name.words, LONGEST))
    x, y, half = round(name.x, 1), round(name.y, 1), width / 2  # as they are written
    right, left, up, down = x + DISTANCE, x - DISTANCE, y - DISTANCE - 1, y + DISTANCE + LINE_HEIGHT - 3
    return [
        ("label start", right, y + 4, Box(right, y - LINE_HEIGHT / 2, right + width, y + LINE_HEIGHT / 2)),
        ("label end", left, y + 4, Box(left - width, y - LINE_HEIGHT / 2, left, y + LINE_HEIGHT / 2)),
        ("label middle", x, up, Box(x - half, up - LINE_HEIGHT + 2, x + half, up + 2)),
        ("label middle", x, down, Box(x - half, down - LINE_HEIGHT + 2, x + half, down + 2)),
    ]
