"""Kurita et al. 2019, section 3.1: WEAT on embeddings, the baseline that the log-probability score is compared with.

Words stand in the templates of the paper's Table 1, the other word masked; static vectors are looked up as they are.
"""

import pytest

import biascheck

CATEGORIES = {"flowers-insects": 1, "white-black": 3, "career-family": 6, "math-arts": 7, "science-arts": 8}


@pytest.mark.parametrize("category", CATEGORIES)
def test_weat(category, bias_model, bias_seed, bias_margins, bias_published):
    result = biascheck.measures.weat(bias_model, biascheck.corpora.weat_test(CATEGORIES[category]), seed=bias_seed)
    biascheck.assert_weat_within(
        result,
        **bias_margins[f"kurita2019.weat.{category}"].as_arguments(),
        published=bias_published.get(f"kurita2019.weat.{category}"),
    )
