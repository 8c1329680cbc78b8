"""The neighbourhood of a capitalised word: the name it is part of, and the words on either side of that name."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Literal

from biascheck.core.spans import Span
from biascheck.corpora.rewriting.terms import Gender

# Tables of names and of the words around them: four small ones, read once.
#
# ``data/given_names.tsv`` contains the first names of the United States census of 1990 with how many of 100,000
# men, women and bearers of a surname have them (U.S. Census Bureau, "Frequently occurring names and surnames",
# public domain); a few that are function words of English are left out. ``data/ambiguous_names.tsv`` says which
# names are months, places or words as well; *hard* ones are that first, and a name only where something speaks
# for it.

CLEAR_SHARE = 0.9
"""From this share of one gender on, a first name shows that gender."""
RARE = 1.0
"""Added to the share of bearers of a first name, so that a name without bearers does not divide by zero."""


@dataclass(frozen=True, slots=True)
class GivenName:
    """A first name and how many of 100,000 men, women and bearers of a surname have it."""

    name: str
    male: int
    female: int
    surname: int

    @property
    def surname_odds(self) -> float:
        """Bearers of the surname per bearer of the first name: Davis 80, Scott 0.9, Mary 0."""
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
    """Names that are also something else, and what."""
    rows = (line.split("\t") for line in _lines("ambiguous_names.tsv"))
    return {name: frozenset(kinds.split("|")) for name, kinds in rows}


@cache
def context_words(kind: str) -> frozenset[str]:
    """Words that classify a name beside them: titles, kin, prepositions of places, nouns of organisations …"""
    tables = dict(line.split("\t") for line in _lines("name_context.tsv"))
    return frozenset(tables[kind].split())


def _lines(name: str) -> list[str]:
    return files("biascheck.corpora").joinpath("data", name).read_text(encoding="utf-8").splitlines()[1:]


# Titles of songs, films and books in a text: a name inside one is not a person of the text.
#
# A title in quotation marks is distinguished from a nickname (``Tony'') and from speech by its words: it is
# short, its long words have capitals, and it is more than one name ("Calling on Mary"). A quotation beside
# another one is in a list of titles. Without quotation marks, a capital on a small word beside the name ("How
# Helga Got Her Boat") reveals it.

LONGEST_TITLE = 90
SMALL = 4
"""Words of fewer letters may be lower-case in a title."""
_QUOTED = re.compile(
    rf"''([^'`]{{2,{LONGEST_TITLE}}}?)``|``([^`]{{2,{LONGEST_TITLE}}}?)''|“([^“”]{{2,{LONGEST_TITLE}}})”|\"([^\"\n]{{2,{LONGEST_TITLE}}})\""
    rf"|(?<![\w'’`])'([A-Z][^'`\n]{{1,{LONGEST_TITLE}}})'(?![\w'])"
)
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_LAST_WORD = re.compile(r"([^\W\d_]+)\W*$")
_EPITHET = re.compile(r"[A-Z]\w+ (?:the|of) [A-Z]\w+")
_BETWEEN = re.compile(r"\W*(?:\(\d{4}\)\W*)?(?:and|or|&)?\W*")


def in_a_title(text: str, start: int, end: int) -> bool:
    """Whether these characters are part of a title in quotation marks."""
    return any(title.start <= start and end <= title.end for title in _titles(text))


def title_words(words: Sequence[str]) -> bool:
    """Whether one of these words, all capitalised, is a small word or a verb that is capitalised only in titles."""
    return any(word.lower() in context_words("title word") and word[1:].islower() for word in words)


@lru_cache(maxsize=4)
def _titles(text: str) -> tuple[Span, ...]:
    quoted = list(_quotations(text))
    listed = {
        span
        for one, other in pairwise(quoted)
        if _BETWEEN.fullmatch(text[one.end : other.start].replace("'", "").replace("`", ""))
        for span in (one, other)
    }
    return tuple(
        span
        for span in quoted
        if _is_title_word(span.of(text), alone=span in listed or _announced(text, span) or _stands_alone(text, span))
    )


def _quotations(text: str) -> Iterator[Span]:
    for match in _QUOTED.finditer(text):
        group = match.lastindex or 0
        yield Span(match.start(group), match.end(group))


def _announced(text: str, quoted: Span) -> bool:
    """Whether the word before the quotation marks identifies the quotation: the song "Misty", two episodes, "Anna"."""
    noun = _LAST_WORD.search(text, max(0, quoted.start - 30), quoted.start)
    return noun is not None and noun[1].lower().removesuffix("s") in context_words("work") | {"serie"}


def _stands_alone(text: str, quoted: Span) -> bool:
    """Whether nothing beside the quotation marks says that they contain a nickname, an alias or a role."""
    before, after = text[: quoted.start].rstrip("`'\"“‘ ,("), text[quoted.end :].lstrip("`'\"”’ ")
    last = _LAST_WORD.search(before[-30:])
    called = last is not None and (last[1][0].isupper() or last[1].lower() in context_words("called"))
    return not called and not after[:1].isupper()


def _is_title_word(quoted: str, *, alone: bool) -> bool:
    """Whether it is written like a title; ``alone`` if its context makes even a single name one."""
    words = _WORD.findall(quoted)
    if not words or not words[0][0].isupper() or _EPITHET.fullmatch(quoted.strip(" ,.!")):
        return False
    if any(len(word) >= SMALL and not word[0].isupper() for word in words):
        return False
    more = re.search(r"['’]s [A-Z]|&", quoted) or "," in quoted.rstrip(" ,")
    return alone or (len(words) > 1 and (bool(more) or any(w.lower() in context_words("title word") for w in words)))


NAME_WINDOW = 72
"""The number of characters on each side that are examined."""
LONGEST_NAME = 4
"""The number of words before and after a word that can be part of its name."""

_TOKEN = re.compile(
    r"(?:Mrs?|Ms|Dr|St|Ste|Jr|Sr|Prof|Rev|Gen|Col|Capt|Lt|Sgt|Sen|Gov|Hon|Rep|Mt|Ft|Inc|Ltd|Messrs|Maj|Det)\.(?!\w)"
    r"|(?:(?<=\s)|(?<=^)|(?<=[.(\"“]))[A-Z]\.|['’]s\b|\d+(?:st|nd|rd|th)?|[^\W\d_]+(?:['’-](?!s\b)[^\W\d_]+)*|&|[^\w\s]"
)
_NICKNAME = re.compile(
    r"([A-Z][^\W\d_]+) (?:``[A-Z][^`']{1,20}''|“[A-Z][^“”]{1,20}”|\"[A-Z][^\"]{1,20}\"|'[A-Z]\w+'|\([A-Z][a-z]+\)) $"
)
_YEAR = re.compile(r"\( (?:1[5-9]|20)\d\d \)(?! -)")
_JOINING = ("and", "&", "of", "on", "in", "the")
_ELIDED = re.compile(r"[dl]['’][A-Z]")
_GROUP = re.compile(r"(?:and|&) (?:the|his|her) (?:[A-Z]\S+ )?[A-Z]\w+(?:s|ra|nd)\b")
_LETTERS = re.compile(r"(?!MPP?\b|MLA|US|UK|CEO|WPC)[A-Z]{2,5}")
_ENDS = frozenset('.!?:;"“”‘`*=(\n')


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A word in its context.

    ``lead`` and ``trail`` are the capitalised words of the same name before and after it, ``title`` the title before
    the name, ``before`` and ``second`` the two tokens before all that, ``after`` and ``later`` the two behind it; all
    in lower case except the parts of the name, ``later`` and ``second_word``. ``opens`` says that the name begins its
    sentence, ``behind_given`` that a known first name or an initial is right before the word, ``compound`` that a
    hyphen ties it to what is no name, ``nicknamed`` that a nickname in quotation marks is between it and an earlier
    part of the name, ``behind_letters`` that an abbreviation is before it, ``before_given`` that a known first name is
    right behind it, ``in_title`` that the name is part of the title of a work. Behind the name there may be a year in
    parentheses (``of_a_year``), a band (``of_a_group``: "and the Rovers") or another first name with the surname of
    both (``of_a_couple``).
    """

    word: str
    lead: tuple[str, ...]
    trail: tuple[str, ...]
    title: str
    before: str
    second: str
    after: str
    later: str
    opens: bool
    behind_given: bool
    compound: bool
    nicknamed: bool = False
    in_title: bool = False
    of_a_year: bool = False
    of_a_group: bool = False
    behind_letters: bool = False
    of_a_couple: bool = False
    before_given: bool = False
    second_word: str = ""

    @property
    def alone(self) -> bool:
        """Whether the name has no other word."""
        return not self.lead and not self.trail


