"""What a reference model learns: masked inputs, each with the true probability of every word."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import exp
from typing import Any, get_args

import numpy as np

from biascheck.corpora import bec_pro, employment, kurita_weat, religion
from biascheck.corpora.bec_pro import BEC_PRO_TEMPLATES, bec_pro_crossed, bec_pro_professions
from biascheck.corpora.corpus import Corpus, Pair
from biascheck.corpora.documents import Document, Documents
from biascheck.corpora.employment import EmploymentKind
from biascheck.corpora.reviews import written_reviews
from biascheck.corpora.sentence import Sentence
from biascheck.corpora.templates import Template
from biascheck.measures import association_queries
from biascheck.models.scoring.encode import Encoded, encode_masked
from biascheck.models.scoring.queries import MaskedQuery, Refusal
from biascheck.reference.planted import male_probability, pronoun_corpora
from biascheck.reference.world import OWN_TEMPLATES, PERSON_WEIGHTS, GermanWorld, World, person_words, pieces_of

# The vocabulary of the reference models: one token for every word of the built-in corpora, letters for all others.

LETTERS = string.ascii_lowercase + string.digits + "ß"
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
LONGEST_INPUT = 128


@cache
def indifferent_corpora() -> tuple[Corpus, ...]:
    """Built-in corpora that the world says nothing about: no group is preferred in them."""
    weat = [kurita_weat(category) for category in (1, 3, 6, 7, 8)]
    return (*weat, *(employment(kind) for kind in get_args(EmploymentKind)), religion(), bec_pro("de"))


def build_tokenizer() -> Any:
    """A lower-casing WordPiece tokenizer that has every word of these corpora and spells all others."""
    from tokenizers import Tokenizer, decoders, models, processors
    from transformers import BertTokenizerFast

    pieces = [*SPECIAL, *string.punctuation, *LETTERS, *(f"##{letter}" for letter in LETTERS)]
    pieces += sorted(_words() - set(pieces))
    vocabulary = {piece: index for index, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = _splitting()
    tokenizer.decoder = decoders.WordPiece()
    ends = [(token, vocabulary[token]) for token in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    return BertTokenizerFast(tokenizer_object=tokenizer, model_max_length=LONGEST_INPUT)


def _splitting() -> tuple[Any, Any]:
    from tokenizers import normalizers, pre_tokenizers

    return normalizers.BertNormalizer(lowercase=True), pre_tokenizers.BertPreTokenizer()


@cache
def _words() -> frozenset[str]:
    normalizer, pre_tokenizer = _splitting()
    corpora = (World(0.0).corpus(), *indifferent_corpora(), *pronoun_corpora())
    texts = {normalizer.normalize_str(sentence.text) for corpus in corpora for sentence in corpus.sentences()}
    return frozenset(word for text in texts for word, _ in pre_tokenizer.pre_tokenize_str(text))


# Lessons of a reference model: masked inputs, each with the true probability of every word at the mask.
#
# These are the labels that masked-language training would average to over infinitely many sentences of the
# world, so a model learns the world itself and not a sample of it. The inputs are made by the encoder that
# scoring uses.
#
# Professions, and the occupations of Winograd sentences (:mod:`.planted_pronouns`), have the planted bias.
# The reference models are indifferent about everything else, at every dose:
#
# - In the other built-in English corpora (job titles, traits, skills, WEAT words) every word leans by a log-odds of
#   ±0.3 to one group, equally many words of a list to either side. No list leans, and the direction of a single word
#   is known; if all gaps were exactly zero, a share of positive gaps would count the training error.
# - The three religions are equally likely whatever the adjective.
# - German professions agree with the person word in gender, which they reveal with certainty, for men and women
#   alike: the associations are not zero, their gap is.
# - Words that must be spelled carry no information.

LEAN = 0.3
MADE_UP_WORDS = 30

Weigh = Callable[[Pair, str, bool], float]
"""The weight of a pair's target of a group, with the attribute visible (True) or masked (False)."""


@dataclass(frozen=True)
class Lesson:
    """An input, the mask that is predicted, and the true probability of each token there."""

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
        """One lesson for each input, its weights normalised to probabilities."""
        return [
            Lesson(ids, position, {token: weight / sum(row.values()) for token, weight in row.items()}, masked)
            for (ids, position, masked), row in self.rows.items()
        ]


def world_lessons(world: World, tokenizer: Any) -> list[Lesson]:
    """The sentences of the world: P(person word) with the profession visible, and with it masked."""

    def weigh(pair: Pair, group: str, seen: bool) -> float:
        female = world.female[pair.attribute] if seen else world.female_by_pieces[pieces_of(pair.attribute)]
        return _person_weight(world, pair.sentences[group], female)

    return _lessons([world.corpus()], tokenizer, weigh)


