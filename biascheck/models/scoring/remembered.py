"""What a plan has read before: readings that later chunks of the same questions need not run again."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import blake2b
from struct import pack as packed

import numpy as np

from biascheck.models.scoring.plan import Budget, ScoringPlan, TokenReading, pack
from biascheck.models.scoring.queries import Answer, Refusal

__all__ = ["ScoreMemory", "answer", "remembering"]

MOST_READINGS = 2**17
Run = Callable[[ScoringPlan], "list[Answer | Refusal]"]


class ScoreMemory:
    """Log-probabilities by a digest of model, input, position and token; those not asked for longest are forgotten."""

    def __init__(self, most: int = MOST_READINGS) -> None:
        self._most = most
        self._values: dict[bytes, float] = {}

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: bytes) -> float | None:
        """The value of a reading, if it is known; it counts as asked for now."""
        value = self._values.pop(key, None)
        if value is not None:
            self._values[key] = value
        return value

    def put(self, key: bytes, value: float) -> None:
        """Remember a reading; beyond the limit, forget the oldest."""
        self._values[key] = value
        if len(self._values) > self._most:
            del self._values[next(iter(self._values))]


_ACTIVE: ContextVar[ScoreMemory | None] = ContextVar("remembered", default=None)


@contextmanager
def remembering(memory: ScoreMemory) -> Iterator[None]:
    """Let the models that are asked inside the block use what they have answered before."""
    token = _ACTIVE.set(memory)
    try:
        yield
    finally:
        _ACTIVE.reset(token)


def answer(plan: ScoringPlan, run: Run, budget: Budget, *, owner: str) -> list[Answer | Refusal]:
    """Run a plan; within :func:`remembering`, only what ``owner`` has not read before.

    Every reading has the same value and every query the same sum as if all of the plan had run.
    """
    if (memory := _ACTIVE.get()) is None:
        return run(plan)
    keys = _keys(plan, owner)
    values: list[float | None] = [memory.get(key) for key in keys]
    missing = [place for place, value in enumerate(values) if value is None]
    if missing:
        for place, found in zip(missing, run(_rest(plan, missing, budget)), strict=True):
            assert isinstance(found, Answer)
            values[place] = found.log_probability
            memory.put(keys[place], found.log_probability)
    scores = np.array(values, dtype=float)
    return [q if isinstance(q, Refusal) else Answer(float(scores[list(q)].sum()), len(q)) for q in plan.queries]


def _keys(plan: ScoringPlan, owner: str) -> list[bytes]:
    salt = owner.encode()
    digests = [blake2b(array("q", ids).tobytes() + salt, digest_size=16).digest() for ids in plan.inputs]
    return [digests[r.input] + packed("=qq", r.position, r.token) for r in plan.readings]


def _rest(plan: ScoringPlan, missing: Sequence[int], budget: Budget) -> ScoringPlan:
    """The plan of some readings only, each a query of its own."""
    chosen = [plan.readings[place] for place in missing]
    kept = sorted({reading.input for reading in chosen})
    place = {old: new for new, old in enumerate(kept)}
    inputs = tuple(plan.inputs[index] for index in kept)
    readings = tuple(TokenReading(place[r.input], r.position, r.token) for r in chosen)
    return ScoringPlan(inputs, readings, tuple((n,) for n in range(len(readings))), pack(inputs, readings, budget))
