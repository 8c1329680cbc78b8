"""Words and sentences of running text, with their places."""

from __future__ import annotations

import re
from collections.abc import Iterator

from biascheck.spans import Span

__all__ = ["sentences_of", "words_of"]

WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
END = re.compile(r"(?<=[.!?])[\"'”’)]*\s+(?=[\"'“‘(]*[A-Z0-9])")


def words_of(text: str) -> Iterator[tuple[Span, str]]:
    """Every word of letters, hyphens and apostrophes inside it, with its place."""
    for match in WORD.finditer(text):
        yield Span(*match.span()), match.group()


def sentences_of(text: str) -> list[str]:
    """A text cut after full stops, question and exclamation marks before a capital letter.

    A plain rule: it cuts after some abbreviations, which leaves shorter sentences and no wrong ones.
    """
    return [part for part in (piece.strip() for piece in END.split(text)) if part]
