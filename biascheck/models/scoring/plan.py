"""The scoring plan: the distinct inputs of a set of queries, and the batches in which they run.

A plan is plain data. Making it needs a tokenizer and no weights; running it needs an engine and knows
nothing of queries. Identical inputs run once, however many queries use them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from biascheck.models.scoring.encode import Encoded
from biascheck.models.scoring.queries import Refusal

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of memory: tokens of a padded batch, and positions with logits."""

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
    """Distinct inputs as trees: each token of a row follows its parent token, not the one before it.

    ``parents`` has one number for every token of every row, −1 for the first of a text. ``distinct_inputs`` and
    ``tokens`` count what there was before prefixes were shared.
    """

    parents: tuple[tuple[int, ...], ...]
    distinct_inputs: int
    tokens: int


@dataclass(frozen=True)
class ScoringPlan:
    """Distinct inputs, the readings taken from them, and for each query the readings it is made of.

    With ``sharing``, an input is a row of many texts that contains shared prefixes once. ``unshared`` is the reason why
    a model that reads from left to right does not share them.
    """

    inputs: tuple[tuple[int, ...], ...]
    readings: tuple[TokenReading, ...]
    queries: tuple[tuple[int, ...] | Refusal, ...]
    batches: tuple[Batch, ...]
    sharing: Sharing | None = None
    unshared: str = ""

    @property
    def distinct_inputs(self) -> int:
        """The number of distinct texts to run."""
        return len(self.inputs) if self.sharing is None else self.sharing.distinct_inputs

    @property
    def tokens(self) -> int:
        """The number of tokens to run, without padding."""
        return sum(map(len, self.inputs))

    @property
    def padded_tokens(self) -> int:
        """The number of tokens in the batches, with padding."""
        return sum(len(b.inputs) * max(len(self.inputs[i]) for i in b.inputs) for b in self.batches)

    @property
    def size(self) -> str:
        """The size of the plan, in words."""
        return f"{self.distinct_inputs:,} distinct inputs, {self.tokens:,} tokens"

    def __str__(self) -> str:
        before = "" if self.sharing is None else f"{self.sharing.tokens:,} tokens, with shared prefixes "
        reason = f"; prefixes are not shared: {self.unshared}" if self.unshared else ""
        return (
            f"{len(self.queries):,} queries → {self.distinct_inputs:,} distinct inputs "
            f"in {len(self.batches):,} batches, {before}{self.tokens:,} tokens ({self.padded_tokens:,} padded){reason}"
        )


