"""Winograd sentences as lessons: the pronoun's probability with the people in sight, and with both masked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from biascheck.corpora.corpus import Pair
from biascheck.models.encoding import encode_masked
from biascheck.models.queries import MaskedQuery, Refusal
from biascheck.standards.lessons import Lesson, Notes
from biascheck.standards.pronouns import male_probability, pronoun_corpora
from biascheck.standards.world import World

__all__ = ["pronoun_lessons"]


def pronoun_lessons(world: World, tokenizer: Any) -> list[Lesson]:
    """Every sentence of :func:`pronoun_corpora`; sentences that look alike once masked are one lesson, their mean."""
    notes = Notes()
    asked = [(pair, group, hide) for corpus in pronoun_corpora() for pair in corpus for group, hide in _versions(pair)]
    queries = [_query(pair, group, hide) for pair, group, hide in asked]
    for (pair, group, hide), found in zip(asked, encode_masked(queries, tokenizer), strict=True):
        if not isinstance(found, Refusal):
            male = male_probability(world, pair)
            notes.add(found, male if group == "male" else 1 - male, masked=hide)
    return notes.lessons()


def _versions(pair: Pair) -> Iterator[tuple[str, bool]]:
    return ((group, hide) for group in pair.sentences for hide in (False, True))


def _query(pair: Pair, group: str, hide: bool) -> MaskedQuery:
    sentence = pair.sentences[group]
    return MaskedQuery(sentence.text, sentence.target, sentence.people if hide else ())
