"""Causes: without which words an example would not fail, and which other failing examples that explains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from biascheck.search.exploration import drawn_from
from biascheck.search.scored_examples import DrawnExample, Reader, Scored, words_in
from biascheck.strategies.choosing import CHOICE_FORMS, Choosing, Path, simplest
from biascheck.strategies.programs import Program

__all__ = ["Cause", "cause_of", "need"]

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