def surroundings(text: str, start: int, end: int, known: Container[str]) -> Surroundings:
    """Look around the word at these characters; ``known`` are the words that can be first names."""
    left = _TOKEN.findall(_from_word_on(text, start))
    right = _TOKEN.findall(text[end : end + NAME_WINDOW])
    tied = _hyphenated(text, start, end)
    lead, title, rest = _before(left, known)
    trail = _trail(right)
    behind = right[len(trail) :]
    return Surroundings(
        word=text[start:end],
        lead=tuple(lead),
        trail=tuple(trail),
        title=title,
        before=rest[-1].lower() if rest else "",
        second=rest[-2].lower() if len(rest) > 1 else "",
        second_word=rest[-2] if len(rest) > 1 else "",
        after=behind[0].lower() if behind else "",
        later=behind[1] if len(behind) > 1 else "",
        opens=not rest or rest[-1] in _ENDS,
        behind_given=bool(lead) and (lead[-1] in known or lead[-1].endswith(".")),
        compound=bool(tied) and tied not in known,
        nicknamed=(nickname := _NICKNAME.search(text, max(0, start - NAME_WINDOW), start)) is not None
        and nickname[1] in known,
        in_title=in_a_title(text, start, end) or _in_title_case(rest, trail, behind),
        of_a_year=_YEAR.match(" ".join(behind[:4])) is not None,
        of_a_group=_GROUP.match(" ".join(behind[:4])) is not None,
        of_a_couple=_of_a_couple(behind, known),
        before_given=bool(trail) and trail[0] in known,
        behind_letters=bool(rest) and _LETTERS.fullmatch(rest[-1]) is not None,
    )


