"""What a run will cost: every question is counted, and a few are answered to see how long that takes.

While an estimate is being made, plans are counted instead of run. Their queries get made-up numbers, so that a measure
goes on to its next question; nothing that comes of them is kept or judged.
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
    """What one model has to do: inputs and tokens, and the seconds that its kind of work takes for a token."""

    title: str
    inputs: int = 0
    tokens: int = 0
    seconds: float = 0.0
    speed: float | None = None
    """Tokens in a second, as a probe found."""

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
    """What a server would have answered by then, and would not be asked again."""

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
        """Count what a server would be asked."""
        cost = self.costs.setdefault(title, ModelCost(title))
        cost.inputs += inputs
        cost.tokens += tokens
        cost.seconds += seconds

    def _tried(self, plan: ScoringPlan, run: Callable[[Batch], object]) -> float:
        """Tokens in a second, over batches of all lengths; the largest, which takes most memory, goes before."""
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
        """How long it all will take."""
        return sum(cost.seconds for cost in self.costs.values())

    @property
    def memory(self) -> int | None:
        """Bytes that this process took at most, the largest batch included; on a GPU, what was used there."""
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
    """Log-probabilities that mean nothing."""
    return np.random.default_rng(0).uniform(LOWEST, HIGHEST, count)


def _spread(batches: tuple[Batch, ...]) -> Iterator[Batch]:
    """The batches in an order that soon has short and long ones: every sixteenth, then the rest."""
    step = 16
    for start in range(step):
        yield from batches[start::step]


_ACTIVE: ContextVar[CostEstimate | None] = ContextVar("estimate", default=None)


def active_estimate() -> CostEstimate | None:
    """The estimate that is being made now, if any."""
    return _ACTIVE.get()


@contextmanager
def estimating(estimate: CostEstimate) -> Iterator[CostEstimate]:
    """Count what models are asked inside the block, instead of asking them."""
    token = _ACTIVE.set(estimate)
    try:
        yield estimate
    finally:
        _ACTIVE.reset(token)
