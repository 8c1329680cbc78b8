"""Strategies that are not ours, or were filtered or mapped: Hypothesis draws their blocks and shrinks what fails."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from biascheck.search.scored_examples import DrawnExample, Reader, Scored
from biascheck.strategies.sampling import checked_pair, drawn_pairs, run_on_examples

__all__ = ["drawn_block", "shrunk_by_hypothesis"]

MOST_SHRINKS = 2_000


class _FoundError(Exception):
    """Tells Hypothesis that an example fails."""


def drawn_block(strategy: Any, count: int, seed: int) -> list[DrawnExample]:
    """So many examples of a strategy, the same for the same seed."""
    return [DrawnExample(pair, at_random=True) for pair in drawn_pairs(strategy, count, seed)]


def shrunk_by_hypothesis(
    strategy: Any, reader: Reader, fails: Callable[[Scored], bool], worst: Scored, seed: int
) -> Scored:
    """What Hypothesis makes of a failing example: the smallest with the same attribute that it can find.

    It has to come upon the failure by itself, so it draws the same examples again, whose readings are known.
    """
    from hypothesis import Phase

    smallest = worst

    def check(pair: object) -> None:
        nonlocal smallest
        drawn = DrawnExample(checked_pair(pair))
        if drawn.pair.attribute != worst.drawn.pair.attribute:
            return
        (scored,) = reader.read([drawn])
        if scored is not None and fails(scored) and scored.direction == worst.direction:
            if drawn.size < smallest.drawn.size:
                smallest = scored
            raise _FoundError

    with suppress(_FoundError):
        run_on_examples(strategy, check, MOST_SHRINKS, seed, [Phase.generate, Phase.shrink])
    return smallest
