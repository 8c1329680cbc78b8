"""Words and sentences of running text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from biascheck.spans import Span

__all__ = ["sentences_of", "words_of"]

WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
# A full stop after three letters, so that "Mr. Smith" and "J. Smith" stay whole.
_SENTENCE_END = re.compile(
    r"(?<=[^\W\d_]{3}[.!?])[\"'”’)\]]*\s+(?=[\"'“‘(\[]?[A-ZÄÖÜ0-9])|(?<=[\d)\]\"”][.!?])\s+(?=[A-ZÄÖÜ])"
)
_TITLES = re.compile(r"\b(?:Mrs|Messrs|Prof|Capt|Gov|Gen|Sgt|Rev|Hon|Inc|Ltd)\.$")


def words_of(text: str) -> Iterator[tuple[Span, str]]:
    """Every word of letters, hyphens and apostrophes inside it, with its place."""
    for match in WORD.finditer(text):
        yield Span(*match.span()), match.group()


def sentences_of(text: str) -> list[str]:
    """The sentences of a text, by its full stops; where the end of one is uncertain, two stay together."""
    found: list[str] = []
    start = 0
    for match in _SENTENCE_END.finditer(text):
        if _TITLES.search(text, max(0, match.start() - 8), match.start()):
            continue
        found.append(text[start : match.end()].strip())
        start = match.end()
    return [sentence for sentence in (*found, text[start:].strip()) if sentence]
