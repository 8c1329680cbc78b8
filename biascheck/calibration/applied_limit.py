"""A margin or bound as a judge applies it to an interval."""

from __future__ import annotations

from dataclasses import dataclass

from biascheck import stats
from biascheck.gates.gate import Bound
from biascheck.gates.margins import Margin, UpperBound
from biascheck.results.summaries import LEVEL

__all__ = ["Limit"]


@dataclass(frozen=True)
class Limit:
    """How far from parity a result may lie, or how large it may be, and with how many gates it is judged."""

    margin: float
    family: int = 1
    bound: Bound = "within"

    @classmethod
    def of(cls, entry: Margin | UpperBound, *, times: int = 1) -> Limit:
        """The limit of an entry of ``margins.toml``; ``times`` as many gates where a test judges several at once."""
        if isinstance(entry, UpperBound):
            return cls(entry.bound, times * entry.family, "below")
        return cls(entry.margin, times * entry.family)

    @property
    def level(self) -> float:
        """The level of the gate's own interval."""
        return 1 - (1 - LEVEL) / self.family

    def judge(self, interval: stats.Interval | None, parity: float) -> stats.Verdict:
        """Compare an interval with the limit."""
        if self.bound == "below":
            return stats.judge_below(interval, self.margin)
        return stats.judge(interval, self.margin, centre=parity)
