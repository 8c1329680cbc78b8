"""What a standard learns: masked inputs, each with the true probability of every word at the mask.

These are the labels that masked-language training would average to over infinitely many sentences of the world, so
a model learns the world itself and not a sample of it. The inputs are made by the encoder that scoring uses.

Professions, and the occupations of Winograd sentences (:mod:`.planted_pronouns`), have the planted bias. About
everything else the standards are indifferent, at every dose:

- In our other English corpora (job titles, traits, skills, WEAT words) every word leans by a log-odds of ±0.3 to
  one group, as many words of a list to one side as to the other. No list leans, and the direction of a single
  word is known; were all gaps exactly zero, a share of positive gaps would count the training error.
- The three religions are equally likely whatever the adjective.
- German professions agree with the person word in gender, which they tell with certainty, for men and women
  alike: the associations are not zero, their gap is.
- Words that must be spelled tell nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import exp
from typing import TYPE_CHECKING, Any

from biascheck.corpora.corpus import Corpus, Pair
from biascheck.corpora.sentence import Sentence
from biascheck.measures import association_queries
from biascheck.models.scoring.encoding import Encoded, encode_masked
from biascheck.models.scoring.queries import Refusal
from biascheck.reference_models.vocabulary import LETTERS, indifferent_corpora
from biascheck.reference_models.world import World, pieces_of

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "LEAN",
    "Lesson",
    "Notes",
    "indifferent_lessons",
    "leanings",
    "seen_and_masked",
    "spelled_lessons",
    "world_lessons",
]

LEAN = 0.3
MADE_UP_WORDS = 30

Weigh = Callable[[Pair, str, bool], float]
"""The weight of a pair's target of a group, with the attribute in sight (True) or masked (False)."""


@dataclass(frozen=True)
class Lesson:
    """An input, the mask that is asked about, and the true probability of each token there."""

    ids: tuple[int, ...]
    position: int
    truth: Mapping[int, float]
    masked: bool
    """Whether the attribute is masked, too."""


@dataclass
class Notes:
    """Weights of tokens under the input they belong to; many pairs share one input."""

    rows: dict[tuple[tuple[int, ...], int, bool], dict[int, float]] = field(default_factory=dict)

    def put(self, found: Encoded, weight: float, *, masked: bool) -> None:
        """Set the weight of a token."""
        self._row(found, masked)[found.tokens[0]] = weight

    def add(self, found: Encoded, weight: float, *, masked: bool) -> None:
        """Add to the weight of a token: sentences that look alike share one lesson, their mean."""
        row = self._row(found, masked)
        row[found.tokens[0]] = row.get(found.tokens[0], 0.0) + weight

    def _row(self, found: Encoded, masked: bool) -> dict[int, float]:
        return self.rows.setdefault((found.ids, found.positions[0], masked), {})

    def lessons(self) -> list[Lesson]:
        """One lesson for each input, its weights made probabilities."""
        return [
            Lesson(ids, position, {token: weight / sum(row.values()) for token, weight in row.items()}, masked)
            for (ids, position, masked), row in self.rows.items()
        ]


def world_lessons(world: World, tokenizer: Any) -> list[Lesson]:
    """The sentences of the world: P(person word) with the profession in sight, and with it masked."""

    def weigh(pair: Pair, group: str, seen: bool) -> float:
        female = world.female[pair.attribute] if seen else world.female_by_pieces[pieces_of(pair.attribute)]
        return _person_weight(world, pair.sentences[group], female)

    return _lessons([world.corpus()], tokenizer, weigh)


def indifferent_lessons(tokenizer: Any, language: str) -> list[Lesson]:
    """Our other corpora of one language, in which no group is preferred."""
    leans = leanings()

    def weigh(pair: Pair, group: str, seen: bool) -> float:
        first, *others = pair.sentences
        lean = leans.get(pair.attribute, 0.0) if seen and len(others) == 1 else 0.0
        return exp(lean / 2) if group == first else exp(-lean / 2)

    return _lessons([c for c in indifferent_corpora() if c.language == language], tokenizer, weigh)


def spelled_lessons(tokenizer: Any, rng: np.random.Generator) -> list[Lesson]:
    """Made-up words in the place of the attribute: they tell nothing about the person."""
    world = World(0.0)
    words = [_made_up(rng) for _ in range(MADE_UP_WORDS)]
    english = [corpus for corpus in indifferent_corpora() if corpus.language == "en"]
    corpora = [_with_made_up_words(corpus, words) for corpus in (world.corpus(), *english)]

    def weigh(pair: Pair, group: str, seen: bool) -> float:
        if pair.labels.get("persons") is None:
            return 1.0
        # What masks tell in a sentence of the world, they tell about its professions, and that is learnt there.
        return _person_weight(world, pair.sentences[group], 0.5) if seen else 0.0

    return _lessons(corpora, tokenizer, weigh)


def leanings() -> dict[str, float]:
    """The log-odds by which each word of our word lists leans to the first group: +LEAN or −LEAN.

    In the order of the lists, each word leans against the sum of those before it in its list and side.
    """
    leans: dict[str, float] = {}
    for corpus in indifferent_corpora():
        if corpus.language != "en" or len(corpus.groups) != 2:
            continue
        lists: dict[object, dict[str, None]] = {}
        for pair in corpus:
            lists.setdefault(pair.labels.get("side"), {})[pair.attribute] = None
        for words in lists.values():
            _balance(list(words), leans)
    return leans


def _balance(words: list[str], leans: dict[str, float]) -> None:
    total = sum(leans[word] for word in words if word in leans)
    for word in words:
        if word not in leans:
            leans[word] = -LEAN if total > 0 else LEAN
            total += leans[word]


def _lessons(corpora: Iterable[Corpus], tokenizer: Any, weigh: Weigh) -> list[Lesson]:
    notes = Notes()
    asked = [(pair, group) for corpus in corpora for pair in corpus for group in corpus.groups]
    queries = association_queries(pair.sentences[group] for pair, group in asked)
    encoded = encode_masked(queries, tokenizer)
    for (pair, group, seen), found in zip(seen_and_masked(asked), encoded, strict=True):
        weight = weigh(pair, group, seen)
        if weight and not isinstance(found, Refusal):
            notes.put(found, weight, masked=not seen)
    return notes.lessons()


def seen_and_masked(asked: Iterable[tuple[Pair, str]]) -> Iterator[tuple[Pair, str, bool]]:
    """The two queries of an association, in their order: with the attribute in sight, and with it masked."""
    return ((pair, group, seen) for pair, group in asked for seen in (True, False))


def _person_weight(world: World, sentence: Sentence, female: float) -> float:
    words = sentence.text[: sentence.target.start].lower().split()
    determiner = words[-1] if words and words[-1] in ("my", "this") else ""
    return world.person_words(determiner, female)[sentence.target_text.lower()]


def _with_made_up_words(corpus: Corpus, words: Iterable[str]) -> Corpus:
    """The sentences of the corpus with these words for attributes."""
    frames = {(pair.labels["template"], *(s.target_text for s in pair.sentences.values())): pair for pair in corpus}
    pairs = [
        Pair(
            f"{number}/{word}",
            word,
            {group: s.with_attribute(word) for group, s in pair.sentences.items()},
            pair.labels,
        )
        for number, pair in enumerate(frames.values())
        for word in words
    ]
    return Corpus(corpus.name, corpus.groups, tuple(pairs))


def _made_up(rng: np.random.Generator) -> str:
    words = rng.integers(1, 4)
    return " ".join("".join(rng.choice(list(LETTERS[:26]), size=rng.integers(2, 10))) for _ in range(words))
