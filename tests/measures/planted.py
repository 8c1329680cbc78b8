"""Embeddings whose gender axis and separability are known, as static tables and as encoders."""

from __future__ import annotations

import hashlib

import numpy as np

import biascheck
from biascheck.corpora.gender_words import GENDER_PAIRS
from biascheck.corpora.lexicon import Lexicon
from biascheck.testing import FunctionEncoder

WIDTH = 24
MALE = {male for male, _ in GENDER_PAIRS}
FEMALE = {female for _, female in GENDER_PAIRS}


def noise(*facts: object) -> np.ndarray:
    """Standard normal numbers that depend on the facts alone."""
    digest = hashlib.sha256(repr(facts).encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "little")).normal(size=WIDTH)


def words(count: int, prefix: str = "w") -> dict[str, float]:
    """Made-up words, every other one male."""
    return {f"{prefix}{n}": (1.0 if n % 2 else -1.0) * (1 + n / count) for n in range(count)}


def lexicon(count: int, sentences: int = 10) -> Lexicon:
    templates = [f"Sentence {n} is about {{word}} too." for n in range(sentences)]
    return biascheck.lexicon_from_templates("planted", words(count), templates=templates)


def is_astray(word: str, share: float) -> bool:
    """Every n-th pair of words, so that the share is the same in either gender."""
    return share > 0 and (int(word[1:]) // 2) % round(1 / share) == 0


def encoder(
    *,
    lean: float = 0.0,
    spread: float = 1.0,
    seed: int = 0,
    on_axis: bool = True,
    pairs: float = 5.0,
    astray: float = 0.0,
) -> FunctionEncoder:
    """Definitional words lie ``pairs`` along the first axis; the others ``lean`` towards their gender, in noise.

    A share ``astray`` of the words leans to the other gender: what tells genders apart can be right about the rest
    only. With ``on_axis=False`` words lean along the second axis, where the pairs do not differ. Noise is new in every
    sentence.
    """
    axis = np.eye(WIDTH)[0]
    leaning = axis if on_axis else np.eye(WIDTH)[1]

    def vector(word: str, text: str) -> np.ndarray:
        if word.lower() in MALE | FEMALE:
            return pairs * axis * (1 if word.lower() in MALE else -1) + noise(seed, "pair", text)
        gender = (1 if int(word[1:]) % 2 else -1) * (-1 if is_astray(word, astray) else 1)
        return lean * gender * leaning + spread * noise(seed, word, text)

    return FunctionEncoder(vector, name="planted")
