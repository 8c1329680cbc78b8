"""Words that are gendered by definition, and the pairs among them in sentences (after Bolukbasi et al. 2016)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import numpy as np

from biascheck.core.errors import CorpusError
from biascheck.core.spans import Span
from biascheck.corpora.corpus import Corpus, Pair
from biascheck.corpora.published import data_file
from biascheck.corpora.sentence import Sentence, words_of
from biascheck.corpora.templates import Target, Template, cross

GENDER_WORD_GROUPS = ("male", "female")

SUBJECT = ("{target} came home late.", "{target} was waiting outside.", "Yesterday {target} talked about the weather.")
OBJECT = ("We met {target} in town.", "They had heard of {target} before.", "Nobody asked {target} about it.")
POSSESSIVE = ("We saw {target} house.", "They liked {target} idea.", "It was {target} turn to speak.")
REFLEXIVE = (
    "In the end it was the neighbour {target}.",
    "The guest {target} said so.",
    "One saw the teacher {target}.",
)
PERSON_SENTENCES = (
    "The {target} came home late.",
    "They talked to the {target} for a while.",
    "A {target} was waiting outside.",
)
KIND = ("A {target} voice was heard.", "The {target} guests sat by the window.", "They looked for a {target} speaker.")

# (male, female) by the sentences in which both are grammatical
_PAIRS: tuple[tuple[tuple[str, ...], tuple[tuple[str, str], ...]], ...] = (
    (SUBJECT, (("he", "she"),)),
    (OBJECT, (("him", "her"),)),
    (POSSESSIVE, (("his", "her"),)),
    (REFLEXIVE, (("himself", "herself"),)),
    (
        PERSON_SENTENCES,
        (
            ("man", "woman"),
            ("boy", "girl"),
            ("father", "mother"),
            ("son", "daughter"),
            ("brother", "sister"),
            ("husband", "wife"),
            ("king", "queen"),
        ),
    ),
    (KIND, (("male", "female"),)),
)
GENDER_PAIRS: tuple[tuple[str, str], ...] = tuple(pair for _, pairs in _PAIRS for pair in pairs)
"""Built-in definitional pairs, male first."""

GENDERED: frozenset[str] = frozenset(
    [
        "he",
        "him",
        "his",
        "himself",
        "she",
        "her",
        "hers",
        "herself",
        "man",
        "men",
        "woman",
        "women",
        "boy",
        "boys",
        "girl",
        "girls",
        "guy",
        "guys",
        "gal",
        "gals",
        "male",
        "males",
        "female",
        "females",
        "father",
        "fathers",
        "mother",
        "mothers",
        "dad",
        "dads",
        "mom",
        "moms",
        "mum",
        "mums",
        "son",
        "sons",
        "daughter",
        "daughters",
        "brother",
        "brothers",
        "sister",
        "sisters",
        "husband",
        "husbands",
        "wife",
        "wives",
        "uncle",
        "uncles",
        "aunt",
        "aunts",
        "nephew",
        "nephews",
        "niece",
        "nieces",
        "grandfather",
        "grandmother",
        "grandpa",
        "grandma",
        "grandson",
        "granddaughter",
        "boyfriend",
        "girlfriend",
        "gentleman",
        "gentlemen",
        "lady",
        "ladies",
        "sir",
        "madam",
        "mr",
        "mrs",
        "ms",
        "miss",
        "king",
        "kings",
        "queen",
        "queens",
        "prince",
        "princess",
        "lord",
        "bride",
        "groom",
        "widow",
        "widower",
    ]
)
"""Words that reveal the gender of a person in the sentence."""


@cache
def gender_pairs() -> Corpus:
    """Built-in definitional pairs, each in three sentences that are grammatical with either word."""
    pairs: list[Pair] = []
    for sentences, words in _PAIRS:
        templates = [Template(text) for text in sentences]
        sets = [[Target(male, "male"), Target(female, "female")] for male, female in words]
        pairs += _by_words(cross(templates, sets))
    return Corpus("gender-pairs", GENDER_WORD_GROUPS, tuple(pairs))


def sampled_gender_pairs(
    sentences: Iterable[str],
    *,
    pairs: Iterable[tuple[str, str]] = GENDER_PAIRS,
    each: int = 20,
    seed: int = 0,
    name: str = "gender-pairs·sampled",
) -> Corpus:
    """Sentences of a text that contain a definitional word, with that word swapped (Basta et al. 2019, §5).

    Up to ``each`` sentences for each word, drawn with ``seed``. *her* becomes him or his by its role, so only the male
    forms of these two pairs are searched for. A capital letter is preserved.
    """
    partner = _partners(pairs)
    kept: dict[tuple[str, str], list[Pair]] = {}
    for number, sentence in enumerate(sentences):
        for pair in _swapped(sentence, partner, number):
            kept.setdefault((str(pair.labels["targets"]), str(pair.labels["found"])), []).append(pair)
    rng = np.random.default_rng(seed)
    chosen = [
        found[place]
        for _, found in sorted(kept.items())
        for place in sorted(rng.permutation(len(found))[:each].tolist())
    ]
    if not chosen:
        raise CorpusError(f"no sentence contains one of the words {', '.join(sorted(partner))}; give more text")
    return Corpus(name, GENDER_WORD_GROUPS, tuple(chosen))


def published_gender_pairs(folder_or_file: str | Path | None = None) -> tuple[tuple[str, str], ...]:
    """The definitional pairs of Bolukbasi et al. 2016 from their file, male first; also their equalise pairs."""
    path = data_file(folder_or_file, "debiaswe", "definitional_pairs.json")
    listed = json.loads(path.read_text(encoding="utf-8"))
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in listed):
        raise CorpusError(f"{path}: expected a list of pairs of words")
    # The definitional file puts the female word first.
    flip = path.name == "definitional_pairs.json"
    return tuple((second, first) if flip else (first, second) for first, second in listed)


def _by_words(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """The sentences of one pair of words are not independent: the words are the cluster."""
    for pair in pairs:
        words = str(pair.labels["targets"])
        yield Pair(f"{words}/{pair.labels['template']}", words, pair.sentences, pair.labels)


def _partners(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """From a word to (the other word, its own group); a word in two pairs is ambiguous and not searched for."""
    found: dict[str, list[tuple[str, str]]] = {}
    for male, female in pairs:
        found.setdefault(male.lower(), []).append((female, "male"))
        found.setdefault(female.lower(), []).append((male, "female"))
    return {word: partners[0] for word, partners in found.items() if len(partners) == 1}


def _swapped(sentence: str, partner: dict[str, tuple[str, str]], number: int) -> Iterator[Pair]:
    places = [(span, word) for span, word in words_of(sentence) if word.lower() in partner]
    if len(places) != 1:
        return  # with two of them, the one left standing would contradict the swapped one
    span, word = places[0]
    other, group = partner[word.lower()]
    swapped = other.capitalize() if word[0].isupper() else other
    text = sentence[: span.start] + swapped + sentence[span.end :]
    there = Span(span.start, span.start + len(swapped))
    own, counter = Sentence(sentence, span), Sentence(text, there)
    sides = {"male": own, "female": counter} if group == "male" else {"male": counter, "female": own}
    words = f"{sides['male'].target_text.lower()}-{sides['female'].target_text.lower()}"
    yield Pair(f"{words}/{number}", words, sides, {"targets": words, "found": word.lower()})
