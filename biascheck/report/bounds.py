"""How much of a result a report shows as plain HTML. All items are in its data, and in the results file."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Bounds"]

FULL_RESULTS = 24


@dataclass(frozen=True)
class Bounds:
    """The most that is shown of one result."""

    bars: int = 60
    rows: int = 120
    items: int = 12
    reasons: int = 15

    @classmethod
    def of(cls, results: int) -> Bounds:
        """Full detail up to 24 results; beyond, each shows less, so that the page stays light."""
        share = min(1.0, FULL_RESULTS / max(results, 1))
        return cls(
            bars=max(10, round(cls.bars * share)),
            rows=max(10, round(cls.rows * share)),
            items=max(3, round(cls.items * share)),
            reasons=max(3, round(cls.reasons * share)),
        )
