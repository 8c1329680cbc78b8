"""The cost of a run: every query is counted, and a few are run to measure the speed.

While an estimate is made, plans are counted instead of run. Their queries get made-up numbers, so that a measure
continues to its next query; nothing computed from them is stored or compared with a limit.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np

from biascheck.core.progress import in_time

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from biascheck.models.scoring.plan import Batch, ScoringPlan

PROBE_SECONDS = 2.0
LOWEST, HIGHEST = -4.0, -1.0


@dataclass
class ModelCost:
    """The work of one model: inputs and tokens, and the seconds per token of each kind of work."""

    title: str
    inputs: int = 0
    tokens: int = 0
    seconds: float = 0.0
    speed: float | None = None
    """Tokens per second, as measured by a probe."""

    def __str__(self) -> str:
        parts = [f"{self.inputs:,} distinct inputs", f"{self.tokens:,} tokens", in_time(self.seconds)]
        if self.speed is not None:
            parts.append(f"{self.speed:,.0f} tokens a second in a probe")
        return f"{self.title}: {', '.join(parts)}"


@dataclass
class CostEstimate:
    """The plans of a run, counted. ``probe_seconds`` is how long each kind of work is tried."""

    probe_seconds: float = PROBE_SECONDS
    costs: dict[str, ModelCost] = field(default_factory=dict)
    counted_questions: set[object] = field(default_factory=set)
    """What a server would have answered so far, and would not be asked again."""

    def scores(self, plan: ScoringPlan, run: Callable[[Batch], object], title: str) -> NDArray[np.float64]:
        """Count a plan, try some of its batches, and make up a number for each of its readings."""
        cost = self.costs.setdefault(title, ModelCost(title))
        if cost.speed is None and plan.batches:
            cost.speed = self._tried(plan, run)
        cost.inputs += plan.distinct_inputs
        cost.tokens += plan.tokens
        cost.seconds += plan.tokens / cost.speed if cost.speed else 0.0
        return made_up(len(plan.readings))

    def add(self, title: str, *, inputs: int, tokens: int, seconds: float) -> None:
        """Count the requests to a server."""
        cost = self.costs.setdefault(title, ModelCost(title))
        cost.inputs += inputs
        cost.tokens += tokens
        cost.seconds += seconds

    def _tried(self, plan: ScoringPlan, run: Callable[[Batch], object]) -> float:
        """Tokens in a second, over batches of all lengths; the largest, which takes most memory, comes first."""
        size = {batch: sum(len(plan.inputs[i]) for i in batch.inputs) for batch in plan.batches}
        run(max(plan.batches, key=size.__getitem__))
        started, tokens = monotonic(), 0
        for batch in _spread(plan.batches):
            run(batch)
            tokens += size[batch]
            if monotonic() - started > self.probe_seconds:
                break
        return tokens / max(monotonic() - started, 1e-6)

    @property
    def seconds(self) -> float:
        """The estimated duration of everything."""
        return sum(cost.seconds for cost in self.costs.values())

    @property
    def memory(self) -> int | None:
        """The peak memory of this process in bytes, the largest batch included; on a GPU, the memory used there."""
        torch = sys.modules.get("torch")
        if torch is not None and torch.cuda.is_available() and torch.cuda.max_memory_allocated():
            return int(torch.cuda.max_memory_allocated())
        try:
            import resource
        except ImportError:  # not on Windows
            return None
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024


def made_up(count: int) -> NDArray[np.float64]:
    """Made-up log-probabilities."""
    return np.random.default_rng(0).uniform(LOWEST, HIGHEST, count)


def _spread(batches: tuple[Batch, ...]) -> Iterator[Batch]:
    """The batches in an order that mixes short and long ones early: every sixteenth, then the rest."""
    step = 16
    for start in range(step):
        yield from batches[start::step]


_ACTIVE: ContextVar[CostEstimate | None] = ContextVar("estimate", default=None)


def active_estimate() -> CostEstimate | None:
    """The estimate that is being made, if any."""
    return _ACTIVE.get()


@contextmanager
def estimating(estimate: CostEstimate) -> Iterator[CostEstimate]:
    """Count the queries inside the block, instead of running them."""
    token = _ACTIVE.set(estimate)
    try:
        yield estimate
    finally:
        _ACTIVE.reset(token)
