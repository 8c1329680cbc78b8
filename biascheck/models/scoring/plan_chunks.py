"""Chunks: some batches of a plan as plain arrays, small enough to be sent, kept, or run again after a loss.

Floating-point scores depend on which inputs share a batch, so a chunk never takes a batch apart: whoever runs it, and
however often, gets the same bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from biascheck.models.scoring.plan import Batch, ScoringPlan, TokenReading

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Chunk", "Localised", "TreeRow", "chunks_of_plan", "localised", "padded_tokens"]


class TreeRow(tuple[int, ...]):
    """The tokens of several texts with shared beginnings; ``parents`` says which token each of them follows."""

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

    ``inputs`` and ``readings`` count how many of each belong to a batch. ``parents`` is empty where no beginnings are
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
        """Tokens that the model runs, padding not counted."""
        return len(self.ids)

    @property
    def bytes(self) -> int:
        """How much is sent."""
        return sum(part.nbytes for part in self._parts)

    @cached_property
    def digest(self) -> str:
        """A digest of everything that is asked, in its order."""
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
    """Tokens of a batch, padding included."""
    return len(batch.inputs) * max(len(plan.inputs[i]) for i in batch.inputs)


def chunks_of_plan(plan: ScoringPlan, tokens: int) -> Iterator[tuple[tuple[int, ...], Chunk]]:
    """The plan in chunks of about so many padded tokens, each with the readings (by index) that it answers."""
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
