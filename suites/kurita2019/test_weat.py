"""Kurita et al. 2019, section 3.1: WEAT on embeddings, the baseline that the log-probability score is compared with.

Words stand in the templates of the paper's Table 1, the other word masked; static vectors are looked up as they are.
The published stimuli are shown beside the paper's figures; sets of fifty words and more are judged.
"""

import pytest

import biascheck

CATEGORIES = {"flowers-insects": 1, "white-black": 3, "career-family": 6, "math-arts": 7, "science-arts": 8}
SOCIAL = ["white-black", "career-family", "math-arts", "science-arts"]


@pytest.mark.bias(judges=False)
@pytest.mark.parametrize("category", CATEGORIES)
def test_weat_on_published_stimuli(category, bias_model, bias_seed, bias_published):
    result = biascheck.measures.weat(bias_model, biascheck.corpora.weat_test(CATEGORIES[category]), seed=bias_seed)
    figures = bias_published.listed(f"kurita2019.weat.{category}")
    biascheck.show(result.with_attachments(biascheck.extend.Published(figures=figures)))


@pytest.mark.parametrize("category", SOCIAL)
def test_weat(category, bias_model, bias_seed, bias_margins):
    words = biascheck.corpora.weat_test(CATEGORIES[category], extended=True)
    result = biascheck.measures.weat(bias_model, words, seed=bias_seed)
    biascheck.assert_weat_within(result, **bias_margins["kurita2019.weat"].as_arguments())
