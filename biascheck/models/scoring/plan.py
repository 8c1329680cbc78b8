"""The scoring plan: which inputs a set of queries really needs, and in which batches they run.

A plan is plain data. Making it needs a tokenizer and no weights; running it needs an engine and knows
nothing of queries. Identical inputs run once however many queries ask about them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from biascheck.models.scoring.encoding import Encoded
from biascheck.models.scoring.queries import Refusal

__all__ = ["Batch", "Budget", "ScoringPlan", "Sharing", "TokenReading", "make_plan", "pack"]


@dataclass(frozen=True, slots=True)
class Budget:
    """How much may be in memory at once: tokens of a padded batch, and positions with logits."""

    tokens: int = 2_048
    readings: int = 1_024


@dataclass(frozen=True, slots=True, order=True)
class TokenReading:
    """One number to take from the model: ``token`` at ``position`` of distinct input ``input``."""

    input: int
    position: int
    token: int


@dataclass(frozen=True, slots=True)
class Batch:
    """Distinct inputs that run together, and the readings (by index) taken from them."""

    inputs: tuple[int, ...]
    readings: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Sharing:
    """Distinct inputs as trees: each token of a row follows the token at its parent's place, not the one before it.

    ``parents`` has one number for every token of every row, −1 for the first of a text. ``distinct_inputs`` and
    ``tokens`` count what there was before beginnings were shared.
    """

    parents: tuple[tuple[int, ...], ...]
    distinct_inputs: int
    tokens: int


@dataclass(frozen=True)
class ScoringPlan:
    """Distinct inputs, the readings taken from them, and for each query the readings it is made of.

    With ``sharing``, an input is a row that holds many texts, of which equal beginnings are there once. ``unshared``
    says why a model that reads from left to right does not share them.
    """

    inputs: tuple[tuple[int, ...], ...]
    readings: tuple[TokenReading, ...]
    queries: tuple[tuple[int, ...] | Refusal, ...]
    batches: tuple[Batch, ...]
    sharing: Sharing | None = None
    unshared: str = ""

    @property
    def distinct_inputs(self) -> int:
        """How many different texts the model has to read."""
        return len(self.inputs) if self.sharing is None else self.sharing.distinct_inputs

    @property
    def tokens(self) -> int:
        """Tokens that the model runs, padding not counted."""
        return sum(map(len, self.inputs))

    @property
    def padded_tokens(self) -> int:
        """Tokens the batches hold, padding included."""
        return sum(len(b.inputs) * max(len(self.inputs[i]) for i in b.inputs) for b in self.batches)

    @property
    def size(self) -> str:
        """How much there is to run, in words."""
        return f"{self.distinct_inputs:,} distinct inputs, {self.tokens:,} tokens"

    def __str__(self) -> str:
        before = "" if self.sharing is None else f"{self.sharing.tokens:,} tokens, with shared beginnings "
        reason = f"; beginnings are not shared: {self.unshared}" if self.unshared else ""
        return (
            f"{len(self.queries):,} queries → {self.distinct_inputs:,} distinct inputs "
            f"in {len(self.batches):,} batches, {before}{self.tokens:,} tokens ({self.padded_tokens:,} padded){reason}"
        )


def make_plan(encoded: Iterable[Encoded | tuple[Encoded, ...] | Refusal], budget: Budget) -> ScoringPlan:
    """Remove duplicate inputs and readings, then pack inputs of like length into batches.

    A query that needs several inputs is a tuple of them; its answer is the sum over all their readings.
    """
    inputs: dict[tuple[int, ...], int] = {}
    readings: dict[TokenReading, int] = {}
    queries: list[tuple[int, ...] | Refusal] = []
    for item in encoded:
        if isinstance(item, Refusal):
            queries.append(item)
            continue
        wanted: list[TokenReading] = []
        for part in item if isinstance(item, tuple) else (item,):
            index = inputs.setdefault(part.ids, len(inputs))
            wanted += [TokenReading(index, p, t) for p, t in zip(part.positions, part.tokens, strict=True)]
        queries.append(tuple(readings.setdefault(reading, len(readings)) for reading in wanted))
    distinct = tuple(inputs)
    return ScoringPlan(distinct, tuple(readings), tuple(queries), pack(distinct, tuple(readings), budget))


def pack(inputs: tuple[tuple[int, ...], ...], readings: tuple[TokenReading, ...], budget: Budget) -> tuple[Batch, ...]:
    """Put inputs of like length into batches that the budget allows."""
    wanted: list[list[int]] = [[] for _ in inputs]
    for index, reading in enumerate(readings):
        wanted[reading.input].append(index)
    positions = [len({readings[r].position for r in indices}) for indices in wanted]
    batches: list[Batch] = []
    current: list[int] = []
    held = 0
    # Shortest first: the input that opens the last place is also the longest, so padding is its length.
    for index in sorted(range(len(inputs)), key=lambda i: (len(inputs[i]), i)):
        padded = (len(current) + 1) * len(inputs[index])
        if current and (padded > budget.tokens or held + positions[index] > budget.readings):
            batches.append(_batch(current, wanted))
            current, held = [], 0
        current.append(index)
        held += positions[index]
    return (*batches, _batch(current, wanted)) if current else tuple(batches)


def _batch(inputs: list[int], wanted: list[list[int]]) -> Batch:
    return Batch(tuple(inputs), tuple(r for i in inputs for r in wanted[i]))
