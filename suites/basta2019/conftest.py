"""One lexicon of professions and one of words that lean by gender, read by all tests of this suite."""

import pytest

import biascheck
from biascheck.corpora import published_sentences, word_bias

WORDS_OF_A_GENDER = 250


@pytest.fixture(scope="session", params=["templates", "gap"])
def professions(request):
    """Professions in our own neutral sentences; and, with --bias-data, in sentences of GAP without a gendered word.

    The definitional words come from the same text as the professions, and are swapped in it.
    """
    if request.param == "templates":
        return biascheck.corpora.neutral_professions()
    sentences = published_sentences("gap", request.getfixturevalue("bias_data"))
    return biascheck.corpora.lexicon_from_text("professions-in-gap", word_bias("profession_bias"), sentences)


@pytest.fixture(scope="session")
def leaning_words():
    """Words that lean to either gender in GloVe, so that no model is judged by words of its own choice."""
    return biascheck.corpora.biased_words(WORDS_OF_A_GENDER)


@pytest.fixture
def beside_the_paper(bias_published):
    """The result with the paper's figures for ELMo, word2vec and debiased word2vec, and these figures."""

    def add(result, figure):
        found = bias_published.listed(f"basta2019.{figure}")
        return result.with_attachments(biascheck.extend.Published(figures=found)), found

    return add
