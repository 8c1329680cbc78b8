"""The figures of texts that were asked before, token by token, for texts that begin alike."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

__all__ = ["KnownBeginnings"]

LIMIT = 400_000
"""Tokens to remember, about 100 MB; past that all are forgotten, and beginnings are asked again."""


class KnownBeginnings:
    """A tree of tokens: ln P of each after all before it. Safe to share between threads."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._roots: dict[tuple[int, ...], int] = {}
        self._after: dict[tuple[int, int], tuple[int, float]] = {}
        self._lock = Lock()

    def of(self, before: tuple[int, ...], ids: Sequence[int]) -> tuple[float, ...]:
        """The figures of as many of ``ids`` as are known after ``before``, from the first on."""
        found: list[float] = []
        with self._lock:
            node = self._roots.get(before)
            for token in ids:
                if node is None or (step := self._after.get((node, token))) is None:
                    break
                node, score = step
                found.append(score)
        return tuple(found)

    def add(self, before: tuple[int, ...], ids: Sequence[int], scores: Sequence[float]) -> None:
        """Remember the figure of each of ``ids`` after ``before``."""
        with self._lock:
            if len(self._after) + len(ids) > self._limit:
                self._roots.clear()
                self._after.clear()
            node = self._roots.setdefault(before, self._new_node())
            for token, score in zip(ids, scores, strict=True):
                node, _ = self._after.setdefault((node, token), (self._new_node(), score))

    def _new_node(self) -> int:
        return len(self._roots) + len(self._after)