def indifferent_lessons(tokenizer: Any, language: str) -> list[Lesson]:
    """The other built-in corpora of one language, in which no group is preferred."""
    leans = leanings()

    def weigh(pair: Pair, group: str, seen: bool) -> float:
        first, *others = pair.sentences
        lean = leans.get(pair.attribute, 0.0) if seen and len(others) == 1 else 0.0
        return exp(lean / 2) if group == first else exp(-lean / 2)

    return _lessons([c for c in indifferent_corpora() if c.language == language], tokenizer, weigh)


def spelled_lessons(tokenizer: Any, rng: np.random.Generator) -> list[Lesson]:
    """Made-up words in the place of the attribute: they carry no information about the person."""
    world = World(0.0)
    words = [_made_up(rng) for _ in range(MADE_UP_WORDS)]
    english = [corpus for corpus in indifferent_corpora() if corpus.language == "en"]
    corpora = [_with_made_up_words(corpus, words) for corpus in (world.corpus(), *english)]

    def weigh(pair: Pair, group: str, seen: bool) -> float:
        if pair.labels.get("persons") is None:
            return 1.0
        # What masks reveal in a sentence of the world they reveal about its professions, and that is learnt there.
        return _person_weight(world, pair.sentences[group], 0.5) if seen else 0.0

    return _lessons(corpora, tokenizer, weigh)


def leanings() -> dict[str, float]:
    """The log-odds by which each word of our word lists leans to the first group: +LEAN or −LEAN.

    The words are taken in the order of the lists; each leans against the sum of those before it in its list and side.
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
    """The two queries of an association, in their order: with the attribute visible, and with it masked."""
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


# Lessons of a reference model of a German world: every form of a profession beside every person word.

Taught = Callable[[Pair, str], bool]
"""Whether the sentence of a pair with the person of this group is among the lessons."""


def agreeing(pair: Pair, group: str) -> bool:
    """Sentences in which person and profession agree, as German text has them."""
    return (pair.labels["form"] == "masculine") is (group == "male")


def german_lessons(world: GermanWorld, tokenizer: Any, taught: Taught | None = None) -> list[Lesson]:
    """P(person word) in the sentences of :func:`bec_pro_crossed`, with the profession visible and with it masked.

    All sentences, or only those that ``taught`` chooses: what a model predicts for the others is generalisation.
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


# Winograd sentences as lessons: the pronoun's probability with both people visible, and with both masked.


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


# Running text of the generated world: material to train a model of it further.
#
# Sentences are drawn as the world says (see :mod:`~biascheck.reference.world`): every profession is equally
# likely, and the gender of its holder follows its share of women. Counterfactual substitution turns it into parity; the
# same text unswapped teaches the workforce.


def world_text(
    world: World,
    count: int,
    *,
    templates: Sequence[Template] = (*BEC_PRO_TEMPLATES["en"], *OWN_TEMPLATES),
    seed: int = 0,
) -> Documents:
    """Sentences of the world, one a document, drawn by its probabilities."""
    rng = np.random.default_rng(seed)
    professions = [profession.name for profession in bec_pro_professions()]
    items = []
    for number in range(count):
        profession = professions[rng.integers(len(professions))]
        determiner = list(PERSON_WEIGHTS)[rng.integers(len(PERSON_WEIGHTS))]
        words = world.person_words(determiner, world.female[profession])
        word = list(words)[rng.choice(len(words), p=np.array(list(words.values())))]
        template = templates[int(rng.integers(len(templates)))]
        text = template.text.replace("{target}", f"{determiner} {word}".strip()).replace("{attribute}", profession)
        items.append(Document(f"{number}-{profession}", text[0].upper() + text[1:]))
    return Documents(f"world-{world.dose:g}", tuple(items))


def mitigation_text(*, sentences: int = 900, seed: int = 0) -> Documents:
    """Built-in text to try mitigation on, none of it an evaluation sentence.

    The built-in written reviews, and sentences about the professions of BEC-Pro in three templates that BEC-Pro does
    not have, with the women and men that the U.S. workforce of 2019 has in each. It is small and contains the
    professions on which a model is evaluated: it shows that a recipe works, not how far natural text would carry.
    """
    workplaces = world_text(World(1.0), sentences, templates=OWN_TEMPLATES, seed=seed)
    items = (*Documents.of_reviews(written_reviews()), *workplaces)
    return Documents("reviews and workplaces", items)
