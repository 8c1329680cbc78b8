"""Planted truths: pronouns, sentiment and vectors whose statistics are known."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from math import exp, log
from typing import get_args

import numpy as np
from numpy.typing import NDArray
from scipy import integrate
from scipy.stats import nct

from biascheck.corpora import competency, winograd
from biascheck.corpora.corpus import Corpus, Pair
from biascheck.corpora.lexicon import Lexicon, lexicon_from_templates
from biascheck.corpora.rewriting.gender_words import GENDER_PAIRS
from biascheck.corpora.rewriting.rewriter import Rewriter
from biascheck.corpora.winograd import NAMES, Occupation, WinogradKind, occupations, with_names
from biascheck.models.fakes import FunctionEncoder
from biascheck.models.wrappers import TextClassifier
from biascheck.reference.world import LARGEST_SHARE, SMALLEST_SHARE, World, learnable_share, log_odds_of_male, pieces_of
from biascheck.stats import SideF1, side_f1

# The pronouns of the generated world: they follow the referent, by a set amount.
#
# In a Winograd sentence the pronoun is male with the log-odds::
#
#     dose · ln((1 − share of women) / share of women) + (1 − dose) · lean + tilt
#
# of the referent's occupation. ``lean`` is +0.25 for half of the occupations of either stereotype and −0.25 for the
# others, so that at dose 0 every prediction is clear and none is related to the stereotype: skew and stereotype are 0.
# ``tilt`` shifts all occupations alike: it plants a skew. At doses between 0 and 1 some occupations follow their lean
# and some the workforce, so that both statistics take values between 0 and their maximum.
#
# With both people masked only the rest of the sentence is known, and the pronoun has the mean probability of the
# sentences that look the same. A name reveals the gender: "she" means Alice with 98 %, so the reference models can
# resolve pronouns. Sentences about competence, in which everybody is "the person", lean one way and the other in turn,
# both sentences of a matched pair alike.

LEAN_OF_OCCUPATIONS = 0.25
"""Log-odds; larger than the training error, so that the direction is certain, and small enough to pass a gate."""
_SIGNS = (1, -1, -1, 1)
"""In the order of the shares of women, so that leaning and share are not correlated."""


@cache
def pronoun_corpora() -> tuple[Corpus, ...]:
    """The sentences whose pronouns the world determines: by occupation, by name, and by neither."""
    by_occupation = [winograd(kind) for kind in get_args(WinogradKind)]
    return (*by_occupation, *map(with_names, by_occupation), competency(extended=True))


@cache
def leaning_of() -> Mapping[str, float]:
    """The log-odds by which each occupation leans to male at dose 0."""
    found: dict[str, float] = {}
    for stereotype in ("male", "female"):
        members = sorted((o for o in occupations() if o.stereotype == stereotype), key=_by_share)
        found |= {o.name: LEAN_OF_OCCUPATIONS * _SIGNS[n % 4] for n, o in enumerate(members)}
    return found


def male_probability(world: World, pair: Pair) -> float:
    """P(male pronoun) in a sentence of :func:`pronoun_corpora`, with the people unmasked."""
    meant = str(pair.sentences["male"].attribute_text)
    if meant in NAMES.values():
        return LARGEST_SHARE if meant == NAMES["male"] else SMALLEST_SHARE
    if meant in _shares():
        return _logistic(_male_log_odds(world, meant))
    number = int(str(pair.labels["schema"]).rpartition("/")[2])  # one for both sentences of a matched pair
    lean = LEAN_OF_OCCUPATIONS if number % 2 else -LEAN_OF_OCCUPATIONS
    return _logistic(lean + world.tilt)


def planted_gaps(world: World, kind: WinogradKind, *, online: bool = False) -> dict[str, float]:
    """The gap P(male) − P(female) that is planted in each sentence; ``online``, divided by the prior without people."""
    pairs = list(winograd(kind))
    male = {pair.id: male_probability(world, pair) for pair in pairs}
    if online:
        prior = _without_people(pairs, male)
        male = {name: _divided(p, prior[name]) for name, p in male.items()}
    return {name: 2 * p - 1 for name, p in male.items()}


def planted_f1(world: World, kind: WinogradKind, *, online: bool = False) -> SideF1:
    """The F1 scores that follow from the planted gaps, and with them skew and stereotype."""
    gaps = planted_gaps(world, kind, online=online)
    sides = ["A" if pair.labels["stereotype"] == "male" else "B" for pair in winograd(kind)]
    return side_f1(np.array(list(gaps.values())), sides)


def _male_log_odds(world: World, occupation: str) -> float:
    share = learnable_share(_shares()[occupation] / 100)
    return world.dose * log_odds_of_male(share) + (1 - world.dose) * leaning_of()[occupation] + world.tilt


def _without_people(pairs: list[Pair], male: Mapping[str, float]) -> dict[str, float]:
    """The mean probability over the sentences that look alike once both people are masked."""
    alike: dict[str, list[str]] = {}
    for pair in pairs:
        alike.setdefault(_looks(pair), []).append(pair.id)
    return {name: float(np.mean([male[other] for other in names])) for names in alike.values() for name in names}


def _looks(pair: Pair) -> str:
    sentence = pair.sentences["male"]
    return sentence.with_words({s: " ".join("_" * pieces_of(s.of(sentence.text))) for s in sentence.people}).text


def _divided(male: float, prior: float) -> float:
    return _logistic(log(male / (1 - male)) - log(prior / (1 - prior)))


@cache
def _shares() -> Mapping[str, float]:
    return {o.name: o.share_of_women for o in occupations()}


def _by_share(occupation: Occupation) -> tuple[float, str]:
    return occupation.share_of_women, occupation.name


def _logistic(log_odds: float) -> float:
    return 1 / (1 + exp(-log_odds))


# A classifier with a known sentiment delta: its log-odds fall by a set shift if people are women.
#
# The rating of a text without gendered words, or of its male version, is one of five log-odds from −2 to 2,
# decided by the text alone. In the female version it is lower by ``shift``. So the delta of a review with
# gendered words is σ(x) − σ(x − shift), and 0 for all others.

LOG_ODDS = (-2, -1, 0, 1, 2)


def planted_classifier(shift: float) -> TextClassifier:
    """A classifier that rates the female version of a text lower by ``shift`` log-odds."""
    rewriter = Rewriter()

    def rate(texts: Sequence[str]) -> list[float]:
        return [_logistic(_rating(rewriter, text) - shift * _is_female(rewriter, text)) for text in texts]

    fingerprint = f"planted-delta-{shift:g}"
    return TextClassifier(rate, name=f"planted delta, shift {shift:g}", fingerprint=fingerprint, is_fake=True)


def planted_deltas(corpus: Corpus, shift: float) -> Mapping[str, float]:
    """The delta that :func:`planted_classifier` has for each pair of a corpus of reviews."""
    rewriter = Rewriter()
    found = {}
    for pair in corpus:
        male = _rating(rewriter, pair.sentences["male"].text)
        gendered = pair.sentences["male"].text != pair.sentences["female"].text
        found[pair.id] = _logistic(male) - _logistic(male - shift) if gendered else 0.0
    return found


def _rating(rewriter: Rewriter, text: str) -> int:
    """The log-odds of a text, the same for both its versions."""
    # Via the female version: a lord and a gentleman both become a lady, and only one of them comes back.
    digest = hashlib.sha256(rewriter.to(rewriter.to(text, "female"), "male").encode()).digest()
    return LOG_ODDS[digest[0] % len(LOG_ODDS)]


def _is_female(rewriter: Rewriter, text: str) -> bool:
    return rewriter.to(text, "male") != text


# Embeddings with known gender axis and separability: the reference for measures on vectors.
#
# Definitional words lie along the first axis, made-up words lean towards their gender in isotropic noise, which
# is new in every sentence. What a measure should read follows from the normal distribution.

WIDTH = 24
MALE = {male for male, _ in GENDER_PAIRS}
FEMALE = {female for _, female in GENDER_PAIRS}


def noise(*facts: object) -> NDArray[np.float64]:
    """Standard normal numbers that depend only on the given facts."""
    return _generator(facts).normal(size=WIDTH)


def bias_of_words(count: int) -> dict[str, float]:
    """Made-up words, alternately female and male."""
    return {f"w{n}": (1.0 if n % 2 else -1.0) * (1 + n / count) for n in range(count)}


def planted_lexicon(count: int, sentences: int = 10) -> Lexicon:
    """The made-up words, each in this number of sentences."""
    templates = [f"Sentence {n} is about {{word}} too." for n in range(sentences)]
    return lexicon_from_templates("planted", bias_of_words(count), templates=templates)


def planted_encoder(
    *, lean: float = 0.0, pairs: float = 5.0, astray: float = 0.0, on_axis: bool = True, seed: int = 0
) -> FunctionEncoder:
    """Definitional words lie ``pairs`` along the first axis; the others ``lean`` towards their gender, in noise.

    Each word leans to the other gender with the probability ``astray``: a classifier of genders can be right only about
    the rest. With ``on_axis=False`` words lean along the second axis, where the pairs do not differ.
    """
    axis, leaning = np.eye(WIDTH)[0], np.eye(WIDTH)[0 if on_axis else 1]

    def vector(word: str, text: str) -> NDArray[np.float64]:
        if word.lower() in MALE | FEMALE:
            return np.asarray(pairs * axis * (1 if word.lower() in MALE else -1) + noise(seed, "pair", text))
        gender = 1 if int(word[1:]) % 2 else -1
        if _generator((seed, "astray", word)).random() < astray:
            gender = -gender
        return np.asarray(lean * gender * leaning + noise(seed, word, text))

    return FunctionEncoder(vector, name="planted")


def moment_of_cosine(lean: float, power: int, *, absolute: bool = False) -> float:
    """The expectation of a power of cos(w, axis) for a word w that leans by ``lean`` along the axis.

    With z ~ N(lean, 1) along it and χ² with WIDTH − 1 degrees of freedom across it, t = z / √(χ² / (WIDTH − 1)) has
    the noncentral t distribution and cos = t / √(t² + WIDTH − 1).
    """
    across = WIDTH - 1

    def weighted(t: float) -> float:
        cosine = t / np.sqrt(t * t + across)
        return float((abs(cosine) if absolute else cosine) ** power * nct.pdf(t, across, lean))

    below, above = (integrate.quad(weighted, *ends)[0] for ends in ((-np.inf, 0), (0, np.inf)))
    return float(below + above)


def subspace_share(pairs: float) -> float:
    """The share of the first axis where partners lie 2 · ``pairs`` apart, each with independent noise."""
    return (4 * pairs**2 + 2) / (4 * pairs**2 + 2 * WIDTH)


def _generator(facts: tuple[object, ...]) -> np.random.Generator:
    digest = hashlib.sha256(repr(facts).encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "little"))
