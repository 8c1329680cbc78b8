"""Embeddings whose gender axis and separability are known: the standard of the measures on vectors.

Definitional words lie along the first axis, made-up words lean towards their gender in isotropic noise, which is new in
every sentence. What a measure should read follows from the normal distribution.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray
from scipy import integrate
from scipy.stats import nct

from biascheck.corpora.contexts import lexicon_from_templates
from biascheck.corpora.lexicon import Lexicon
from biascheck.corpora.rewriting.gender_words import GENDER_PAIRS
from biascheck.models.adapters.fakes import FunctionEncoder

__all__ = [
    "FEMALE",
    "MALE",
    "WIDTH",
    "bias_of_words",
    "moment_of_cosine",
    "noise",
    "planted_encoder",
    "planted_lexicon",
    "subspace_share",
]

WIDTH = 24
MALE = {male for male, _ in GENDER_PAIRS}
FEMALE = {female for _, female in GENDER_PAIRS}


def noise(*facts: object) -> NDArray[np.float64]:
    """Standard normal numbers that depend on the facts alone."""
    return _generator(facts).normal(size=WIDTH)


def bias_of_words(count: int) -> dict[str, float]:
    """Made-up words, every other one male."""
    return {f"w{n}": (1.0 if n % 2 else -1.0) * (1 + n / count) for n in range(count)}


def planted_lexicon(count: int, sentences: int = 10) -> Lexicon:
    """The made-up words, in so many sentences each."""
    templates = [f"Sentence {n} is about {{word}} too." for n in range(sentences)]
    return lexicon_from_templates("planted", bias_of_words(count), templates=templates)


def planted_encoder(
    *, lean: float = 0.0, pairs: float = 5.0, astray: float = 0.0, on_axis: bool = True, seed: int = 0
) -> FunctionEncoder:
    """Definitional words lie ``pairs`` along the first axis; the others ``lean`` towards their gender, in noise.

    Each word leans to the other gender with the probability ``astray``: what tells genders apart can be right about the
    rest only. With ``on_axis=False`` words lean along the second axis, where the pairs do not differ.
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
    """The share of the first axis where partners lie 2 · ``pairs`` apart, each in noise of its own."""
    return (4 * pairs**2 + 2) / (4 * pairs**2 + 2 * WIDTH)


def _generator(facts: tuple[object, ...]) -> np.random.Generator:
    digest = hashlib.sha256(repr(facts).encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "little"))
