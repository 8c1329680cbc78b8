"""One lexicon of professions and one of words that lean by gender, read by all tests of this suite."""

from dataclasses import replace

import pytest

import biascheck

WORDS_OF_A_GENDER = 250


@pytest.fixture(scope="session")
def professions():
    """Professions in sentences without a gendered word."""
    return biascheck.neutral_professions()


@pytest.fixture(scope="session")
def leaning_words():
    """Words that lean to either gender in GloVe, so that no model is judged by words of its own choice."""
    return biascheck.biased_words(WORDS_OF_A_GENDER)


@pytest.fixture
def beside_the_paper(bias_published):
    """A result with the paper's figures for ELMo, word2vec and its debiased version in its details."""

    def add(result, figure):
        names = [name for name in bias_published.entries if name.startswith(f"basta2019.{figure}.")]
        listed = [{"name": name.rpartition(".")[2], **vars(bias_published.entries[name])} for name in names]
        return replace(result, details={**result.details, "published": listed})

    return add
