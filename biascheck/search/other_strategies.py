"""Strategies that are not ours, or were filtered or mapped: Hypothesis draws their blocks and shrinks what fails."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from biascheck.corpora.corpus import Pair
from biascheck.errors import UsageError
from biascheck.search.scored_examples import Drawn, Reader, Scored

__all__ = ["drawn_block", "shrunk_by_hypothesis"]

MOST_SHRINKS = 2_000


class _FoundError(Exception):
    """Tells Hypothesis that an example fails."""


def drawn_block(strategy: Any, count: int, seed: int) -> list[Drawn]:
    """So many examples of a strategy, the same for the same seed."""
    from hypothesis import Phase

    drawn: list[Drawn] = []

    def collect(pair: object) -> None:
        drawn.append(Drawn(_checked(pair), at_random=True))

    _run(strategy, collect, count, seed, [Phase.generate])
    return drawn[:count]


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
        drawn = Drawn(_checked(pair))
        if drawn.pair.attribute != worst.drawn.pair.attribute:
            return
        (scored,) = reader.read([drawn])
        if scored is not None and fails(scored) and scored.direction == worst.direction:
            if drawn.size < smallest.drawn.size:
                smallest = scored
            raise _FoundError

    with suppress(_FoundError):
        _run(strategy, check, MOST_SHRINKS, seed, [Phase.generate, Phase.shrink])
    return smallest


def _run(strategy: Any, body: Callable[[object], None], count: int, seed: int, phases: list[Any]) -> None:
    from hypothesis import HealthCheck, given, settings
    from hypothesis import seed as with_seed

    quiet = settings(
        max_examples=count,
        phases=phases,
        database=None,
        deadline=None,
        derandomize=False,
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
        print_blob=False,
    )
    with_examples: Any = given(strategy)
    with_seed(seed)(quiet(with_examples(body)))()


def _checked(pair: object) -> Pair:
    if not isinstance(pair, Pair):
        raise UsageError(f"a strategy for assert_invariant draws biascheck.corpora.Pair, not {type(pair).__name__}")
    return pair
