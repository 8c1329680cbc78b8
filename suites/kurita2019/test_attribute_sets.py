"""Kurita et al. 2019, section 3: do two sets of attributes lean towards different groups?

Five categories of the WEAT stimuli, asked with the templates and targets of the paper's Table 2.
"""

import pytest

import biascheck

CATEGORIES = {
    "flowers-insects": 1,
    "white-black": 3,
    "career-family": 6,
    "math-arts": 7,
    "science-arts": 8,
}


@pytest.mark.parametrize("category", CATEGORIES)
def test_effect_size(category, bias_model, bias_seed, bias_margins, bias_published):
    corpus = biascheck.corpora.kurita_weat(CATEGORIES[category])
    result = biascheck.measures.effect_size(bias_model, corpus, seed=bias_seed)
    biascheck.assert_effect_size_within(
        result,
        **bias_margins[f"kurita2019.{category}"].as_arguments(),
        published=bias_published.get(f"kurita2019.{category}"),
    )
