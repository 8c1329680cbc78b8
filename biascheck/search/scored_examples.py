"""Examples with their choices and their readings; each distinct example is read once, in blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from biascheck.corpora.corpus import Pair
from biascheck.models.scoring.queries import Refusal
from biascheck.search.invariants import Invariant, VersionScores
from biascheck.search.kept_readings import cached_version_scores
from biascheck.strategies.choosing import Choices, Path

__all__ = ["DrawnExample", "Reader", "Scored", "words_in"]

WORD = re.compile(r"\w+")


def words_in(text: str) -> frozenset[str]:
    """The words of a text, in lower case."""
    return frozenset(WORD.findall(text.lower()))


@dataclass(frozen=True)
class DrawnExample:
    """An example and the choices that made it; none are known of an example from elsewhere.

    ``at_random`` says that nothing but chance chose it, so that it counts for the share of all examples.
    """

    pair: Pair
    choices: Choices = field(default_factory=dict)
    counts: Choices = field(default_factory=dict)
    texts: dict[Path, str] = field(default_factory=dict)
    at_random: bool = False

    @property
    def key(self) -> tuple[str, ...]:
        """What tells it from others: its texts."""
        return tuple(sentence.text for sentence in self.pair.sentences.values())

    @cached_property
    def size(self) -> tuple[int, int, int, tuple[str, ...]]:
        """How simple it is: words, letters, then choices."""
        texts = self.key
        choices = sum(self.choices.values())
        return sum(len(text.split()) for text in texts), sum(map(len, texts)), choices, texts

    @property
    def length(self) -> int:
        """The words of its longest version."""
        return max(len(text.split()) for text in self.key)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of all its versions."""
        return frozenset().union(*map(words_in, self.key))

    @cached_property
    def features(self) -> frozenset[tuple[str, str]]:
        """What was chosen, by kind of slot, wherever in the sentence it is."""
        return frozenset((str(path[-1]), text) for path, text in self.texts.items() if text)


@dataclass(frozen=True)
class Scored:
    """An example with its reading."""

    drawn: DrawnExample
    reading: VersionScores

    @property
    def gap(self) -> float:
        """How far apart its versions are."""
        return self.reading.gap

    @property
    def direction(self) -> tuple[str, str]:
        """The groups with the lowest and the highest figure; of answers, the first two that differ."""
        figures = self.reading.figures
        if any(isinstance(value, str) for value in figures.values()):
            first = next(iter(figures))
            return first, next((group for group in figures if figures[group] != figures[first]), first)
        ordered = sorted(figures, key=lambda group: float(figures[group]))
        return ordered[0], ordered[-1]


class Reader:
    """Reads examples in blocks and remembers every reading."""

    def __init__(self, invariant: Invariant) -> None:
        self._invariant = invariant
        self._known: dict[tuple[str, ...], VersionScores | Refusal] = {}
        self.refused = 0
        self.refusal = ""

    def read(self, block: Sequence[DrawnExample]) -> list[Scored | None]:
        """The readings of a block, in order; none where the model refuses an example."""
        fresh = {one.key: one.pair for one in block if one.key not in self._known}
        if fresh:
            self._known.update(zip(fresh, cached_version_scores(self._invariant, list(fresh.values())), strict=True))
        return [self._scored(one) for one in block]

    def count_refused(self, block: Iterable[DrawnExample]) -> None:
        """Remember how many of a block have no reading, and why."""
        for one in block:
            if isinstance(found := self._known[one.key], Refusal):
                self.refused += 1
                self.refusal = self.refusal or found.reason

    def _scored(self, one: DrawnExample) -> Scored | None:
        found = self._known[one.key]
        return None if isinstance(found, Refusal) else Scored(one, found)
