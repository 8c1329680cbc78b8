"""Where a search looks: at random first, then where words meet that have not met, and near the worst examples.

Random examples say how common a failure is. The rest is guided: half of it brings two words together that no example
has had together, the other half changes or combines the worst ones, as soon as some are worse than others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random
from typing import Any

from biascheck.search.scored_examples import Drawn, Scored
from biascheck.strategies.choosing import ANYWHERE, FORMS, Choices, Choosing, Path
from biascheck.strategies.programs import Program

__all__ = ["BLOCK", "Exploration", "drawn_from"]

BLOCK = 250
CANDIDATES = 5
ATTEMPTS = 30
PERSON = "person"
UNCOUNTED = (*FORMS, PERSON)
PARENTS = 20


def drawn_from(program: Program[Any], choosing: Choosing) -> Drawn:
    """The example of some choices."""
    pair = program.build(choosing)
    return Drawn(pair, choosing.made, choosing.counts, choosing.texts)


class Exploration:
    """Draws examples of a program; the same seed draws the same ones."""

    def __init__(self, program: Program[Any], seed: str) -> None:
        self._program = program
        self._rng = Random(seed)
        self._met: set[tuple[Any, Any]] = set()
        self.values: dict[tuple[str, str], int] = {}
        self._words: list[tuple[str, str]] = []

    def random(self, count: int) -> list[Drawn]:
        """Examples at random."""
        return [self._noted(self._draw({})) for _ in range(count)]

    def guided(self, count: int, known: Sequence[Scored], *, bound: float, people: int = 1) -> list[Drawn]:
        """Examples where nobody has looked, and near the worst ones so far, each about so many ``people`` in turn.

        As long as nothing fails, half of them are near the worst; then a quarter, as there may be other causes.
        """
        parents = self._parents(known)
        every = 4 if parents and parents[0].gap > bound else 2
        drawn: list[Drawn] = []
        while len(drawn) < count:
            near = parents and (len(drawn) // people) % every == every - 1
            one = self._near(parents) if near else self._unmet()
            drawn += map(self._noted, [one, *(self._about_another(one) for _ in range(people - 1))])
        return drawn[:count]

    def _about_another(self, one: Drawn) -> Drawn:
        return self._draw({path: value for path, value in one.choices.items() if path[-1] != PERSON})

    def _draw(self, given: Choices) -> Drawn:
        return drawn_from(self._program, Choosing(given, self._rng.randrange))

    def _noted(self, one: Drawn) -> Drawn:
        self._met.update(_meetings(one))
        for path, text in one.texts.items():
            word = str(path[-1]), text
            if word not in self.values:
                self.values[word] = one.choices[path]
                if text and path[-1] not in UNCOUNTED:
                    self._words.append(word)
        return one

    def _unmet(self) -> Drawn:
        """Of a few examples, the one in which most words meet that have not met before."""
        wanted = self._strangers()
        given: dict[Path, int] = {(ANYWHERE, kind): self.values[kind, text] for kind, text in wanted}
        drawn = [self._draw(given) for _ in range(CANDIDATES)]
        return max(drawn, key=lambda one: sum(meeting not in self._met for meeting in _meetings(one)))

    def _strangers(self) -> tuple[tuple[str, str], ...]:
        for _ in range(ATTEMPTS if len(self._words) > 1 else 0):
            first, second = sorted(self._rng.sample(self._words, 2))
            if first[0] != second[0] and (first, second) not in self._met:
                return first, second
        return ()

    def _parents(self, known: Sequence[Scored]) -> list[Scored]:
        """The worst examples, if they are worse than the common one."""
        ordered = sorted(known, key=lambda one: (-one.gap, one.drawn.size))
        if not ordered or ordered[0].gap <= ordered[len(ordered) // 2].gap:
            return []
        return ordered[:PARENTS]

    def _near(self, parents: Sequence[Scored]) -> Drawn:
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


def _meetings(one: Drawn) -> Iterator[tuple[Any, Any]]:
    """The pairs of words that were chosen, whatever the form of the sentence and whoever it is about."""
    return combinations(sorted(word for word in one.features if word[0] not in UNCOUNTED), 2)
