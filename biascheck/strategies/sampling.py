"""Random examples of a strategy, for a search and for whoever wants to measure something else on them."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Any

from biascheck.corpora.corpus import Corpus, Pair
from biascheck.errors import UsageError
from biascheck.strategies.choosing import Choosing
from biascheck.strategies.programs import program_of, require_hypothesis

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["checked_pair", "drawn_pairs", "run_on_examples", "sample"]


def sample(strategy: SearchStrategy[Pair], count: int = 60, *, seed: int = 0) -> Corpus:
    """So many random examples of a strategy as a corpus; the same seed draws the same ones.

    Their ids are numbers. From a strategy that was filtered, mapped or written by yourself Hypothesis draws, which may
    give fewer.
    """
    require_hypothesis()
    if count < 1:
        raise UsageError(f"count={count}; a sample has at least one example")
    program = program_of(strategy)
    if program is not None:
        rng = Random(f"{seed}/{program.name}")
        pairs = [program.build(Choosing({}, rng.randrange)) for _ in range(count)]
    else:
        pairs = drawn_pairs(strategy, count, seed)
    numbered = tuple(Pair(str(n), one.attribute, one.sentences, one.labels) for n, one in enumerate(pairs))
    name = "examples" if program is None else program.name
    return Corpus(name, tuple(pairs[0].sentences), numbered, fillers=_fillers(pairs))


def drawn_pairs(strategy: Any, count: int, seed: int) -> list[Pair]:
    """What Hypothesis draws from any strategy: at most so many pairs, the same for the same seed."""
    from hypothesis import Phase

    drawn: list[Pair] = []
    run_on_examples(strategy, lambda pair: drawn.append(checked_pair(pair)), count, seed, [Phase.generate])
    return drawn[:count]


def _fillers(pairs: list[Pair]) -> tuple[str, ...]:
    """The fillers that all examples have; those of different sets cannot be mixed."""
    listed = {str(one.labels.get("fillers", "")) for one in pairs}
    return tuple(listed.pop().split(", ")) if len(listed) == 1 and listed != {""} else ()


def run_on_examples(strategy: Any, body: Callable[[object], None], count: int, seed: int, phases: list[Any]) -> None:
    """Have Hypothesis call ``body`` with examples, the same for the same seed."""
    from hypothesis import HealthCheck, given, seed as with_seed, settings

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


def checked_pair(pair: object) -> Pair:
    """What a strategy drew, if it is a pair."""
    if not isinstance(pair, Pair):
        raise UsageError(f"a strategy for assert_invariant draws biascheck.corpora.Pair, not {type(pair).__name__}")
    return pair
