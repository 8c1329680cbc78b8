"""Titles of songs, films and books in a text: a name inside one is no person of the text.

Where a title is in quotation marks, its words tell it from a nickname (``Tony'') and from speech: it is short, its long
words have capitals, and it is more than one name ("Calling on Mary"). A quotation beside another one is in a list of
titles. Where there are no marks, a capital on a small word beside the name ("How Helga Got Her Boat") tells it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from biascheck.corpora.rewriting.given_names import context_words
from biascheck.spans import Span

__all__ = ["in_a_title", "title_words"]

LONGEST_TITLE = 90
SMALL = 4
"""Words of fewer letters may be without a capital in a title."""
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
    """Whether one of these words, all with capitals, is a small word or a verb that only a title writes like that."""
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
        if _is_title(span.of(text), alone=span in listed or _announced(text, span) or _stands_alone(text, span))
    )


def _quotations(text: str) -> Iterator[Span]:
    for match in _QUOTED.finditer(text):
        group = match.lastindex or 0
        yield Span(match.start(group), match.end(group))


def _announced(text: str, quoted: Span) -> bool:
    """Whether the word before the marks says what it is: the song "Misty", two episodes, "Anna"."""
    noun = _LAST_WORD.search(text, max(0, quoted.start - 30), quoted.start)
    return noun is not None and noun[1].lower().removesuffix("s") in context_words("work") | {"serie"}


def _stands_alone(text: str, quoted: Span) -> bool:
    """Whether nothing beside the marks says that somebody is called so: a nickname, an alias, a role."""
    before, after = text[: quoted.start].rstrip("`'\"“‘ ,("), text[quoted.end :].lstrip("`'\"”’ ")
    last = _LAST_WORD.search(before[-30:])
    called = last is not None and (last[1][0].isupper() or last[1].lower() in context_words("called"))
    return not called and not after[:1].isupper()


def _is_title(quoted: str, *, alone: bool) -> bool:
    """Whether it is written like a title; ``alone`` where its place says that even a single name is one."""
    words = _WORD.findall(quoted)
    if not words or not words[0][0].isupper() or _EPITHET.fullmatch(quoted.strip(" ,.!")):
        return False
    if any(len(word) >= SMALL and not word[0].isupper() for word in words):
        return False
    more = re.search(r"['’]s [A-Z]|&", quoted) or "," in quoted.rstrip(" ,")
    return alone or (len(words) > 1 and (bool(more) or any(w.lower() in context_words("title word") for w in words)))