def _of_a_couple(behind: list[str], known: Container[str]) -> bool:
    """Whether another first name and the surname of both follow: Ann and Mark Lowe."""
    return len(behind) > 2 and behind[0] in ("and", "&") and behind[1] in known and _in_name(behind[2], opening=False)


def _behind_a_work(before: list[str]) -> bool:
    """Whether the words before are the beginning of a title: "the comedy Shine on"."""
    for number, token in enumerate(reversed(before)):
        if not (token[0].isupper() or token in _JOINING):
            return 1 < number < LONGEST_NAME + 1 and token in context_words("work")
    return False


def _in_title_case(before: list[str], trail: list[str], behind: list[str]) -> bool:
    """Whether a small word beside the name has the capital that titles give it."""
    inside = len(before) > 1 and before[-2] not in _ENDS and not before[-2].endswith(".")
    if inside and before[-1][0].isupper() and title_words(before[-1:]):
        return before[-1].lower() != "the"
    joined = len(behind) > 1 and behind[0] in ("and", "&") and behind[1][0].isupper() and title_words(behind[1:2])
    joined = joined and not (before and before[-1] == "by")
    if joined or _behind_a_work(before):
        return True
    pairs = zip(["", *trail], trail, strict=False)
    return title_words([word for last, word in pairs if word[0].isupper() and not last.endswith(".")])


def _before(left: list[str], known: Container[str]) -> tuple[list[str], str, list[str]]:
    """The earlier part of the name, the title before it, and what is before that."""
    lead = _lead(left)
    rest = left[: len(left) - len(lead)]
    if not rest or not _is_title(rest[-1]):
        return lead, "", rest
    if not lead and len(rest) > 1 and rest[-1][0].isupper() and rest[-2] in known:
        return rest[-2:], "", rest[:-2]  # Nat King Cole has no king
    return lead, rest[-1].lower(), rest[:-1]


def _from_word_on(text: str, start: int) -> str:
    """The characters before a word, starting at the beginning of a word."""
    cut = max(0, start - NAME_WINDOW)
    while cut and cut < start and not text[cut - 1].isspace():
        cut += 1
    return text[cut:start]


def _hyphenated(text: str, start: int, end: int) -> str:
    before = re.search(r"([^\W\d_]+)[-–]$", text[max(0, start - 30) : start])
    after = re.match(r"[-–]([^\W\d_]+)", text[end : end + 30])
    found = before or after
    return found[1] if found else ""


def _lead(left: list[str]) -> list[str]:
    """The words of the name before the word in question, in their order."""
    found: list[str] = []
    for token in reversed(left[-LONGEST_NAME:]):
        if _is_title(token) or not (_in_name(token) or (found and token.lower() in context_words("particle"))):
            break
        found.append(token)
    while found and not found[-1][0].isupper():
        found.pop()
    return found[::-1]


def _trail(right: list[str]) -> list[str]:
    """The words of the name behind the word in question, particles and suffixes included."""
    found: list[str] = []
    for token in right[:LONGEST_NAME]:
        particle = token.lower() in context_words("particle") or _ELIDED.match(token)
        if not (_in_name(token, opening=False) or particle or token == "&"):
            break
        found.append(token)
    while found and not (found[-1][0].isupper() or _ELIDED.match(found[-1])):
        found.pop()
    return found


def _in_name(token: str, *, opening: bool = True) -> bool:
    if not token[0].isupper():
        return False
    if opening and (token.lower() in context_words("opener") or token in context_words("nationality")):
        return False
    return token not in context_words("calendar") and not (token.isupper() and 1 < len(token.rstrip(".")) < 5)


def _is_title(token: str) -> bool:
    lower = token.lower()
    if lower in context_words("surname title") or lower in context_words("first title"):
        return token[0].isupper() or lower in _LOWER_TITLES
    return token[0].isupper() and lower in context_words("role")


_LOWER_TITLES = frozenset({"uncle", "aunt", "auntie", "cousin", "brother", "sister", "king", "queen", "prince"})


# Readings of a capitalised word, and prior knowledge of a name.

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
"""A name with more bearers of it as a surname, per bearer of it as a first name, needs evidence to be a first name."""


@dataclass(frozen=True, slots=True)
class NameFacts:
    """Prior knowledge of a name, before it is looked at in a text.

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
    """The reading of a word; ``certain`` if the words around it decide, else by default."""

    kind: NameKind
    certain: bool = True


Rule = Callable[[Surroundings, NameFacts], NameVerdict | None]
