"""What is known of names and of the words around them: four small tables, read once.

``data/given_names.tsv`` holds the first names of the United States census of 1990 with how many of 100,000 men, women
and bearers of a surname have them (U.S. Census Bureau, "Frequently occurring names and surnames", public domain); a
few that are function words of English are left out. ``data/ambiguous_names.tsv`` says which names are months, places
or words as well; *hard* ones are that first, and a name only where something speaks for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from biascheck.corpora.rewriting.terms import Gender

__all__ = ["CLEAR_SHARE", "GivenName", "ambiguous_names", "context_words", "given_names"]

NameListKind = Literal["month", "place", "hard place", "word", "hard word"]
CLEAR_SHARE = 0.9
"""From this share of one gender on, a first name shows that gender."""
RARE = 1.0
"""Added to the share of bearers of a first name, so that a name nobody has does not divide by zero."""


@dataclass(frozen=True, slots=True)
class GivenName:
    """A first name and how many of 100,000 men, women and bearers of a surname have it."""

    name: str
    male: int
    female: int
    surname: int

    @property
    def surname_odds(self) -> float:
        """How many have it as a surname for each who has it as a first name: Davis 80, Scott 0.9, Mary 0."""
        return self.surname / ((self.male + self.female) / 2 + RARE)

    @property
    def gender(self) -> Gender | None:
        """The gender that it shows, if nine of ten bearers have it."""
        share = self.male / ((self.male + self.female) or 1)
        if share >= CLEAR_SHARE:
            return "male"
        return "female" if share <= 1 - CLEAR_SHARE and self.female else None


@cache
def given_names() -> Mapping[str, GivenName]:
    """First names by their spelling with a capital."""
    rows = (line.split("\t") for line in _lines("given_names.tsv"))
    return {name: GivenName(name, int(male), int(female), int(surname)) for name, male, female, surname in rows}


@cache
def ambiguous_names() -> Mapping[str, frozenset[str]]:
    """Names that are something else as well, and what."""
    rows = (line.split("\t") for line in _lines("ambiguous_names.tsv"))
    return {name: frozenset(kinds.split("|")) for name, kinds in rows}


@cache
def context_words(kind: str) -> frozenset[str]:
    """Words that say what a name beside them is: titles, kin, prepositions of places, nouns of organisations …"""
    tables = dict(line.split("\t") for line in _lines("name_context.tsv"))
    return frozenset(tables[kind].split())


def _lines(name: str) -> list[str]:
    return files("biascheck.corpora").joinpath("data", name).read_text(encoding="utf-8").splitlines()[1:]
