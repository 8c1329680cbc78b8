"""Does a model find the sentences of pairs more probable than their own words in another order?"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from biascheck.corpora.datasets.benchmarks.item_set import ItemSet
from biascheck.corpora.datasets.benchmarks.sentence_preferences import SentencePreference
from biascheck.measures.benchmarks.text_scores import ComparedText, scores_of_texts
from biascheck.models.capabilities import has_recorded_scores
from biascheck.models.scoring.queries import Refusal
from biascheck.results.competence import Readability

__all__ = ["pairs_read"]

PAIRS_CHECK = "sentence pairs"
PAIRS_ABOUT = "whether sentences are more probable than the same words in another order"
PAIRS_FAILURE = "cannot read these sentences"
READS_PAIRS = 0.75
MOST_PAIRS = 40


def pairs_read(model: Any, pairs: ItemSet[SentencePreference], *, seed: int = 0) -> Readability | None:
    """The share of at most 40 sentences that score higher than a copy with shuffled words; 0.75 is needed.

    Whole sentences are compared, by pseudo-likelihood or likelihood. Not applicable to recorded answers. Limit: a
    model of another language may still know which of two orders is the less unlikely.
    """
    if has_recorded_scores(model):
        return None
    rng = np.random.default_rng(seed)
    ordered = sorted(pairs, key=lambda pair: pair.id)
    chosen = [ordered[place] for place in rng.permutation(len(ordered))[:MOST_PAIRS]]
    texts = [ComparedText(pair.id, text, "") for pair in chosen for text in (pair.more, _shuffled(pair.more, rng))]
    found = scores_of_texts(model, texts, "whole sentence")
    compared = [
        (own, other)
        for own, other in zip(found[::2], found[1::2], strict=True)
        if not isinstance(own, Refusal) and not isinstance(other, Refusal)
    ]
    if not compared:
        return None
    share = sum(own > other for own, other in compared) / len(compared)
    floor = max(READS_PAIRS, 0.5 + 0.98 / sqrt(len(compared)))
    finding = (
        f"{share:.0%} of {len(compared)} sentences are more probable than the same words in another order; at least "
        f"{floor:.0%} is needed"
    )
    return Readability(PAIRS_CHECK, PAIRS_ABOUT, share, floor, len(compared), seed, finding, PAIRS_FAILURE)


def _shuffled(text: str, rng: np.random.Generator) -> str:
    words = text.split()
    if len(set(words)) < 2:
        return text
    while (other := " ".join(words[place] for place in rng.permutation(len(words)))) == text:
        pass
    return other
