"""One lexicon of professions and one of words that lean by gender, read by all tests of this suite.

The paper clusters 500 words of a gender, and classifies 2,500. Half as many, or a tenth, decide a gate; with
``--bias-paper-sizes`` the suite takes the paper's, and its figures are shown beside.
"""

import pytest

import biascheck
from biascheck.corpora import published_professions, published_sentences, word_bias

ENOUGH = 250
PAPER = {"clustered": 500, "classified": 2_500}


@pytest.fixture(scope="session", params=["templates", "gap"])
def professions(request, bias_paper_sizes):
    """Professions in our own neutral sentences; and, with --bias-data, in sentences of GAP without a gendered word.

    The definitional words come from the same text as the professions, and are swapped in it.
    """
    bias = word_bias("profession_bias")
    if bias_paper_sizes:
        bias = published_professions(request.getfixturevalue("bias_data"))
    if request.param == "templates":
        return _in_templates(bias) if bias_paper_sizes else biascheck.corpora.neutral_professions()
    sentences = published_sentences("gap", request.getfixturevalue("bias_data"))
    return biascheck.corpora.lexicon_from_text("professions-in-gap", bias, sentences)


def _in_templates(bias):
    templates = ["The {word} arrived early.", "We spoke to the {word} on the phone.", "They are looking for a {word}."]
    return biascheck.corpora.lexicon_from_templates("professions-320", bias, templates=templates)


@pytest.fixture(scope="session")
def clustered_words(bias_paper_sizes):
    """Words that lean to either gender in GloVe, so that no model is judged by words of its own choice."""
    return biascheck.corpora.biased_words(PAPER["clustered"] if bias_paper_sizes else ENOUGH)


@pytest.fixture(scope="session")
def classified_words(bias_paper_sizes):
    """The same, as many as the classification of the paper has."""
    return biascheck.corpora.biased_words(PAPER["classified"] if bias_paper_sizes else ENOUGH)


@pytest.fixture
def beside_the_paper(bias_published, bias_paper_sizes):
    """The result with the paper's figures for ELMo, word2vec and debiased word2vec, and these, at the paper's sizes."""

    def add(result, figure):
        found = bias_published.listed(f"basta2019.{figure}") if bias_paper_sizes else ()
        return result.with_attachments(biascheck.extend.Published(figures=found)) if found else result, found

    return add
