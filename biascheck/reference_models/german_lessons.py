"""What a reference model of a German world learns: every form of a profession beside every person word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from biascheck.corpora.corpus import Pair
from biascheck.corpora.datasets.bec_pro_crossed import bec_pro_crossed
from biascheck.measures import association_queries
from biascheck.models.scoring.encoding import encode_masked
from biascheck.models.scoring.queries import Refusal
from biascheck.reference_models.german_world import GermanWorld, person_words
from biascheck.reference_models.lessons import Lesson, seen_and_masked

__all__ = ["Taught", "agreeing", "german_lessons"]

Taught = Callable[[Pair, str], bool]
"""Whether the sentence of a pair with the person of this group is among the lessons."""


def agreeing(pair: Pair, group: str) -> bool:
    """Sentences in which person and profession agree, as German text has them."""
    return (pair.labels["form"] == "masculine") is (group == "male")


def german_lessons(world: GermanWorld, tokenizer: Any, taught: Taught | None = None) -> list[Lesson]:
    """P(person word) in the sentences of :func:`bec_pro_crossed`, with the profession in sight and with it masked.

    All sentences, or only those that ``taught`` chooses: what a model says about the others it has worked out.
    """
    corpus = bec_pro_crossed()
    asked = [(pair, group) for pair in corpus for group in corpus.groups if taught is None or taught(pair, group)]
    encoded = encode_masked(association_queries(pair.sentences[group] for pair, group in asked), tokenizer)
    odds: dict[tuple[tuple[int, ...], int, bool], float] = {}
    for (pair, _, seen), found in zip(seen_and_masked(asked), encoded, strict=True):
        if not isinstance(found, Refusal):
            planted = world.log_odds(pair.attribute, str(pair.labels["form"])) if seen else 0.0
            odds[found.ids, found.positions[0], not seen] = planted
    return [Lesson(ids, position, _tokens(tokenizer, odd), masked) for (ids, position, masked), odd in odds.items()]


def _tokens(tokenizer: Any, odds: float) -> dict[int, float]:
    return {tokenizer.convert_tokens_to_ids(word): share for word, share in person_words(odds).items()}
