"""How much of a result a report shows. The rest is in the results file."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Bounds"]

FULL_RESULTS = 24


@dataclass(frozen=True)
class Bounds:
    """The most that is shown of one result."""

    bars: int = 60
    rows: int = 120
    clusters: int = 12
    examples: int = 3
    reasons: int = 15

    @classmethod
    def of(cls, results: int) -> Bounds:
        """Full detail up to 24 results; beyond, each shows less, so that the page stays light."""
        share = min(1.0, FULL_RESULTS / max(results, 1))
        return cls(
            bars=max(10, round(cls.bars * share)),
            rows=max(10, round(cls.rows * share)),
            clusters=max(1, round(cls.clusters * share)),
            reasons=max(3, round(cls.reasons * share)),
        )
