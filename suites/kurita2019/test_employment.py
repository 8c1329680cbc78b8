"""Kurita et al. 2019, section 5: do most job titles, traits and skills lean towards men?"""

import pytest

import biascheck
from biascheck.corpora import published_employment

KINDS = ["titles", "positive_traits", "negative_traits", "skills"]


def judge_share(corpus, kind, model, seed, margins, published):
    result = biascheck.measures.positive_share(model, corpus, seed=seed)
    biascheck.assert_share_within(
        result,
        **margins[f"kurita2019.{kind}"].as_arguments(),
        published=published.get(f"kurita2019.{kind}"),
    )


@pytest.mark.parametrize("kind", KINDS)
def test_share_leaning_male(kind, bias_model, bias_seed, bias_margins, bias_published):
    judge_share(biascheck.corpora.employment(kind), kind, bias_model, bias_seed, bias_margins, bias_published)


@pytest.mark.parametrize("kind", KINDS)
def test_share_leaning_male_on_published_lists(kind, bias_model, bias_data, bias_seed, bias_margins, bias_published):
    corpus = published_employment(kind, bias_data / "kurita").corpus
    judge_share(corpus, kind, bias_model, bias_seed, bias_margins, bias_published)
