"""A cache of its own for each test, one thread, and a small model with text that it can learn from."""

import pytest

import biascheck
from biascheck.corpora import Documents
from biascheck.mitigation import LanguageRecipe
from support.fixtures import one_thread, own_cache

__all__ = ["one_thread", "own_cache", "quick", "small_text", "tiny"]


WORDS = ["nurse", "plumber", "judge", "baker", "pilot", "cook"]


@pytest.fixture(scope="session")
def tiny():
    return biascheck.load("reference:tiny")


@pytest.fixture(scope="session")
def small_text():
    texts = [f"{person} works as a {job}." for person in ("he", "she", "my brother", "this woman") for job in WORDS]
    return Documents.of("small", [*texts, *(f"{text} John saw her." for text in texts)])


@pytest.fixture(scope="session")
def quick():
    return LanguageRecipe(
        name="quick", epochs=2, patience=2, batch=8, learning_rate=1e-3, freeze_embeddings=False, validation=0.2
    )
