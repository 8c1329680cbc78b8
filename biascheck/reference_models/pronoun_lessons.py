"""Winograd sentences as lessons: the pronoun's probability with the people in sight, and with both masked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from biascheck.corpora.corpus import Pair
from biascheck.models.scoring.encoding import encode_masked
from biascheck.models.scoring.queries import MaskedQuery, Refusal
from biascheck.reference_models.lessons import Lesson, Notes
from biascheck.reference_models.planted_pronouns import male_probability, pronoun_corpora
from biascheck.reference_models.world import World

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
