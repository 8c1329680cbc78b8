"""How many examples a second the batched search tries, against an ordinary ``@given`` loop, on one model.

Both draw sentences of the grammar and compute the same association of the default model. The loop scores one example
at a time, as a test with ``@given`` does; the search scores blocks through the scoring plan. Nothing fails, so that
nothing is shrunk. The largest difference between the two ways on the same examples is printed too.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

import biascheck
from biascheck.corpora import Pair
from biascheck.search.invariants import Invariant, Reading, invariant_of
from biascheck.search.searching import search_worst_cases

NEVER = 1e6


def main() -> None:
    """Time both ways and print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="minilm-mlm")
    parser.add_argument("--examples", type=int, default=2_000, help="examples of the search")
    parser.add_argument("--loop", type=int, default=150, help="examples of the loop, which is slow")
    arguments = parser.parse_args()
    model = biascheck.load(arguments.model)
    strategy = biascheck.strategies.sentences()
    search_worst_cases(model, strategy, NEVER, examples=50, seed=1)  # let libraries load before anything is timed

    drawn: list[Pair] = []
    one_by_one = rate(arguments.loop, lambda: given_loop(model, strategy, arguments.loop, drawn))
    print(f"@given, one example at a time: {one_by_one:.1f} examples a second ({arguments.loop:,} timed)")
    examples = arguments.examples
    in_blocks = rate(examples, lambda: search_worst_cases(model, strategy, NEVER, examples=examples))
    print(f"batched search: {in_blocks:.1f} examples a second ({examples:,} timed, drawing included)")
    print(f"  {in_blocks / one_by_one:.1f} × the loop")
    print(f"  largest difference of a gap: {largest_difference(invariant_of(model, None), drawn):.1e}")


def given_loop(model: Any, strategy: Any, count: int, drawn: list[Pair]) -> None:
    """An ordinary property test: draw an example, score it, draw the next."""

    @seed(0)
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
        biascheck.assert_invariant(model, pair, bound=NEVER)

    check()


def largest_difference(invariant: Invariant, pairs: list[Pair]) -> float:
    """How much a gap changes when its example is scored in a block."""
    blocks = invariant.read(pairs)
    singly = [invariant.read([pair])[0] for pair in pairs[:50]]
    both = zip(blocks, singly, strict=False)
    return max(abs(a.gap - b.gap) for a, b in both if isinstance(a, Reading) and isinstance(b, Reading))


def rate(count: int, work: Callable[[], object]) -> float:
    """Examples a second."""
    started = time.process_time()
    work()
    return count / (time.process_time() - started)


if __name__ == "__main__":
    main()
