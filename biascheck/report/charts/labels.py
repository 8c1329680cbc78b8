"""Names beside points, where there is room for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from biascheck.report.charts.svg import text
from biascheck.wording import shortened

__all__ = ["Box", "Name", "place"]

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


def place(names: Sequence[Name], field: Box, taken: Iterable[Box] = ()) -> list[Markup]:
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
