"""From numbers to coordinates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Scale", "coordinate"]


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


def coordinate(value: float) -> str:
    """A coordinate with one decimal, as short as it can be written."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
