"""Where a search looks: at random first, then where words meet that have not met, and near the worst examples.

Random examples say how common a failure is. The rest is guided: half of it has a word that no example has had, or two
that no example has had together; the other half changes or combines the worst ones, as soon as some are worse than
others.

A model that does not see the person of a sentence, such as a masked language model, reads "[MASK] was ill" once for
James, Mary and everybody else. With it, every sentence is tried about several people, its *companions*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from random import Random
from typing import Any

from biascheck.corpora.corpus import Pair
from biascheck.search.scored_examples import DrawnExample, Scored
from biascheck.strategies.choosing import ANYWHERE, CHOICE_FORMS, Choices, Choosing, Path, simplest
from biascheck.strategies.programs import Program

__all__ = ["EXPLORED_AT_ONCE", "Exploration", "drawn_from"]

EXPLORED_AT_ONCE = 250
CANDIDATES = 5
ATTEMPTS = 30
REPETITIONS = 3
"""How often a guided example is drawn anew because it has been tried already."""
PERSON_CHOICE = "person"
UNCOUNTED = (*CHOICE_FORMS, PERSON_CHOICE)
NO_AIM = (PERSON_CHOICE, "joint")
"""Kinds of choices that are no aim by themselves."""
PARENTS = 20


def drawn_from(program: Program[Any], choosing: Choosing) -> DrawnExample:
    """The example of some choices."""
    pair = program.build(choosing)
    return DrawnExample(pair, choosing.made, choosing.counts, choosing.texts)


class Exploration:
    """Draws examples of a program, each sentence about so many ``people``; the same seed draws the same ones."""

    def __init__(self, program: Program[Any], seed: str, people: int = 1) -> None:
        self._program = program
        self._rng = Random(seed)
        self._people = people
        self._companions = _companions(program) if people > 1 else {}
        self._met: set[tuple[Any, Any]] = set()
        self._unseen: dict[str, set[int]] = {}
        self._tried: set[tuple[str, ...]] = set()
        self.values: dict[tuple[str, str], int] = {}
        self._words: list[tuple[str, str]] = []

    @property
    def has_companions(self) -> bool:
        """Whether there are sentences that are tried about several people."""
        return any(len(alike) > 1 for alike in self._companions.values())

    def random(self, count: int) -> list[DrawnExample]:
        """Examples at random, independent of each other; their companions are not ``at_random``."""
        drawn: list[DrawnExample] = []
        while len(drawn) < count:
            drawn += self._with_companions(replace(self._draw({}), at_random=True))
        return drawn[:count]

    def guided(self, count: int, known: Sequence[Scored], *, bound: float) -> list[DrawnExample]:
        """Examples where nobody has looked, and near the worst ones so far.

        As long as nothing fails, half of them are near the worst; then a quarter, as there may be other causes.
        """
        parents = self._parents(known)
        every = 4 if parents and parents[0].gap > bound else 2
        near = partial(self._near, parents)
        drawn: list[DrawnExample] = []
        sentences = 0
        while len(drawn) < count:
            sentences += 1
            make = near if parents and sentences % every == 0 else self._unmet
            drawn += self._with_companions(self._untried(make))
        return drawn[:count]

    def _untried(self, make: Callable[[], DrawnExample]) -> DrawnExample:
        one = make()
        for _ in range(REPETITIONS):
            if one.key not in self._tried:
                break
            one = make()
        return one

    def _with_companions(self, one: DrawnExample) -> list[DrawnExample]:
        """An example, and the same sentence about other people where a model that sees nobody reads it once."""
        person = one.choices.get((PERSON_CHOICE,), 0)
        others = [value for value in self._companions.get(person, ()) if value != person]
        chosen = self._rng.sample(others, min(len(others), self._people - 1))
        return [
            self._noted(one),
            *(self._noted(self._draw({**one.choices, (PERSON_CHOICE,): value})) for value in chosen),
        ]

    def _draw(self, given: Choices) -> DrawnExample:
        return drawn_from(self._program, Choosing(given, self._rng.randrange))

    def _noted(self, one: DrawnExample) -> DrawnExample:
        self._tried.add(one.key)
        self._met.update(_meetings(one))
        for path, text in one.texts.items():
            word = str(path[-1]), text
            if path in one.counts and path[-1] not in NO_AIM:
                self._unseen.setdefault(word[0], set(range(one.counts[path]))).discard(one.choices[path])
            if word not in self.values:
                self.values[word] = one.choices[path]
                if text and path[-1] not in UNCOUNTED:
                    self._words.append(word)
        return one

    def _unmet(self) -> DrawnExample:
        """Of a few examples, the one in which most words meet that have not met before."""
        given = self._newcomer() or self._strangers()
        drawn = [self._draw(given) for _ in range(CANDIDATES)]
        return max(drawn, key=lambda one: sum(meeting not in self._met for meeting in _meetings(one)))

    def _newcomer(self) -> dict[Path, int]:
        """A choice that no example has had, proposed once: there may be no sentence for it."""
        kinds = sorted(kind for kind, values in self._unseen.items() if values)
        if not kinds:
            return {}
        kind = self._rng.choice(kinds)
        value = self._rng.choice(sorted(self._unseen[kind]))
        self._unseen[kind].discard(value)
        return {(ANYWHERE, kind): value}

    def _strangers(self) -> dict[Path, int]:
        """Two words that no example has had together."""
        for _ in range(ATTEMPTS if len(self._words) > 1 else 0):
            first, second = sorted(self._rng.sample(self._words, 2))
            if first[0] != second[0] and (first, second) not in self._met:
                return {(ANYWHERE, kind): self.values[kind, text] for kind, text in (first, second)}
        return {}

    def _parents(self, known: Sequence[Scored]) -> list[Scored]:
        """The worst examples, each of another sentence, if they are worse than the common one."""
        ordered = sorted(known, key=lambda one: (-one.gap, one.drawn.size))
        if not ordered or ordered[0].gap <= ordered[len(ordered) // 2].gap:
            return []
        sentences: dict[frozenset[tuple[Path, int]], Scored] = {}
        for one in ordered:
            sentences.setdefault(frozenset(_without_person(one.drawn).items()), one)
            if len(sentences) == PARENTS:
                break
        return list(sentences.values())

    def _near(self, parents: Sequence[Scored]) -> DrawnExample:
        """A child of one of the worst: some choices drawn anew, or taken from another one."""
        parent = dict(self._rng.choice(parents).drawn.choices)
        paths = list(parent)
        if len(parents) > 1 and self._rng.random() < 0.5:
            other = self._rng.choice(parents).drawn.choices
            taken = {path: value for path, value in other.items() if self._rng.random() < 0.5}
            return self._draw({**parent, **taken})
        for path in self._rng.sample(paths, min(len(paths), self._rng.randint(1, 2))):
            del parent[path]
        return self._draw(parent)


def _without_person(one: DrawnExample) -> dict[Path, int]:
    return {path: value for path, value in one.choices.items() if path[-1] != PERSON_CHOICE}


def _companions(program: Program[Any]) -> dict[int, list[int]]:
    """For each person, all those with whom a sentence is the same but for the person: "my" son is not "the" boy.

    Looked up in the longest sentence, which has most pronouns.
    """
    alike: dict[tuple[str, ...], list[int]] = {}
    for value in range(drawn_from(program, Choosing({}, simplest)).counts.get((PERSON_CHOICE,), 0)):
        other = drawn_from(program, Choosing({(PERSON_CHOICE,): value}, lambda count: count - 1))
        alike.setdefault(_without_target(other.pair), []).append(value)
    return {value: values for values in alike.values() for value in values}


def _without_target(pair: Pair) -> tuple[str, ...]:
    return tuple(one.text[: one.target.start] + one.text[one.target.end :] for one in pair.sentences.values())


def _meetings(one: DrawnExample) -> Iterator[tuple[Any, Any]]:
    """The pairs of words that were chosen, whatever the form of the sentence and whoever it is about."""
    return combinations(sorted(word for word in one.features if word[0] not in UNCOUNTED), 2)
