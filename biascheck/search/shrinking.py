"""Shrinking: the smallest example that still exceeds the bound, found by trying all simpler neighbours in blocks.

A neighbour has a clause less, another frame or verb, or another word in one slot; words may move to another slot of
their kind. In a last step short sentences are built from the words that the failure needs. Of all that exceed the
bound the simplest is kept, until none is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from biascheck.search.exploration import drawn_from
from biascheck.search.scored_examples import DrawnExample, Reader, Scored, words_in
from biascheck.strategies.choosing import ANYWHERE, CHOICE_FORMS, Choices, Choosing, Path, simplest
from biascheck.strategies.programs import Program

__all__ = ["Shrinking"]

SHRUNK_AT_ONCE = 64
MOST_SHRINK_ALTERNATIVES = 120


class Shrinking:
    """Makes failing examples smaller: ``fails`` says whether one still fails, ``effort`` how many may be tried."""

    def __init__(self, program: Program[Any], reader: Reader, fails: Callable[[Scored], bool], effort: int) -> None:
        self._program = program
        self._reader = reader
        self._fails = fails
        self._left = effort

    def smallest(self, found: Scored) -> Scored:
        """The end of the road from one failing example."""
        while self._left > 0 and (smaller := self._first_failing(self._neighbours(found.drawn))) is not None:
            found = smaller
        return found

    def rebuilt(self, found: Scored, needed: Sequence[str], values: Mapping[tuple[str, str], int]) -> Scored:
        """The smallest short sentence with the needed words that fails too, or the one there was."""
        if not needed:
            return found
        candidates = self._built_from(found.drawn, needed, values)
        smaller = self._first_failing(candidates)
        return found if smaller is None else self.smallest(smaller)

    def _first_failing(self, candidates: Iterable[DrawnExample]) -> Scored | None:
        """The simplest that fails, a block of the simplest ones at a time."""
        ordered = sorted({one.key: one for one in candidates}.values(), key=lambda one: one.size)
        for start in range(0, len(ordered), SHRUNK_AT_ONCE):
            block = ordered[start : start + SHRUNK_AT_ONCE]
            self._left -= len(block)
            for scored in self._reader.read(block):
                if scored is not None and self._fails(scored):
                    return scored
            if self._left <= 0:
                return None
        return None

    def _neighbours(self, one: DrawnExample) -> Iterator[DrawnExample]:
        kept: dict[Path, int] = {
            (ANYWHERE, path[-1]): value for path, value in one.choices.items() if isinstance(path[-1], str)
        }
        for given in self._moves(one):
            for moved in _with_words_elsewhere(one, given):
                yield from self._if_simpler({**kept, **moved}, one)

    def _if_simpler(self, given: Choices, than: DrawnExample) -> Iterator[DrawnExample]:
        made = drawn_from(self._program, Choosing(given, simplest))
        if made.size < than.size:
            yield made

    def _moves(self, one: DrawnExample) -> Iterator[Choices]:
        yield one.choices
        yield from _shorter_lists(one.choices)
        for path, count in one.counts.items():
            if path[-1] in CHOICE_FORMS or count <= MOST_SHRINK_ALTERNATIVES:
                top = count if path[-1] in CHOICE_FORMS else one.choices[path]
                yield from ({**one.choices, path: value} for value in range(top))
            else:
                yield from ({**one.choices, path: value} for value in _halved(one.choices[path]))

    def _built_from(
        self, one: DrawnExample, needed: Sequence[str], values: Mapping[tuple[str, str], int]
    ) -> Iterator[DrawnExample]:
        carriers = [[entry for entry in values.items() if word in words_in(entry[0][1])] for word in needed]
        forms = [
            path for path in one.counts if path[-1] in CHOICE_FORMS and (len(path) < 2 or path[1] in (0, path[-1]))
        ]
        for chosen in product(*carriers):
            words: dict[Path, int] = {
                (ANYWHERE, kind): value for (kind, _), value in chosen if kind not in CHOICE_FORMS
            }
            fixed: dict[Path, int] = {path: one.choices[path] for path in forms if len(path) == 1}
            for path in forms:
                for value in range(one.counts[path]):
                    for base in (fixed, {}):
                        made = drawn_from(self._program, Choosing({**words, **base, path: value}, simplest))
                        if made.size < one.size and set(needed) <= made.words:
                            yield made


def _with_words_elsewhere(one: DrawnExample, given: Choices) -> Iterator[Choices]:
    """The choices as they are; then, for each kind of slot with several words, each of them in all slots."""
    yield given
    kinds: dict[str, set[int]] = {}
    for path, value in one.choices.items():
        if isinstance(path[-1], str) and path[-1] not in CHOICE_FORMS:
            kinds.setdefault(path[-1], set()).add(value)
    for kind, values in kinds.items():
        if len(values) > 1:
            others = {path: value for path, value in given.items() if path[-1] != kind}
            yield from ({**others, (ANYWHERE, kind): value} for value in sorted(values))


def _shorter_lists(choices: Choices) -> Iterator[Choices]:
    """Without one of several clauses: those behind it move up."""
    for counter, value in choices.items():
        if len(counter) != 1 or not isinstance(counter[0], str) or not value:
            continue
        name = counter[0].removesuffix("s")
        if name == counter[0]:
            continue
        for left_out in range(value + 1):
            yield {**_without(choices, name, left_out), counter: value - 1}


def _without(choices: Choices, name: str, left_out: int) -> dict[Path, int]:
    kept: dict[Path, int] = {}
    for path, value in choices.items():
        if len(path) > 1 and path[0] == name and isinstance(path[1], int):
            if path[1] != left_out:
                kept[(name, path[1] - (path[1] > left_out), *path[2:])] = value
        else:
            kept[path] = value
    return kept


def _halved(value: int) -> Iterator[int]:
    """0, then values that come closer to the present one."""
    step = value
    while step:
        yield value - step
        step //= 2
