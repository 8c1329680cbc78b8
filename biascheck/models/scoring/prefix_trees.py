"""Equal beginnings run once: the distinct inputs of a causal plan as trees of tokens.

A model that reads from left to right gives a token the same state whatever follows it, so texts that begin alike share
the tokens of their beginning. Sorted texts that fit are laid out in one row; every token knows its parent, the token
before it in its text. A row that is full begins again from the root, so a beginning runs once for each row it is in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from biascheck.models.scoring.encoding import Encoded
from biascheck.models.scoring.plan import Budget, ScoringPlan, Sharing, TokenReading, pack
from biascheck.models.scoring.queries import Refusal

__all__ = ["Layout", "row_length", "share_beginnings", "without_unread"]

SHORTEST_ROW = 256
TEXTS_IN_A_ROW = 4
WORTH_IT = 0.9
"""Attention within a row costs more than within its texts: fewer tokens than this share of them must be left."""


def without_unread(encoded: Iterable[Encoded | Refusal]) -> Iterator[Encoded | Refusal]:
    """Drop the tokens behind the last one that is read: nothing before them depends on them."""
    for item in encoded:
        if isinstance(item, Refusal):
            yield item
        else:
            yield replace(item, ids=item.ids[: max(item.positions) + 1])


def row_length(longest: int, budget: Budget, limits: Sequence[int | None]) -> int:
    """How many tokens a row may have: some texts, and no more than the budget and the model's own limits allow."""
    most = min([budget.tokens, budget.readings, *(limit for limit in limits if limit is not None)])
    return max(longest, min(most, max(SHORTEST_ROW, TEXTS_IN_A_ROW * longest)))


def share_beginnings(plan: ScoringPlan, budget: Budget, length: int) -> ScoringPlan:
    """The same queries on rows of at most ``length`` tokens; the plan itself where that would save little."""
    layout = Layout(length)
    order = sorted(range(len(plan.inputs)), key=plan.inputs.__getitem__)
    paths = {index: layout.add(plan.inputs[index]) for index in order}
    readings: dict[TokenReading, int] = {}
    moved: list[int] = []
    for reading in plan.readings:
        row, path = paths[reading.input]
        moved.append(readings.setdefault(TokenReading(row, path[reading.position], reading.token), len(readings)))
    rows = tuple(map(tuple, layout.rows))
    shared = ScoringPlan(
        rows,
        tuple(readings),
        tuple(q if isinstance(q, Refusal) else tuple(moved[r] for r in q) for q in plan.queries),
        pack(rows, tuple(readings), budget),
        Sharing(tuple(map(tuple, layout.parents)), plan.distinct_inputs, plan.tokens),
    )
    return shared if shared.padded_tokens < WORTH_IT * plan.padded_tokens else plan


@dataclass
class Layout:
    """Rows under construction; texts arrive sorted, so that equal beginnings are neighbours."""

    length: int
    rows: list[list[int]] = field(default_factory=list)
    parents: list[list[int]] = field(default_factory=list)
    _before: tuple[int, ...] = ()
    _path: tuple[int, ...] = ()

    def add(self, ids: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        """Lay a text out; returns its row and the place of each of its tokens there."""
        common = _common(self._before, ids)
        if not self.rows or len(self.rows[-1]) + len(ids) - common > self.length:
            self.rows.append([])
            self.parents.append([])
            common = 0
        row, parents = self.rows[-1], self.parents[-1]
        path = list(self._path[:common])
        for token in ids[common:]:
            parents.append(path[-1] if path else -1)
            path.append(len(row))
            row.append(token)
        self._before, self._path = ids, tuple(path)
        return len(self.rows) - 1, self._path


def _common(first: Sequence[int], second: Sequence[int]) -> int:
    """How many tokens two texts share from their beginning."""
    count = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        count += 1
    return count
