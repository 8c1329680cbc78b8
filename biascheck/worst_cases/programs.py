"""Programs behind strategies: choices that make an example, and the Hypothesis strategy that draws them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from weakref import WeakKeyDictionary

from biascheck.core.release import require

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy


# Choices: what makes one example of a strategy, so that it can be drawn, changed a little, and made simpler.
#
# A program picks numbers below a count, each under a path such as ``("clause", 1, "occupation")``; zero is
# always the simplest choice. The same program therefore serves Hypothesis, which draws the numbers, the batched
# search, which draws and changes thousands of them, and the shrinking of what was found, which lowers them.

Path = tuple[str | int, ...]
Choices = Mapping[Path, int]
ChosenValue = TypeVar("ChosenValue")

CHOICE_FORMS = ("frame", "phrase", "template", "joint")
"""Kinds of choices that decide which others there are."""
ANYWHERE = "*"
"""``("*", "occupation")`` is the choice for every occupation that has none of its own."""


class Choosing:
    """Choices in the making: those that are given, and others where a program asks for more."""

    def __init__(self, given: Choices, otherwise: Callable[[int], int]) -> None:
        self._given = given
        self._otherwise = otherwise
        self.made: dict[Path, int] = {}
        self.counts: dict[Path, int] = {}
        self.texts: dict[Path, str] = {}

    def pick(self, path: Path, count: int) -> int:
        """A number from 0 to ``count − 1``; a given one that is too large becomes the largest."""
        if path not in self.made:
            value = self._given.get(path, self._given.get((ANYWHERE, path[-1])))
            self.made[path] = min(self._otherwise(count) if value is None else value, count - 1)
            self.counts[path] = count
        return self.made[path]

    def choose(self, path: Path, values: Sequence[ChosenValue]) -> ChosenValue:
        """One of the values, of which the first is the simplest."""
        chosen = values[self.pick(path, len(values))]
        if isinstance(chosen, str):
            self.texts[path] = chosen
        return chosen


def simplest(count: int) -> int:  # noqa: ARG001 - whatever the count is
    """The simplest choice."""
    return 0


# Programs behind strategies: how an example follows from choices, and the Hypothesis strategy that draws them.

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
