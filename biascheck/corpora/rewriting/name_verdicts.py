"""What a capitalised word can be, and what is known of a name before it is looked at in a text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from biascheck.corpora.rewriting.name_surroundings import Surroundings

__all__ = ["SURNAME_ODDS", "NameFacts", "NameKind", "NameVerdict", "Rule"]

NameKind = Literal[
    "first name",
    "middle name",
    "surname",
    "name",
    "month",
    "place",
    "organisation",
    "work",
    "word",
    "compound",
    "unclear",
]
"""``work`` is part of the title of a film, song or book, ``name`` is a first name or a surname, ``unclear`` may be no
name at all."""
SURNAME_ODDS = 0.25
"""A name that this many have as a surname, for each who has it as a first name, is no first name without evidence."""


@dataclass(frozen=True, slots=True)
class NameFacts:
    """What is known of a name before it is looked at in a text.

    ``feminine`` names are those of women that are hardly ever a surname: behind another first name they are a second
    one ("Sarah Jane"), while "Elton John" has a surname.
    """

    kinds: frozenset[str]
    surname_odds: float
    feminine: bool = False

    @property
    def clear(self) -> bool:
        """Whether it is hardly ever anything but a first name."""
        return not self.kinds and self.surname_odds < SURNAME_ODDS


@dataclass(frozen=True, slots=True)
class NameVerdict:
    """What a word is; ``certain`` where the words around it say so, else by default."""

    kind: NameKind
    certain: bool = True


Rule = Callable[[Surroundings, NameFacts], NameVerdict | None]
