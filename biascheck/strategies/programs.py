"""Programs behind strategies: how an example follows from choices, and the Hypothesis strategy that draws them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from weakref import WeakKeyDictionary

from biascheck.release import require
from biascheck.strategies.choosing import Choosing

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

__all__ = ["Program", "program_of", "require_hypothesis", "strategy_of"]

Example = TypeVar("Example")


@dataclass(frozen=True)
class Program(Generic[Example]):
    """A name for people, and the function from choices to an example."""

    name: str
    build: Callable[[Choosing], Example]


_PROGRAMS: WeakKeyDictionary[Any, Program[Any]] = WeakKeyDictionary()


def require_hypothesis() -> Any:
    """The Hypothesis package, or an error that names the extra with it."""
    require("a strategy", "worst-cases")
    import hypothesis

    return hypothesis


def strategy_of(program: Program[Example]) -> SearchStrategy[Example]:
    """The Hypothesis strategy that draws the choices of a program; the search finds the program by it."""
    require_hypothesis()
    from hypothesis import strategies

    @strategies.composite
    def drawn(draw: DrawFn) -> Example:
        return program.build(Choosing({}, lambda count: draw(strategies.integers(0, count - 1))))

    strategy = drawn()
    _PROGRAMS[strategy] = program
    return strategy


def program_of(strategy: object) -> Program[Any] | None:
    """The program behind a strategy of ours; none behind one that was filtered, mapped or written by somebody else."""
    try:
        return _PROGRAMS.get(strategy)
    except TypeError:  # not hashable, or nothing that a weak reference can point to
        return None
