"""Examples per second of processor time: the batched search against an ordinary ``@given`` loop, on one model.

Both draw sentences of the grammar and compute the same association of the default model. The loop scores one example
at a time and does nothing else; the search scores blocks through the scoring plan, drawing and planning included.
Nothing fails, so nothing is shrunk. Processor time is compared, since other work on the machine changes the time on
the clock. Also printed: how much the model has to read, and by how much a gap differs between the two ways.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from statistics import fmean
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

import biascheck
from biascheck.corpora import Pair
from biascheck.gates.search import Search
from biascheck.worst_cases.invariants import Invariant, VersionScores, invariant_of
from biascheck.worst_cases.search import search_worst_cases

NEVER = 1e6


def main() -> None:
    """Time both ways and print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="minilm-mlm")
    parser.add_argument("--examples", type=int, default=4_000, help="examples of the search")
    parser.add_argument("--loop", type=int, default=200, help="examples of the loop, which is slow")
    parser.add_argument("--rounds", type=int, default=3, help="how often each way is timed, in turn")
    arguments = parser.parse_args()
    model = biascheck.load(arguments.model)
    strategy = biascheck.strategies.sentences()
    invariant = invariant_of(model, None)
    search_worst_cases(model, strategy, NEVER, examples=50, seed=1)  # let libraries load before anything is timed

    loops, searches, drawn = [], [], []
    for number in range(arguments.rounds):
        drawn = []
        loop = partial(given_loop, invariant, strategy, arguments.loop, number, drawn)
        loops.append(rate(arguments.loop, loop))
        searches.append(rate(arguments.examples, partial(search, model, strategy, arguments.examples, number)))
        print(f"@given {loops[-1]:.1f}, batched search {searches[-1]:.1f} examples per second of processor time")
    ratios = [fast / slow for fast, slow in zip(searches, loops, strict=True)]
    print(f"  {fmean(searches) / fmean(loops):.1f} × the loop ({min(ratios):.1f} to {max(ratios):.1f})")
    with counting(model) as inputs:
        found = search(model, strategy, arguments.examples, 0)
    print(f"  the model reads {sum(inputs) / found.examples:.2f} inputs per example; {found.random} examples at random")
    print(f"  the loop reads {inputs_one_by_one(model, invariant, drawn):.2f}")
    print(f"  largest difference of a gap: {largest_difference(invariant, drawn):.1e}")


def search(model: Any, strategy: Any, examples: int, at: int) -> Search:
    """A batched search in which nothing fails."""
    return search_worst_cases(model, strategy, NEVER, examples=examples, seed=at)


def given_loop(invariant: Invariant, strategy: Any, count: int, at: int, drawn: list[Pair]) -> None:
    """An ordinary property test: draw an example, score it, draw the next."""

    @seed(at)
    @settings(
        max_examples=count,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def check(pair: Pair) -> None:
        drawn.append(pair)
        (reading,) = invariant.read([pair])
        assert not isinstance(reading, VersionScores) or reading.gap <= NEVER

    check()


@contextmanager
def counting(model: Any) -> Iterator[list[int]]:
    """Count the distinct inputs of every plan that the model makes."""
    counts: list[int] = []
    plan = model.plan

    def counted(*arguments: Any, **options: Any) -> Any:
        made = plan(*arguments, **options)
        counts.append(made.distinct_inputs)
        return made

    model.plan = counted
    try:
        yield counts
    finally:
        del model.plan


def inputs_one_by_one(model: Any, invariant: Invariant, pairs: Sequence[Pair]) -> float:
    """How many inputs the model reads for one example by itself."""
    with counting(model) as inputs:
        for pair in pairs[:50]:
            invariant.read([pair])
    return fmean(inputs)


def largest_difference(invariant: Invariant, pairs: Sequence[Pair]) -> float:
    """How much a gap changes when its example is scored in a block."""
    blocks = invariant.read(pairs)
    singly = [invariant.read([pair])[0] for pair in pairs[:50]]
    both = zip(blocks, singly, strict=False)
    return max(abs(a.gap - b.gap) for a, b in both if isinstance(a, VersionScores) and isinstance(b, VersionScores))


def rate(count: int, work: Callable[[], object]) -> float:
    """Examples per second of processor time."""
    started = time.process_time()
    work()
    return count / (time.process_time() - started)


if __name__ == "__main__":
    main()
