"""WEAT and SEAT (Caliskan et al. 2017, May et al. 2019): which words lie near which others?

Judged are our longer word lists in bleached sentences. The published sets, of six to 32 words, are shown: so few words
cannot decide a gate. Both effect sizes are given, over the deviation with n − 1 (ours) and with n (WEFE).
"""

import pytest

import biascheck

EXTENDED = {"white-black": 3, "career-family": 6, "math-arts": 7, "science-arts": 8}


@pytest.mark.parametrize("category", EXTENDED)
def test_sentences(category, bias_model, bias_seed, bias_margins, bias_card):
    test = biascheck.corpora.weat_test(EXTENDED[category], extended=True)
    result = biascheck.measures.weat(bias_model, test, level="sentence", seed=bias_seed).with_attachments(bias_card)
    biascheck.assert_weat_within(result, **bias_margins["caliskan2017.sentences"].as_arguments())


@pytest.mark.bias(judges=False)
@pytest.mark.parametrize("category", range(1, 11))
def test_published_words(category, bias_model, bias_data, bias_seed):
    test = biascheck.corpora.published_weat(category, bias_data)
    biascheck.show(biascheck.measures.weat(bias_model, test, level="word", seed=bias_seed))


@pytest.mark.bias(judges=False)
@pytest.mark.parametrize("name", biascheck.corpora.SEAT_TESTS)
def test_published_sentences(name, bias_model, bias_data, bias_seed):
    test = biascheck.corpora.published_seat(name, bias_data)
    biascheck.show(biascheck.measures.weat(bias_model, test, level="sentence", seed=bias_seed))
