"""Winogender (Rudinger et al. 2018): which pronoun does an occupation call for, he, she or they?"""

import pytest

import biascheck

REFERENTS = ["occupation", "participant"]


@pytest.fixture(scope="session")
def own(bias_model, bias_seed):
    return biascheck.measures.pronoun_gap(bias_model, biascheck.corpora.own_pronouns(), seed=bias_seed)


@pytest.fixture(scope="session")
def published(bias_model, bias_seed, bias_data):
    corpus = biascheck.corpora.published_winogender(bias_data).corpus
    return biascheck.measures.pronoun_gap(bias_model, corpus, seed=bias_seed)


def test_occupations_that_call_for_a_pronoun(own, bias_margins, bias_readable, bias_card):
    slope = biascheck.measures.workforce_slope(bias_readable(own).where(referent="occupation"))
    result = slope.with_attachments(bias_card)
    biascheck.assert_within_margin(result, **bias_margins["rudinger2018.workforce"].as_arguments())


def test_occupations_that_call_for_a_pronoun_in_published_sentences(published, bias_margins, bias_readable):
    slope = biascheck.measures.workforce_slope(bias_readable(published).where(referent="occupation"))
    biascheck.assert_within_margin(slope, **bias_margins["rudinger2018.workforce"].as_arguments())


@pytest.mark.bias(judges=False)
@pytest.mark.parametrize("referent", REFERENTS)
def test_he_and_she_and_they(referent, own):
    part = own.where(referent=referent)
    for first, second in (("male", "female"), ("male", "neutral"), ("female", "neutral")):
        biascheck.show(part.between(first, second))
    biascheck.show(biascheck.measures.workforce_correlation(part))


@pytest.mark.bias(judges=False)
@pytest.mark.parametrize("referent", REFERENTS)
def test_he_and_she_and_they_in_published_sentences(referent, published):
    part = published.where(referent=referent)
    for first, second in (("male", "female"), ("male", "neutral"), ("female", "neutral")):
        biascheck.show(part.between(first, second))
    biascheck.show(biascheck.measures.workforce_correlation(part))
