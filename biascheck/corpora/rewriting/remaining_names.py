"""First names that a treatment leaves in a text: beside a swapped pronoun they contradict it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from biascheck.corpora.rewriting.given_names import given_names
from biascheck.corpora.rewriting.name_finder import NameFinder, NameMention
from biascheck.spans import Span

__all__ = ["remaining_names"]


def remaining_names(text: str, replaced: Iterable[Span] = ()) -> tuple[NameMention, ...]:
    """First names in the text that show a gender (nine of ten bearers, census of 1990) and are not replaced.

    Names that the census does not know, such as those of other languages, are not counted.
    """
    gone = {span.start for span in replaced}
    known = given_names()
    return tuple(
        mention
        for mention in _all_names().mentions(text)
        if mention.is_first_name and mention.span.start not in gone and known[mention.word].gender is not None
    )


@cache
def _all_names() -> NameFinder:
    return NameFinder()