def make_plan(encoded: Iterable[Encoded | tuple[Encoded, ...] | Refusal], budget: Budget) -> ScoringPlan:
    """Remove duplicate inputs and readings, then pack inputs of similar length into batches.

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
    """Put inputs of similar length into batches that the budget allows."""
    wanted: list[list[int]] = [[] for _ in inputs]
    for index, reading in enumerate(readings):
        wanted[reading.input].append(index)
    positions = [len({readings[r].position for r in indices}) for indices in wanted]
    batches: list[Batch] = []
    current: list[int] = []
    held = 0
    # Shortest first: the last input added is also the longest, so the batch is padded to its length.
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


# Chunks: some batches of a plan as plain arrays, small enough to be sent, stored, or run again after a loss.
#
# Floating-point scores depend on which inputs share a batch, so a chunk never splits a batch: every run on any worker
# gives the same bytes.


class TreeRow(tuple[int, ...]):
    """The tokens of several texts with shared prefixes; ``parents`` gives the predecessor of each token."""

    parents: tuple[int, ...]

    @classmethod
    def of(cls, ids: Sequence[int], parents: tuple[int, ...]) -> TreeRow:
        """A row of these tokens."""
        row = cls(ids)
        row.parents = parents
        return row


Localised = tuple[Sequence[Sequence[int]], Sequence[TokenReading]]
"""The inputs of a batch, and its readings counted within them."""


def localised(plan: ScoringPlan, batch: Batch) -> tuple[list[tuple[int, ...]], list[TokenReading]]:
    """The inputs of a batch, and its readings counted within them."""
    place = {index: row for row, index in enumerate(batch.inputs)}
    readings = [plan.readings[r] for r in batch.readings]
    local = [type(r)(place[r.input], r.position, r.token) for r in readings]
    if plan.sharing is None:
        return [plan.inputs[i] for i in batch.inputs], local
    return [TreeRow.of(plan.inputs[i], plan.sharing.parents[i]) for i in batch.inputs], local


@dataclass(frozen=True, eq=False)
class Chunk:
    """Batches one after another: tokens, lengths and parents of their inputs, and their readings as three columns.

    ``inputs`` and ``readings`` count how many of each belong to a batch. ``parents`` is empty if no prefixes are
    shared.
    """

    ids: NDArray[np.int32]
    lengths: NDArray[np.int32]
    parents: NDArray[np.int32]
    asked: NDArray[np.int32]
    inputs: NDArray[np.int32]
    readings: NDArray[np.int32]

    @classmethod
    def of(cls, batches: Sequence[Localised]) -> Chunk:
        """Pack localised batches."""
        texts = [text for inputs, _ in batches for text in inputs]
        parents = chain.from_iterable(text.parents for text in texts if isinstance(text, TreeRow))
        asked = [(one.input, one.position, one.token) for _, readings in batches for one in readings]
        return cls(
            np.fromiter(chain.from_iterable(texts), np.int32),
            np.array([len(text) for text in texts], np.int32),
            np.fromiter(parents, np.int32),
            np.array(asked, np.int32).reshape(-1, 3),
            np.array([len(inputs) for inputs, _ in batches], np.int32),
            np.array([len(readings) for _, readings in batches], np.int32),
        )

    @property
    def tokens(self) -> int:
        """The number of tokens to run, without padding."""
        return len(self.ids)

    @property
    def bytes(self) -> int:
        """The number of bytes to send."""
        return sum(part.nbytes for part in self._parts)

    @cached_property
    def digest(self) -> str:
        """A digest of all queries, in their order."""
        digest = hashlib.sha256()
        for part in self._parts:
            digest.update(f"{part.shape}".encode() + part.tobytes())
        return digest.hexdigest()

    @property
    def _parts(self) -> tuple[NDArray[np.int32], ...]:
        return self.ids, self.lengths, self.parents, self.asked, self.inputs, self.readings

    def batches(self) -> Iterator[tuple[list[tuple[int, ...]], list[TokenReading]]]:
        """The batches again, as an engine takes them."""
        texts = self._texts()
        asked = iter(self.asked.tolist())
        for inputs, readings in zip(self.inputs.tolist(), self.readings.tolist(), strict=True):
            yield [next(texts) for _ in range(inputs)], [TokenReading(*next(asked)) for _ in range(readings)]

    def _texts(self) -> Iterator[tuple[int, ...]]:
        ids, parents = self.ids.tolist(), self.parents.tolist()
        start = 0
        for length in self.lengths.tolist():
            part = slice(start, start + length)
            yield TreeRow.of(ids[part], tuple(parents[part])) if parents else tuple(ids[part])
            start += length


def padded_tokens(plan: ScoringPlan, batch: Batch) -> int:
    """The number of tokens of a batch, with padding."""
    return len(batch.inputs) * max(len(plan.inputs[i]) for i in batch.inputs)


def chunks_of_plan(plan: ScoringPlan, tokens: int) -> Iterator[tuple[tuple[int, ...], Chunk]]:
    """The plan in chunks of about this many padded tokens, each with the readings (by index) that it answers."""
    current: list[Batch] = []
    held = 0
    for batch in plan.batches:
        size = padded_tokens(plan, batch)
        if current and held + size > tokens:
            yield _chunk(plan, current)
            current, held = [], 0
        current.append(batch)
        held += size
    if current:
        yield _chunk(plan, current)


def _chunk(plan: ScoringPlan, batches: Sequence[Batch]) -> tuple[tuple[int, ...], Chunk]:
    rows = tuple(chain.from_iterable(batch.readings for batch in batches))
    return rows, Chunk.of([localised(plan, batch) for batch in batches])
