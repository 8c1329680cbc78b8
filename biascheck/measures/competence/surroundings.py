"""Does a masked model expect the words around those that it is asked about?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from biascheck.corpora.corpus import Pair
from biascheck.corpora.sentence import Sentence
from biascheck.measures.competence.sampled_sentences import MOST_SENTENCES
from biascheck.models.capabilities import MaskedModel
from biascheck.models.scoring.queries import Answer, MaskedQuery
from biascheck.spans import Span

__all__ = ["surroundings"]

WORD = re.compile(r"[^\W\d_]+")


def surroundings(model: MaskedModel, pairs: Sequence[Pair], *, seed: int) -> float:
    """The mean probability of words that are neither targets nor attributes, each masked alone; at most 200 of them.

    A word that the model has no token for counts as improbable; without any such word, the figure is 0.
    """
    asked = [query for pair in pairs for query in _others(next(iter(pair.sentences.values())))]
    queries = list(dict.fromkeys(asked))
    chosen = np.random.default_rng(seed).permutation(len(queries))[:MOST_SENTENCES]
    answers = model.fill([queries[place] for place in chosen])
    found = [np.exp(answer.log_probability) if isinstance(answer, Answer) else 0.0 for answer in answers]
    return float(np.mean(found)) if found else 0.0


def _others(sentence: Sentence) -> Iterator[MaskedQuery]:
    taken = (sentence.target, *sentence.people)
    for found in WORD.finditer(sentence.text):
        word = Span(*found.span())
        if not any(word.overlaps(span) for span in taken):
            yield MaskedQuery(sentence.text, word)
