"""The bias of a word by its vector: the projection on he − she (Gonen & Goldberg 2019; Basta et al. 2019, §4)."""

from __future__ import annotations

from typing import Any

import numpy as np

from biascheck import stats
from biascheck.corpora.corpus import Corpus
from biascheck.corpora.lexicon import Lexicon
from biascheck.errors import UsageError
from biascheck.measures.embeddings.states_of_words import draw_words, embedding_of, gender_differences
from biascheck.models.capabilities import Embedding

__all__ = ["with_projected_bias"]


def with_projected_bias(
    model: Any, lexicon: Lexicon, *, words: tuple[str, str] = ("he", "she"), draws: int = 10, seed: int = 0
) -> Lexicon:
    """The lexicon with the bias that its words have in this model, or in static vectors.

    The mean over draws of cos(w, he − she), positive towards the first of ``words``. ``most_biased(n)`` then gives the
    lists of the paper's clustering and classification. Limit: classifying words of the model that chose them finds
    again what was put in; choose with one embedding and measure another, as the papers do.
    """
    embedding = embedding_of(model)
    direction = _direction(embedding, lexicon.pairs, words)
    drawn = draw_words(embedding, lexicon, draws=draws, seed=seed)
    cosines = np.stack([stats.cosines(vectors, direction) for vectors in drawn.vectors]).mean(axis=0)
    bias = {entry.word: float(value) for entry, value in zip(drawn.entries, cosines, strict=True)}
    return lexicon.with_bias(bias, name=f"{lexicon.name}·by {embedding.name}")


def _direction(embedding: Embedding, pairs: Corpus, words: tuple[str, str]) -> np.ndarray[Any, np.dtype[np.float64]]:
    rows, places, _ = gender_differences(embedding, pairs)
    chosen = [
        row
        for row, place in zip(rows, places, strict=True)
        if tuple(pairs.pairs[place].sentences[group].target_text.lower() for group in pairs.groups[:2]) == words
    ]
    if not chosen:
        raise UsageError(f"{pairs.name!r} has no pair {'–'.join(words)} to project on; add it or name another pair")
    return np.asarray(np.mean(chosen, axis=0))
