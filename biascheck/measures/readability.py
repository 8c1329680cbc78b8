"""Readability checks: can a model read this corpus? Made on a sample of its sentences, before a score is believed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biascheck import stats
from biascheck.core.errors import UsageError
from biascheck.core.identity import package_code
from biascheck.core.spans import Span
from biascheck.core.store import active_cache, digest_of
from biascheck.core.wording import format_number
from biascheck.corpora.corpus import Corpus, Pair, attributes_of, places_by_id
from biascheck.corpora.sentence import Sentence
from biascheck.models.base import CausalModel, LanguageModel, MaskedModel, fills_masks, scores_text
from biascheck.models.scoring.queries import Answer, MaskedQuery, Refusal, SentenceQuery
from biascheck.models.wrappers import OnlineModel
from biascheck.results.definition import Readability

# The checks by name. Each is run once for a model and a corpus and cached like a result.


@dataclass(frozen=True)
class ReadabilityCheck:
    """The location of a check: a function ``(model, corpus, *, seed) -> Readability | None`` of a measures module."""

    module: str
    function: str

    def load(self) -> Callable[..., Readability | None]:
        """The function itself; it returns ``None`` if the corpus has nothing to check on."""
        found: Callable[..., Readability | None] = getattr(import_module(self.module), self.function)
        return found


# Imported when needed: a check may use a measure, and every measure names a check.
READABILITY_CHECKS: Mapping[str, ReadabilityCheck] = MappingProxyType(
    {
        "reading": ReadabilityCheck("biascheck.measures.readability", "reading"),
        "names": ReadabilityCheck("biascheck.measures.names", "names_resolved"),
        "sentiment": ReadabilityCheck("biascheck.measures.sentiment", "reviews_rated"),
        "gender direction": ReadabilityCheck("biascheck.measures.subspace", "gender_direction"),
        "sentence pairs": ReadabilityCheck("biascheck.measures.crows_pairs", "pairs_read"),
    }
)


def readability_of(check: str, model: Any, corpus: Any, *, seed: int = 0) -> Readability | None:
    """Whether ``model`` passes ``check`` on a corpus; ``None`` if the check does not apply.

    It does not apply to the fakes of :mod:`biascheck.testing`, which know no language, nor to a corpus that has
    nothing to check on, such as texts without a known sentiment in a language without built-in reviews.
    """
    if check not in READABILITY_CHECKS:
        raise UsageError(
            f"there is no readability check {check!r}; choose one of {', '.join(sorted(READABILITY_CHECKS))}"
        )
    if getattr(model, "is_fake", False):
        return None
    cache = active_cache() if getattr(model, "is_persistent", True) else None

    def compute() -> dict[str, Any]:
        found = READABILITY_CHECKS[check].load()(model, corpus, seed=seed)
        return {"competence": None if found is None else found.as_dict()}

    key = digest_of(["competence", package_code(), check, model.fingerprint, corpus.fingerprint, seed])
    document = (compute() if cache is None else cache.fetch(key, compute))["competence"]
    return None if document is None else Readability(**document)


# The sentences of a check, and the same sentences with their words shuffled.

MOST_SENTENCES = 200
"""Sentences that a check reads, all groups together."""
AT_LEAST = 40
"""Comparisons below which a sentence is shuffled more than once: a small corpus is no evidence against a model."""


def sampled_pairs(corpus: Corpus, *, seed: int) -> list[Pair]:
    """At most 200 sentences in whole pairs, spread over the attributes as evenly as can be."""
    rng = np.random.default_rng(seed)
    attributes = attributes_of(corpus.pairs)
    # the sample must not depend on the order, as the fingerprint does not
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
    """The number of shuffles per sentence."""
    return -(-AT_LEAST // max(1, sentences))


def shuffled(sentence: Sentence, seed: tuple[int, ...]) -> tuple[str, Span]:
    """The words of a sentence in another order, and the new span of the target, which stays one word.

    Both sentences of a pair are shuffled alike by the same seed.
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
    """A permutation other than the identity; None for one word."""
    while True:
        order = [int(place) for place in rng.permutation(count)]
        if count < 2 or order != list(range(count)):
            return order


# Does a causal model find a sentence more probable than its own words in another order?

ORDER_CHECK = "sentence order"
ORDER_ABOUT = "whether sentences are more probable than the same words in another order"
ORDER_FAILURE = "cannot read this corpus"
READS_ORDER = 0.75


def sentence_order(model: CausalModel, corpus: Corpus, *, seed: int = 0) -> Readability:
    """The share of at most 200 sentences that are more probable than a copy with shuffled words.

    Both have the same words, so neither length nor frequency decides. A model that reads some sentences and guesses
    at the others wins ``(1 + share read) / 2``: 0.75 says that it reads every second one, and that is the floor. The
    lower end of Wilson's 95 % interval must reach it, so that a lucky sample does not; of 200 sentences 163 do.
    """
    pairs = sampled_pairs(corpus, seed=seed)
    sentences = [(number, pair.sentences[group]) for number, pair in enumerate(pairs) for group in corpus.groups]
    queries: list[SentenceQuery] = []
    for turn in range(shuffles_each(len(sentences))):
        for number, sentence in sentences:
            queries += [SentenceQuery(sentence.text), SentenceQuery(shuffled(sentence, (seed, number, turn))[0])]
    answers = model.likelihood(queries)
    return _readability(list(zip(answers[::2], answers[1::2], strict=True)), seed)


