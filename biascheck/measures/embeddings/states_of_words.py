"""Vectors for words, whatever they come from: a contextual encoder, a language model, a static table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biascheck import stats
from biascheck.corpora.corpus import Corpus
from biascheck.corpora.lexicon import Context, Entry, Lexicon
from biascheck.errors import ScoreError
from biascheck.models.adapters.encoders import encoder_of
from biascheck.models.capabilities import Embedding, embeds_in_context, is_static
from biascheck.models.scoring.kept_states import cached_states
from biascheck.models.scoring.queries import Refusal, State, WordQuery
from biascheck.results.items import Skipped
from biascheck.stats import Subspace

__all__ = ["DrawnWords", "draw_words", "embedding_of", "gender_differences", "gender_subspace_of", "states_of"]

Matrix = NDArray[np.float64]


def embedding_of(model: Any) -> Embedding:
    """The model as a source of vectors; a language model gives the states of its last layer."""
    return model if is_static(model) else encoder_of(model)


def states_of(embedding: Embedding, contexts: Sequence[Context]) -> list[State | Refusal]:
    """The vector of each word in its sentence; a static table looks at the word alone."""
    if is_static(embedding):
        return embedding.vectors([context.word for context in contexts])
    assert embeds_in_context(embedding)
    return cached_states(embedding, [WordQuery(context.text, context.span) for context in contexts])


@dataclass(frozen=True, eq=False)
class DrawnWords:
    """The words that could be looked at, with one vector each for every draw: ``vectors[draw, word]``."""

    entries: tuple[Entry, ...]
    vectors: NDArray[np.float32]
    contexts: tuple[tuple[Context, ...], ...]
    skipped: tuple[Skipped, ...]


def draw_words(embedding: Embedding, lexicon: Lexicon, *, draws: int, seed: int) -> DrawnWords:
    """One sentence for each word, ``draws`` times, all of them in one plan: each distinct sentence runs once.

    A static table has one vector for a word, so it is drawn once. A word that is refused in one of its sentences is
    skipped in all.
    """
    dealt = lexicon.draws(1 if is_static(embedding) else draws, seed)
    states = states_of(embedding, [context for contexts in dealt for context in contexts])
    size = len(lexicon)
    refused: dict[int, str] = {}
    for place, state in enumerate(states):
        if isinstance(state, Refusal):
            refused.setdefault(place % size, state.reason)
    kept = [place for place in range(size) if place not in refused]
    skipped = [Skipped(left.id, left.reason) for left in lexicon.left_out]
    skipped += [Skipped(lexicon.entries[place].word, reason) for place, reason in sorted(refused.items())]
    if not kept:
        raise ScoreError(
            f"{embedding.name} × {lexicon.name}: no word has a vector, e.g. {next(iter(refused.values()))}"
        )
    rows = [states[draw * size + place] for draw in range(len(dealt)) for place in kept]
    vectors = np.stack([row.vector for row in rows if isinstance(row, State)])
    return DrawnWords(
        tuple(lexicon.entries[place] for place in kept),
        vectors.reshape(len(dealt), len(kept), -1),
        tuple(tuple(contexts[place] for place in kept) for contexts in dealt),
        tuple(skipped),
    )


def gender_differences(embedding: Embedding, pairs: Corpus) -> tuple[Matrix, list[int], list[Skipped]]:
    """First minus second group's vector of each pair, which pairs they are, and which have none.

    A static table has the same vectors in every sentence, so only the first sentence of two words counts.
    """
    first, second = pairs.groups[:2]
    places = list(range(len(pairs.pairs)))
    if is_static(embedding):
        by_words = {
            tuple(pairs.pairs[i].sentences[g].target_text for g in (first, second)): i for i in reversed(places)
        }
        places = sorted(by_words.values())
    asked = [pairs.pairs[place].sentences[group] for place in places for group in (first, second)]
    states = iter(states_of(embedding, [Context(sentence.text, sentence.target) for sentence in asked]))
    rows: list[Matrix] = []
    kept: list[int] = []
    skipped: list[Skipped] = []
    for place in places:
        one, other = next(states), next(states)
        if isinstance(one, State) and isinstance(other, State):
            rows.append(one.vector.astype(np.float64) - other.vector.astype(np.float64))
            kept.append(place)
        else:
            reason = next(state.reason for state in (one, other) if isinstance(state, Refusal))
            skipped.append(Skipped(pairs.pairs[place].id, reason, dict(pairs.pairs[place].labels)))
    if not rows:
        raise ScoreError(f"{embedding.name} × {pairs.name}: not one pair has vectors, e.g. {skipped[0].reason}")
    return np.stack(rows), kept, skipped


def gender_subspace_of(embedding: Embedding, pairs: Corpus) -> Subspace:
    """The principal axes of the differences of all pairs; the first points to the first group."""
    return stats.principal_subspace(gender_differences(embedding, pairs)[0])
