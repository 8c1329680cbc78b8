"""Character spans: where corpora say a word is, and where models find its tokens."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Characters ``start`` (included) to ``end`` (excluded) of a text."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """Return the part of ``text`` this span covers."""
        return text[self.start : self.end]

    def overlaps(self, other: Span) -> bool:
        """Tell whether the two spans share a character."""
        return self.start < other.end and other.start < self.end

    def covers(self, other: Span) -> bool:
        """Tell whether ``other`` lies inside this span."""
        return self.start <= other.start and other.end <= self.end