def _readability(compared: list[tuple[Answer | Refusal, Answer | Refusal]], seed: int) -> Readability:
    wins = [_won(own, moved) for own, moved in compared if isinstance(own, Answer) and isinstance(moved, Answer)]
    if not wins:
        reason = next(answer.reason for pair in compared for answer in pair if isinstance(answer, Refusal))
        return Readability(
            ORDER_CHECK,
            ORDER_ABOUT,
            0.0,
            READS_ORDER,
            0,
            seed,
            f"no sentence can be scored, e.g. {reason}",
            ORDER_FAILURE,
        )
    share = sum(wins) / len(wins)
    low = stats.wilson_interval(share, len(wins)).low
    finding = (
        f"{share:.0%} of {len(wins)} sentences are more probable than the same words shuffled, at least {low:.0%} "
        f"with the doubt of the sample; {READS_ORDER:.0%} is needed, 50 % is chance"
    )
    return Readability(
        ORDER_CHECK,
        ORDER_ABOUT,
        low,
        READS_ORDER,
        len(wins),
        seed,
        finding,
        ORDER_FAILURE,
        {"share": share, "share, low": low},
    )


def _won(own: Answer, moved: Answer) -> float:
    return 0.5 if own.log_probability == moved.log_probability else float(own.log_probability > moved.log_probability)


# Does a masked model expect the words around those that it is scored on?

WORD = re.compile(r"[^\W\d_]+")


def surroundings(model: MaskedModel, pairs: Sequence[Pair], *, seed: int) -> float:
    """The mean probability of words that are neither targets nor attributes, each masked alone; at most 200 of them.

    A word without a token in the vocabulary counts as improbable; without any word, the result is 0.
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


# Does a masked model expect the target words at their positions?

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
    """The log-probability of all groups' words together at their position and in the shuffled copy of one sentence."""

    own: float
    moved: float
    tokens: float


def words_at_their_place(model: MaskedModel, corpus: Corpus, *, seed: int = 0) -> Readability:
    """Read the probability of the targets at their masks, summed over the groups, so that bias cannot lower it.

    Statistics of at most 200 sentences. *Order*: the share of sentences in which the targets are more probable at
    their mask than at their mask in a copy with shuffled words. *Mass*: their mean probability. *Lift*: the mean of
    ``ln P(own) − ln P(shuffled)`` per token. *Surroundings*: the mean probability of other words.

    A model can read the corpus if order is above chance (lower end of Wilson's 99 % interval above one half) and
    either the targets are probable (mass ≥ 0.01, and ≥ 5 times what a uniform guess among all tokens gives one token
    of each group) or, where they are rare words such as flowers or religions, they are lifted by a factor of e (lift
    ≥ 1) in sentences whose other words are expected (surroundings ≥ 0.07).

    Random weights and constant answers are insensitive to order. A model of another language finds a foreign word only
    slightly more probable at its position, or, if it happens to know the word, does not know those around it.
    """
    pairs = sampled_pairs(corpus, seed=seed)
    readings, refused = _read(model, pairs, corpus.groups, seed)
    if not readings:
        finding = f"none of the words can be scored, e.g. {refused[0].reason}" if refused else "no word has a chance"
        return Readability(
            WORDS_CHECK, WORDS_ABOUT, 0.0, PROBABLE, 0, seed, finding, WORDS_FAILURE, {"refused": len(refused)}
        )
    found = _figures(np.array([[r.own, r.moved, r.tokens] for r in readings]))
    found["mass needed"] = max(PROBABLE, ABOVE_UNIFORM * _uniform(model, len(corpus.groups)))
    if found["order, low"] > CHANCE_OF_WORD and found["mass"] < found["mass needed"] and found["lift"] >= LIFTED:
        found["surroundings"] = surroundings(model, pairs, seed=seed)
    return _readability_words_at_their_place(found, len(readings), seed)


def _figures(table: NDArray[np.float64]) -> dict[str, float]:
    own, moved, tokens = table.T
    wins = float(np.mean((own > moved) + (own == moved) / 2))
    return {
        "order": wins,
        "order, low": stats.wilson_interval(wins, len(table), level=LEVEL).low,
        "mass": float(np.exp(own).mean()),
        "lift": float(((own - moved) / tokens).mean()),
    }


def _readability_words_at_their_place(found: dict[str, float], n: int, seed: int) -> Readability:
    """Value and floor are those of the deciding condition."""
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
    """The mass of one token per group if all are equally probable; 0 if no tokenizer gives the vocabulary size."""
    tokenizer = getattr(model, "tokenizer", None)
    return 0.0 if tokenizer is None else groups / len(tokenizer)


# Can a language model read a corpus? Masked models are checked by words, causal ones by sentences.


def reading(model: LanguageModel | OnlineModel, corpus: Corpus, *, seed: int = 0) -> Readability | None:
    """Check words at their position (masked models) or the order of sentences (causal models); nothing for others."""
    if isinstance(model, OnlineModel):
        # its answers are ratios, not probabilities; the check applies to the inner model
        return reading(model.model, corpus, seed=seed)
    if fills_masks(model):
        return words_at_their_place(model, corpus, seed=seed)
    return sentence_order(model, corpus, seed=seed) if scores_text(model) else None
