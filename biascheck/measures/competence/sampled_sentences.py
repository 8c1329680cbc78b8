"""The sentences a check looks at, and the same sentences with their words shuffled."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from biascheck.corpora.corpus import Corpus, Pair
from biascheck.corpora.pair_columns import attributes_of, places_by_id
from biascheck.corpora.sentence import Sentence
from biascheck.spans import Span

__all__ = ["AT_LEAST", "MOST_SENTENCES", "sampled_pairs", "shuffled", "shuffles_each"]

MOST_SENTENCES = 200
"""Sentences that a check reads, all groups together."""
AT_LEAST = 40
"""Comparisons below which a sentence is shuffled more than once: a small corpus is no reason to doubt a model."""


def sampled_pairs(corpus: Corpus, *, seed: int) -> list[Pair]:
    """At most 200 sentences in whole pairs, spread over the attributes as evenly as can be."""
    rng = np.random.default_rng(seed)
    attributes = attributes_of(corpus.pairs)
    # the fingerprint does not know the order, nor may the sample
    ordered = places_by_id(corpus.pairs)
    most = max(1, MOST_SENTENCES // len(corpus.groups))
    members: dict[str, list[int]] = {}
    for chosen in rng.permutation(len(ordered)):
        place = ordered[chosen]
        own = members.setdefault(attributes[place], []) if len(members) < most else members.get(attributes[place])
        if own is not None and len(own) < most:
            own.append(place)
    turns = enumerate(members.values())
    dealt = sorted((round_, turn, place) for turn, own in turns for round_, place in enumerate(own))
    return [corpus.pairs[place] for _, _, place in dealt[:most]]


def shuffles_each(sentences: int) -> int:
    """How often each sentence is shuffled."""
    return -(-AT_LEAST // max(1, sentences))


def shuffled(sentence: Sentence, seed: tuple[int, ...]) -> tuple[str, Span]:
    """The words of a sentence in another order, and where the target went; the target stays one word.

    Two sentences of a pair are shuffled alike by the same seed.
    """
    words = list(_words(sentence))
    order = _another_order(len(words), np.random.default_rng(seed))
    text, place = "", sentence.target
    for number in order:
        text += " " if text else ""
        word, is_target = words[number]
        if is_target:
            place = Span(len(text), len(text) + len(word))
        text += word
    return text, place


def _words(sentence: Sentence) -> Iterator[tuple[str, bool]]:
    text, target = sentence.text, sentence.target
    yield from ((word, False) for word in text[: target.start].split())
    yield target.of(text), True
    yield from ((word, False) for word in text[target.end :].split())


def _another_order(count: int, rng: np.random.Generator) -> list[int]:
    """A permutation that is not the order itself; one word has no other."""
    while True:
        order = [int(place) for place in rng.permutation(count)]
        if count < 2 or order != list(range(count)):
            return order
