"""From numbers to coordinates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, log10

from biascheck.wording import format_number

__all__ = ["Scale", "coordinate", "tick_text"]


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
