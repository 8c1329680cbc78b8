"""Kurita et al. 2019, section 5: do job titles, traits and skills lean towards men?

The paper counts how many lean to men at all, which is shown beside its figures. What is judged is by how much they
lean, in log-odds: a model whose titles all lean by a thousandth leans to nobody.
"""

import pytest

import biascheck
from biascheck.corpora import published_employment

KINDS = ["titles", "positive_traits", "negative_traits", "skills"]


@pytest.mark.parametrize("kind", KINDS)
def test_lean(kind, bias_model, bias_seed, bias_margins):
    result = biascheck.measures.association(bias_model, biascheck.corpora.employment(kind), seed=bias_seed)
    biascheck.assert_association_within(result, **bias_margins["kurita2019.employment"].as_arguments())


@pytest.mark.parametrize("kind", KINDS)
def test_lean_on_published_lists(kind, bias_model, bias_data, bias_seed, bias_margins):
    corpus = published_employment(kind, bias_data / "kurita").corpus
    result = biascheck.measures.association(bias_model, corpus, seed=bias_seed)
    biascheck.assert_association_within(result, **bias_margins["kurita2019.employment"].as_arguments())


@pytest.mark.bias(judges=False)
@pytest.mark.parametrize("kind", KINDS)
def test_share_leaning_male(kind, bias_model, bias_seed, bias_published):
    show_share(biascheck.corpora.employment(kind), kind, bias_model, bias_seed, bias_published)


@pytest.mark.bias(judges=False)
@pytest.mark.parametrize("kind", KINDS)
def test_share_leaning_male_on_published_lists(kind, bias_model, bias_data, bias_seed, bias_published):
    corpus = published_employment(kind, bias_data / "kurita").corpus
    show_share(corpus, kind, bias_model, bias_seed, bias_published)


def show_share(corpus, kind, model, seed, published):
    result = biascheck.measures.positive_share(model, corpus, seed=seed)
    figures = published.listed(f"kurita2019.{kind}")
    biascheck.show(result.with_attachments(biascheck.extend.Published(figures=figures)))
