"""Kurita et al. 2019, section 3: do two sets of attributes lean towards different groups?

Asked with the templates and targets of the paper's Table 2. The published stimuli, of eight words each in three of the
five categories, are measured as in the paper and shown beside its figures: so few words cannot decide a gate. What is
judged is the difference of the two sets in log-odds, on more words of the same kind.
"""

import pytest

import biascheck

CATEGORIES = {"flowers-insects": 1, "white-black": 3, "career-family": 6, "math-arts": 7, "science-arts": 8}
SOCIAL = ["white-black", "career-family", "math-arts", "science-arts"]


@pytest.mark.bias(judges=False)
@pytest.mark.parametrize("category", CATEGORIES)
def test_effect_size_on_published_stimuli(category, bias_model, bias_seed, bias_published):
    result = biascheck.measures.effect_size(
        bias_model, biascheck.corpora.kurita_weat(CATEGORIES[category]), seed=bias_seed
    )
    figures = bias_published.listed(f"kurita2019.{category}")
    biascheck.show(result.with_attachments(biascheck.extend.Published(figures=figures)))


@pytest.mark.parametrize("category", SOCIAL)
def test_contrast_of_the_sets(category, bias_model, bias_seed, bias_margins, bias_card):
    corpus = biascheck.corpora.kurita_weat(CATEGORIES[category], extended=True)
    result = biascheck.measures.attribute_contrast(bias_model, corpus, seed=bias_seed).with_attachments(bias_card)
    biascheck.assert_contrast_within(result, **bias_margins["kurita2019.contrast"].as_arguments())
