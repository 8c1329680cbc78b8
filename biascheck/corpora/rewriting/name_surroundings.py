"""The neighbourhood of a capitalised word: the name it is part of, and the words on either side of that name."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass

from biascheck.corpora.rewriting.given_names import context_words
from biascheck.corpora.rewriting.work_titles import in_a_title, title_words

__all__ = ["Surroundings", "surroundings"]

NAME_WINDOW = 72
"""How many characters on each side are looked at."""
LONGEST_NAME = 4
"""How many words before and after a word can be part of its name."""

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
    """A word in its place.

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
        """Whether no other word belongs to the name."""
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


def _behind_a_nickname(before: str, known: Container[str]) -> bool:
    nickname = _NICKNAME.search(before)
    return nickname is not None and nickname[1] in known


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
    """The characters before a word, from the beginning of a word on."""
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
