"""The shapes that charts are made of: numbers in, SVG out. Whatever is written into them is escaped."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import wraps
from typing import ParamSpec

from markupsafe import Markup

from biascheck.report.charts.scales import coordinate
from biascheck.wording import escape_control

__all__ = [
    "FIGURE_WIDTH",
    "chart",
    "circle",
    "cross",
    "diamond",
    "drawing",
    "line",
    "not_drawn",
    "nothing_to_draw",
    "rect",
    "square",
    "text",
    "triangle",
]

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
