"""Does a masked model expect the words that it is asked about, where they are?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biascheck import stats
from biascheck.corpora.corpus import Corpus, Pair
from biascheck.measures.competence.sampled_sentences import sampled_pairs, shuffled, shuffles_each
from biascheck.measures.competence.surroundings import surroundings
from biascheck.models.capabilities import MaskedModel
from biascheck.models.scoring.queries import Answer, MaskedQuery, Refusal
from biascheck.results.competence import Readability
from biascheck.wording import format_number

__all__ = ["words_at_their_place"]

WORDS_CHECK = "words at their place"
WORDS_FAILURE = "cannot read this corpus"
WORDS_ABOUT = (
    "whether the compared words of all groups together are expected at their place, more than in a shuffled sentence"
)
PROBABLE = 0.01
ABOVE_UNIFORM = 5
LIFTED = 1.0
EXPECTED = 0.07
CHANCE_OF_WORD = 0.5
LEVEL = 0.99
DECIMALS = 3


@dataclass(frozen=True)
class _WordsReading:
    """The log-probability of all groups' words together at their place and in the shuffled copy of one sentence."""

    own: float
    moved: float
    tokens: float


def words_at_their_place(model: MaskedModel, corpus: Corpus, *, seed: int = 0) -> Readability:
    """Read the probability of the targets at their masks, summed over the groups, so that bias cannot lower it.

    Figures of at most 200 sentences. *Order*: the share of sentences in which the targets are more probable at
    their mask than at their mask in a copy with shuffled words. *Mass*: their mean probability. *Lift*: the mean of
    ``ln P(own) − ln P(shuffled)`` per token. *Surroundings*: the mean probability of other words.

    A model can read the corpus if order is above chance (lower end of Wilson's 99 % interval above one half) and
    either the targets are probable (mass ≥ 0.01, and ≥ 5 times what a uniform guess among all tokens gives one token
    of each group) or, where they are rare words such as flowers or religions, they are lifted by a factor of e (lift
    ≥ 1) in sentences whose other words are expected (surroundings ≥ 0.07).

    Random weights and constant answers have no order. A model of another language finds a foreign word only a little
    less strange at its place, or, where it happens to know the word, does not know those around it.
    """
    pairs = sampled_pairs(corpus, seed=seed)
    readings, refused = _read(model, pairs, corpus.groups, seed)
    if not readings:
        finding = f"none of the words can be asked for, e.g. {refused[0].reason}" if refused else "no word has a chance"
        return Readability(
            WORDS_CHECK, WORDS_ABOUT, 0.0, PROBABLE, 0, seed, finding, WORDS_FAILURE, {"refused": len(refused)}
        )
    found = _figures(np.array([[r.own, r.moved, r.tokens] for r in readings]))
    found["mass needed"] = max(PROBABLE, ABOVE_UNIFORM * _uniform(model, len(corpus.groups)))
    if found["order, low"] > CHANCE_OF_WORD and found["mass"] < found["mass needed"] and found["lift"] >= LIFTED:
        found["surroundings"] = surroundings(model, pairs, seed=seed)
    return _readability(found, len(readings), seed)


def _figures(table: NDArray[np.float64]) -> dict[str, float]:
    own, moved, tokens = table.T
    wins = float(np.mean((own > moved) + (own == moved) / 2))
    return {
        "order": wins,
        "order, low": stats.wilson_interval(wins, len(table), level=LEVEL).low,
        "mass": float(np.exp(own).mean()),
        "lift": float(((own - moved) / tokens).mean()),
    }


def _readability(found: dict[str, float], n: int, seed: int) -> Readability:
    """The condition that decided gives value and floor."""
    if found["order, low"] <= CHANCE_OF_WORD:
        # an interval that begins at chance itself is not above it
        value, floor, finding = found["order, low"], float(np.nextafter(CHANCE_OF_WORD, 1)), _no_order(found, n)
    elif "surroundings" in found:
        value, floor, finding = found["surroundings"], EXPECTED, _rare(found)
    else:
        value, floor, finding = found["mass"], found["mass needed"], _probable(found)
    return Readability(WORDS_CHECK, WORDS_ABOUT, value, floor, n, seed, finding, WORDS_FAILURE, found)


def _no_order(found: dict[str, float], n: int) -> str:
    return (
        f"the words are more probable at their place than in a shuffled sentence in {found['order']:.0%} of {n} "
        "comparisons, which chance alone explains"
    )


def _rare(found: dict[str, float]) -> str:
    return (
        f"the words are rare: their probability at their place is {_small(found['mass'])}, {_times(found['lift'])} "
        f"that in a shuffled sentence; the words around them have {_small(found['surroundings'])}, and at least "
        f"{_small(EXPECTED)} is needed"
    )


def _probable(found: dict[str, float]) -> str:
    return (
        f"the words have a probability of {_small(found['mass'])} at their place, {_times(found['lift'])} that in a "
        f"shuffled sentence; at least {_small(found['mass needed'])} is needed, or {_times(LIFTED)} for rare words"
    )


def _times(lift: float) -> str:
    return f"{np.exp(lift):.1f} times"


def _small(probability: float) -> str:
    return format_number(probability, DECIMALS)


def _read(
    model: MaskedModel, pairs: Sequence[Pair], groups: Sequence[str], seed: int
) -> tuple[list[_WordsReading], list[Refusal]]:
    rounds = [(number, turn) for turn in range(shuffles_each(len(pairs))) for number in range(len(pairs))]
    queries: list[MaskedQuery] = []
    for number, turn in rounds:
        for group in groups:
            sentence = pairs[number].sentences[group]
            text, place = shuffled(sentence, (seed, number, turn))
            queries += [MaskedQuery(sentence.text, sentence.target), MaskedQuery(text, place)]
    answers = iter(model.fill(queries))
    found: list[_WordsReading] = []
    refused: list[Refusal] = []
    for _ in rounds:
        both = [(next(answers), next(answers)) for _ in groups]
        given = [a for pair in both for a in pair if isinstance(a, Answer) and np.isfinite(a.log_probability)]
        if len(given) == 2 * len(both):
            found.append(_reading(given))
        refused += [a for pair in both for a in pair if isinstance(a, Refusal)]
    return found, refused


def _reading(given: Sequence[Answer]) -> _WordsReading:
    own, moved = given[::2], given[1::2]
    return _WordsReading(
        own=float(np.logaddexp.reduce([answer.log_probability for answer in own])),
        moved=float(np.logaddexp.reduce([answer.log_probability for answer in moved])),
        tokens=float(np.mean([answer.pieces for answer in own])),
    )


def _uniform(model: Any, groups: int) -> float:
    """What one token of each group has if all are equally probable; 0 where no tokenizer tells how many there are."""
    tokenizer = getattr(model, "tokenizer", None)
    return 0.0 if tokenizer is None else groups / len(tokenizer)
