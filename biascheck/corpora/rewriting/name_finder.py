"""Finder of first names: decides from the surrounding words which capitalised words are a person's first name.

A list of names is not enough: *May* is a month, *London* a city, *Thomas* a surname in "Phoebe Thomas". Every listed
word is looked at in its context. Evidence against a first name: another first name before it (a surname, or, with a
surname behind it, a middle name), a day or a year beside a month, a preposition before a place, "San", "Fort" or
"Lake" before it, "County", "Street" or "Award" behind it, an article, "Mr." without a further name, the title of a
song or a film around it. Evidence for it: a surname behind it, "Sir" or "Aunt" before it, "his wife", "a girl named",
a verb about a person behind it. A word that its own context does not decide gets the reading it has in the rest of
the document; names used alone are first names in a story, and may be surnames in an article. A name that is more often
a surname (census of 1990), a month, a place or a word stays unclear without evidence. Middle names count as first
names.

How often this is right was measured on the people that GAP annotates, on words labelled by hand, and on swapped names
of documents that were held out: ``tests/corpora/rewriting/test_name_finder.py``.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from biascheck.core.spans import Span
from biascheck.corpora.rewriting.name_rules import verdict_on
from biascheck.corpora.rewriting.name_surroundings import (
    SURNAME_ODDS,
    GivenName,
    NameFacts,
    NameKind,
    ambiguous_names,
    given_names,
    surroundings,
)

FEMININE_ODDS = 0.05
"""A woman's name this rare as a surname is a first name even behind another first name."""
FEWEST_ALONE = 2
"""If at least this many different names are used alone, they are taken for first names."""
LONELY_ODDS = 0.006
"""A name that is rarer than this as a surname (Emma, Kevin) is a first name even if it is the only one used alone."""
FULL_NAMES = 2
"""With more full names than this per name used alone, a text is no story: names used alone are surnames."""
SHORT = 200
"""A text of fewer characters is a sentence or two."""
STORY_ODDS = 3.0
"""Where people are called by first names, a name no more common than this as a surname is a first name, too."""
HARD = frozenset({"hard word", "hard place", "month"})
_CAPITALISED = re.compile(r"(?<!\w)(?<!\w['’])[^\W\d_a-z][^\W\d_]+(?!\w|\*\w|['’]t\b)")


@dataclass(frozen=True, slots=True)
class NameMention:
    """A listed word in its context, and what it is there; ``certain`` if its own context decides."""

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

    ``alike`` are pairs of names that are decided by the same rules, the stricter ones of the two, so that swapping
    names twice restores a text.
    """

    def __init__(self, names: Iterable[str] | None = None, *, alike: Iterable[tuple[str, str]] = ()) -> None:
        listed = given_names() if names is None else map(with_capital, names)
        self._facts = {name: _facts_of(name) for name in listed}
        for one, other in ((with_capital(one), with_capital(other)) for one, other in alike):
            self._facts[one] = self._facts[other] = _stricter(_facts_of(one), _facts_of(other))
        self._known = self._facts.keys() | given_names().keys()

    def mentions(self, text: str) -> tuple[NameMention, ...]:
        """Every listed word that is written with a capital, with its reading."""
        places = [match for match in _CAPITALISED.finditer(text) if match[0] in self._known]
        if not any(place[0] in self._facts for place in places):
            return ()
        each = [self._mention(text, *place.span()) for place in places]
        found = _by_document(each, self._facts_of, short=len(text) < SHORT)
        return tuple(mention for mention in found if mention.word in self._facts)

    def find(self, text: str) -> tuple[Span, ...]:
        """The spans of first names."""
        return tuple(mention.span for mention in self.mentions(text) if mention.is_first_name)

    def people(self, text: str) -> tuple[Span, ...]:
        """The spans of first names, and of names that may be first names or surnames."""
        return tuple(mention.span for mention in self.mentions(text) if mention.is_first_name or mention.kind == "name")

    def follows_a_name(self, text: str, start: int) -> bool:
        """Whether a known first name is right before these characters: "King" in "Stephen King"."""
        if start < 2 or text[start - 1] != " ":
            return False
        return text[text.rfind(" ", 0, start - 1) + 1 : start - 1].lstrip("(\"'“‘`") in self._known

    def _mention(self, text: str, start: int, end: int) -> NameMention:
        word = text[start:end]
        verdict = verdict_on(surroundings(text, start, end, self._known), self._facts_of(word))
        return NameMention(Span(start, end), word, verdict.kind, verdict.certain)

    def _facts_of(self, word: str) -> NameFacts:
        return self._facts[word] if word in self._facts else _facts_of(word)


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


def _by_document(
    mentions: list[NameMention], facts: Callable[[str], NameFacts], *, short: bool
) -> tuple[NameMention, ...]:
    """Decide the uncertain occurrences of a word by its certain ones.

    Articles call their subject by its surname, stories call everybody by their first names: one word alone that is
    never certain may be either. Where two different ones are used alone, both are first names, and so are those that
    would be surnames elsewhere. A ``short`` text without full names shows no such habit, and a name is taken for what
    it mostly is.
    """
    document = _DocumentNames.of(mentions, short=short)
    return tuple(
        replace(mention, kind=document.kind_of(mention, facts(mention.word)))
        if not mention.certain and mention.kind in ("first name", "unclear")
        else mention
        for mention in mentions
    )


@dataclass(frozen=True, slots=True)
class _DocumentNames:
    """Evidence of all mentions in a text: what is certain, what follows other names, how people are called."""

    certain: Mapping[str, Set[NameKind]]
    behind: Set[str]
    counts: Mapping[str, int]
    style: Literal["story", "article", "none"]

    @classmethod
    def of(cls, mentions: Sequence[NameMention], *, short: bool) -> _DocumentNames:
        certain: dict[str, set[NameKind]] = defaultdict(set)
        for mention in mentions:
            if mention.certain:
                certain[mention.word].add(mention.kind)
        alone = {mention.word for mention in mentions if mention.kind == "first name" and not mention.certain}
        full = {word for word, kinds in certain.items() if "first name" in kinds} - alone
        behind = {mention.word for mention in mentions if mention.kind == "surname"}
        story = len(alone) >= FEWEST_ALONE and FULL_NAMES * len(alone) >= len(full)
        style: Literal["story", "article", "none"] = "story" if story else "none" if short and not full else "article"
        return cls(certain, behind, Counter(mention.word for mention in mentions), style)

    def kind_of(self, mention: NameMention, known: NameFacts) -> NameKind:
        """The reading of a word that its own context leaves open."""
        kinds = self.certain.get(mention.word, frozenset())
        if "surname" in kinds and ("first name" not in kinds or known.surname_odds >= SURNAME_ODDS):
            return "surname"
        if "first name" in kinds:
            return "first name"
        if mention.word in self.behind:
            return "surname"
        if mention.kind == "unclear":
            return "first name" if self.style == "story" and self._is_character(mention.word, known) else "unclear"
        return "name" if self.style == "article" and known.surname_odds >= LONELY_ODDS else "first name"

    def _is_character(self, word: str, known: NameFacts) -> bool:
        """Whether a surname, place or word is a person in a story; the latter two only if they occur more than once."""
        often = self.counts[word] >= FEWEST_ALONE and not known.kinds & HARD
        return (not known.kinds or often) and known.surname_odds < STORY_ODDS
