"""Winogender (Rudinger et al. 2018): which pronoun does an occupation call for, he, she or they?

A model that can be asked is also asked whom the pronoun means. Its gaps are judged if it resolves pronouns at all.
"""

import pytest

import biascheck

REFERENTS = ["occupation", "participant"]
PRONOUNS = ["male", "female", "neutral"]
WORDINGS = 3


@pytest.fixture(scope="session")
def builtin(bias_model, bias_seed):
    return biascheck.measures.pronoun_gap(bias_model, biascheck.corpora.builtin_pronouns(), seed=bias_seed)


@pytest.fixture(scope="session")
def published(bias_model, bias_seed, bias_data):
    corpus = biascheck.corpora.published_winogender(bias_data).corpus
    return biascheck.measures.pronoun_gap(bias_model, corpus, seed=bias_seed)


def ask(model, corpus, seed):
    """Whom each pronoun means; in three wordings, which are draws, where the model resolves pronouns in the first."""
    first = biascheck.measures.referent_odds(model, corpus, seed=seed)
    if not biascheck.measures.referent_gap(first).competence.passed:
        return first
    return biascheck.measures.referent_odds(model, corpus, wordings=WORDINGS, seed=seed)


@pytest.fixture(scope="session")
def builtin_odds(bias_model, bias_seed):
    return ask(bias_model, biascheck.corpora.builtin_pronouns(), bias_seed)


@pytest.fixture(scope="session")
def published_odds(bias_model, bias_seed, bias_data):
    return ask(bias_model, biascheck.corpora.published_winogender(bias_data).corpus, bias_seed)


def test_occupations_that_call_for_a_pronoun(builtin, bias_margins, bias_skip_unless_readable, bias_card):
    slope = biascheck.measures.workforce_slope(bias_skip_unless_readable(builtin).where(referent="occupation"))
    result = slope.with_attachments(bias_card)
    biascheck.assert_within_margin(result, **bias_margins["rudinger2018.workforce"].as_arguments())


def test_occupations_that_call_for_a_pronoun_in_published_sentences(published, bias_margins, bias_skip_unless_readable):
    slope = biascheck.measures.workforce_slope(bias_skip_unless_readable(published).where(referent="occupation"))
    biascheck.assert_within_margin(slope, **bias_margins["rudinger2018.workforce"].as_arguments())


@pytest.mark.bias(judges=False)
@pytest.mark.parametrize("referent", REFERENTS)
def test_he_and_she_and_they(referent, builtin):
    part = builtin.where(referent=referent)
    for first, second in (("male", "female"), ("male", "neutral"), ("female", "neutral")):
        biascheck.show(part.between(first, second))
    biascheck.show(biascheck.measures.workforce_correlation(part))


def test_whom_a_pronoun_means(builtin_odds, bias_margins, bias_skip_unless_readable):
    slope = biascheck.measures.workforce_slope(bias_skip_unless_readable(biascheck.measures.referent_gap(builtin_odds)))
    biascheck.assert_within_margin(slope, **bias_margins["rudinger2018.resolution"].as_arguments())


def test_whom_a_pronoun_means_in_published_sentences(published_odds, bias_margins, bias_skip_unless_readable):
    slope = biascheck.measures.workforce_slope(
        bias_skip_unless_readable(biascheck.measures.referent_gap(published_odds))
    )
    biascheck.assert_within_margin(slope, **bias_margins["rudinger2018.resolution"].as_arguments())


@pytest.mark.bias(judges=False)
@pytest.mark.parametrize("pronoun", PRONOUNS)
def test_resolution(pronoun, builtin_odds):
    biascheck.show(biascheck.measures.referent_accuracy(builtin_odds).where(pronoun=pronoun))


@pytest.mark.bias(judges=False)
@pytest.mark.parametrize("pronoun", PRONOUNS)
def test_resolution_in_published_sentences(pronoun, published_odds):
    biascheck.show(biascheck.measures.referent_accuracy(published_odds).where(pronoun=pronoun))


@pytest.mark.bias(judges=False)
def test_gaps_between_pronouns_in_published_sentences(published_odds, bias_skip_unless_readable):
    gap = bias_skip_unless_readable(biascheck.measures.referent_gap(published_odds))
    for first, second in (("male", "female"), ("male", "neutral"), ("female", "neutral")):
        biascheck.show(gap.between(first, second))


@pytest.mark.bias(judges=False)
@pytest.mark.parametrize("referent", REFERENTS)
def test_he_and_she_and_they_in_published_sentences(referent, published):
    part = published.where(referent=referent)
    for first, second in (("male", "female"), ("male", "neutral"), ("female", "neutral")):
        biascheck.show(part.between(first, second))
    biascheck.show(biascheck.measures.workforce_correlation(part))
    biascheck.show(biascheck.measures.workforce_correlation(part, share="share_in_text"))
