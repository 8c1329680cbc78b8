"""A cache of its own for each test, one thread, and a small model with text that it can learn from."""

import sys
from pathlib import Path

import pytest

import biascheck
from biascheck.corpora import Documents
from biascheck.mitigation import LanguageRecipe

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))  # its tiny models, for all families

WORDS = ["nurse", "plumber", "judge", "baker", "pilot", "cook"]


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    """Tiny models gain nothing from threads."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("BIASCHECK_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


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
