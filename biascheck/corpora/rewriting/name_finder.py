"""Which capitalised words are a person's first name, told from the words around them.

A list of names is not enough: *May* is a month, *London* a city, *Thomas* a surname in "Phoebe Thomas". Every listed
word is looked at in its place. Speaking against a first name: another first name before it (a surname, or, with a
surname behind it, a middle name), a day or a year beside a month, a preposition before a place, "San", "Fort" or
"Lake" before it, "County", "Street" or "Award" behind it, an article, "Mr." without a further name. Speaking for it:
a surname behind it, "Sir" or "Aunt" before it, "his wife", "a girl named", the verb of a person behind it. A word
that its own place does not decide is what it is in the rest of the document; a name that is more often a surname
(census of 1990), a month, a place or a word stays unclear without evidence. Middle names count as first names.

How often this is right was measured on the people that GAP annotates and on words labelled by hand:
``tests/corpora/test_name_finder.py``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache

from biascheck.corpora.rewriting.given_names import GivenName, ambiguous_names, given_names
from biascheck.corpora.rewriting.name_rules import verdict_on
from biascheck.corpora.rewriting.name_surroundings import surroundings
from biascheck.corpora.rewriting.name_verdicts import SURNAME_ODDS, NameFacts, NameKind
from biascheck.spans import Span

__all__ = ["NameFinder", "NameMention", "with_capital"]

FEMININE_ODDS = 0.05
"""A woman's name that so few have as a surname is a first name behind another one as well."""
FEWEST_ALONE = 2
"""From so many different names on, those that are used alone are taken for first names."""
LONELY_ODDS = 0.03
"""A name that fewer have as a surname (Mary, John, Robert) is one even where it is the only one used alone."""
_CAPITALISED = re.compile(r"(?<!\w)(?<!\w['’])[^\W\d_a-z][^\W\d_]+(?!\w|['’]t\b)")


@dataclass(frozen=True, slots=True)
class NameMention:
    """A listed word at its place, and what it is there; ``certain`` where its own surroundings say so."""

    span: Span
    word: str
    kind: NameKind
    certain: bool = False

    @property
    def is_first_name(self) -> bool:
        """Whether it is a first or middle name of a person."""
        return self.kind in ("first name", "middle name")


class NameFinder:
    """Finds the first names of a list in running text; all that the census knows, if no list is given.

    ``alike`` are pairs of names that are decided by the same rules, the stricter ones of the two: so a text whose names
    are swapped for one another comes back when it is swapped again.
    """

    def __init__(self, names: Iterable[str] | None = None, *, alike: Iterable[tuple[str, str]] = ()) -> None:
        listed = given_names() if names is None else map(with_capital, names)
        self._facts = {name: _facts_of(name) for name in listed}
        for one, other in ((with_capital(one), with_capital(other)) for one, other in alike):
            self._facts[one] = self._facts[other] = _stricter(_facts_of(one), _facts_of(other))
        self._known = self._facts.keys() | given_names().keys()

    def mentions(self, text: str) -> tuple[NameMention, ...]:
        """Every listed word that is written with a capital, with what it is."""
        facts = self._facts
        places = [match for match in _CAPITALISED.finditer(text) if match[0] in facts]
        return _by_document([self._mention(text, *place.span()) for place in places], facts)

    def find(self, text: str) -> tuple[Span, ...]:
        """Where first names are."""
        return tuple(mention.span for mention in self.mentions(text) if mention.is_first_name)

    def people(self, text: str) -> tuple[Span, ...]:
        """Where first names are, and names of which it is not clear whether they are first names or surnames."""
        return tuple(mention.span for mention in self.mentions(text) if mention.is_first_name or mention.kind == "name")

    def follows_a_name(self, text: str, start: int) -> bool:
        """Whether a known first name is right before these characters: "King" in "Stephen King"."""
        if start < 2 or text[start - 1] != " ":
            return False
        return text[text.rfind(" ", 0, start - 1) + 1 : start - 1].lstrip("(\"'“‘`") in self._known

    def _mention(self, text: str, start: int, end: int) -> NameMention:
        word = text[start:end]
        verdict = verdict_on(surroundings(text, start, end, self._known), self._facts[word])
        return NameMention(Span(start, end), word, verdict.kind, verdict.certain)


def with_capital(name: str) -> str:
    """The name as it is written in a text."""
    return name[:1].upper() + name[1:]


@cache
def _facts_of(name: str) -> NameFacts:
    known = given_names().get(name, GivenName(name, 0, 0, 0))
    feminine = known.gender == "female" and known.surname_odds < FEMININE_ODDS
    return NameFacts(ambiguous_names().get(name, frozenset()), known.surname_odds, feminine)


def _stricter(one: NameFacts, other: NameFacts) -> NameFacts:
    odds = max(one.surname_odds, other.surname_odds)
    return NameFacts(one.kinds | other.kinds, odds, one.feminine and other.feminine)


def _by_document(mentions: list[NameMention], facts: dict[str, NameFacts]) -> tuple[NameMention, ...]:
    """What is certain of a word in one place decides the places that say nothing.

    Articles give others their full names and call their subject by its surname, stories call everybody by their first
    names: beside full names, one word alone that is never certain may be either; two different ones are first names.
    """
    certain: dict[str, set[NameKind]] = defaultdict(set)
    for mention in mentions:
        if mention.certain:
            certain[mention.word].add(mention.kind)
    full_names = any("first name" in kinds for kinds in certain.values())
    guessed = {mention.word for mention in mentions if mention.kind == "first name" and not mention.certain}

    def decided(mention: NameMention) -> NameMention:
        if mention.certain or mention.kind not in ("first name", "unclear"):
            return mention
        kinds: set[NameKind] = certain.get(mention.word, set())
        known = facts[mention.word]
        first, surname = "first name" in kinds, "surname" in kinds
        if surname and (not first or known.surname_odds >= SURNAME_ODDS):
            return replace(mention, kind="surname")
        if first:
            return replace(mention, kind="first name")
        lonely = full_names and len(guessed) < FEWEST_ALONE and known.surname_odds >= LONELY_ODDS
        return replace(mention, kind="name") if lonely and mention.kind == "first name" else mention

    return tuple(map(decided, mentions))
