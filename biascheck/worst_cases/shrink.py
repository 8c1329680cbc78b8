"""Shrinking: the smallest example that still exceeds the bound, and the words without which it would not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from typing import Any

from biascheck.worst_cases.exploration import DrawnExample, Reader, Scored, drawn_from, words_in
from biascheck.worst_cases.programs import ANYWHERE, CHOICE_FORMS, Choices, Choosing, Path, Program, simplest
from biascheck.worst_cases.strategies import checked_pair, drawn_pairs, run_on_examples

# Shrinking: the smallest example that still exceeds the bound, found by trying all simpler neighbours in
# blocks.
#
# A neighbour has a clause less, another frame or verb, or another word in one slot; words may move to another
# slot of their kind. In a last step short sentences are built from the words that the failure needs. Of all
# that exceed the bound the simplest is kept, until none is left.

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
        """The smallest example reached from one failing example."""
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


# Causes: the words that an example needs in order to fail, and the other failing examples that they explain.

MOST_CAUSE_ALTERNATIVES = 60
ENOUGH = 4
"""If one of so many other words fails as well, the word is no part of the cause."""


@dataclass(frozen=True)
class Need:
    """Something that an example needs in order to fail: words, or what was chosen in a slot of some kind."""

    kind: str
    text: str
    words: frozenset[str]

    def is_met_by(self, one: DrawnExample) -> bool:
        """Whether another example has it too."""
        return self.words <= one.words or (self.kind, self.text) in one.features

    @property
    def is_word(self) -> bool:
        """Whether it is a word in a slot rather than the form of the sentence."""
        return self.kind not in CHOICE_FORMS

    @property
    def shown(self) -> str:
        """The words in the order in which they are written."""
        whole = words_in(self.text)
        if self.words == whole or not self.words:
            return self.text
        return " ".join(word for word in self.text.lower().split() if word in self.words)


def need(kind: str, text: str) -> Need:
    """The need of all words of a text."""
    return Need(kind, text, words_in(text))


@dataclass(frozen=True)
class Cause:
    """What an example needs in order to fail, and which groups are furthest apart then."""

    needs: tuple[Need, ...]
    direction: tuple[str, str]

    def explains(self, other: Scored) -> bool:
        """Whether another failing example has all of it."""
        return other.direction == self.direction and all(one.is_met_by(other.drawn) for one in self.needs)


def cause_of(found: Scored, program: Program[Any], reader: Reader, fails: Callable[[Scored], bool]) -> Cause:
    """Try other words in every slot: where few of them fail, the word is part of the cause."""
    drawn = found.drawn
    trials = {path: _alternatives(drawn, path, program) for path in drawn.texts}
    reader.read([one for listed in trials.values() for one in listed])
    needs = [_need(drawn, path, listed, reader, fails) for path, listed in trials.items() if drawn.texts[path]]
    return Cause(tuple(one for one in needs if one is not None), found.direction)


def _alternatives(drawn: DrawnExample, path: Path, program: Program[Any]) -> list[DrawnExample]:
    """Other choices at one place; another form of the sentence only where it keeps all the other words."""
    count = drawn.counts.get(path, 1)
    others = [value for value in range(count) if value != drawn.choices[path]]
    step = max(1, len(others) // MOST_CAUSE_ALTERNATIVES)
    made = [drawn_from(program, Choosing({**drawn.choices, path: value}, simplest)) for value in others[::step]]
    rest = {
        (str(other[-1]), text) for other, text in drawn.texts.items() if other != path and other[-1] not in CHOICE_FORMS
    }
    return [one for one in made if one.key != drawn.key and {entry for entry in rest if entry[1]} <= one.features]


def _need(
    drawn: DrawnExample,
    path: Path,
    alternatives: Sequence[DrawnExample],
    reader: Reader,
    fails: Callable[[Scored], bool],
) -> Need | None:
    scored = [one for one in reader.read(alternatives) if one is not None]
    failing = [one for one in scored if fails(one)]
    if not scored or ENOUGH * len(failing) >= len(scored):
        return None
    text = drawn.texts[path]
    common = words_in(text).intersection(*(words_in(one.drawn.texts.get(path, "")) for one in failing))
    return Need(str(path[-1]), text, common or words_in(text))


# Strategies that are not ours, or were filtered or mapped: Hypothesis draws their blocks and shrinks what
# fails.

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

    Hypothesis has to find the failure by itself, so it draws the same examples again, whose readings are known.
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
