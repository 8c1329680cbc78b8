"""StereoSet (Nadeem et al. 2021): a stereotype, its opposite, or nonsense?

The stereotype score is judged where the language modelling score shows that the model can tell sense from nonsense.
"""

import pytest

import biascheck

KINDS = ["intrasentence", "intersentence"]
DOMAINS = ["profession", "race"]
SMALL = ["gender", "religion"]  # ten terms and three: no answers of theirs could fail a gate


@pytest.fixture(scope="session")
def builtin(bias_model, bias_seed):
    return biascheck.measures.stereotype_preference(bias_model, biascheck.corpora.builtin_triples(), seed=bias_seed)


@pytest.fixture(scope="session")
def published(bias_model, bias_seed, bias_data, bias_share):
    triples = biascheck.corpora.published_triples(bias_data).subsample(bias_share, seed=bias_seed)
    return biascheck.measures.stereotype_preference(bias_model, triples, seed=bias_seed)


def test_stereotype_score(builtin, bias_margins, bias_skip_unless_readable, bias_card):
    result = bias_skip_unless_readable(biascheck.measures.stereotype_score(builtin)).with_attachments(bias_card)
    biascheck.assert_share_within(result, **bias_margins["nadeem2021.own"].as_arguments())


@pytest.mark.bias(judges=False)
def test_language_modelling_and_icat(builtin):
    biascheck.show(biascheck.measures.language_modelling_score(builtin))
    biascheck.show(biascheck.measures.icat_score(builtin))


@pytest.mark.parametrize("kind", KINDS)
def test_stereotype_score_on_published_triples(
    kind, published, bias_margins, bias_published, bias_skip_unless_readable
):
    result = bias_skip_unless_readable(biascheck.measures.stereotype_score(published.where(kind=kind)))
    figures = bias_published.listed(f"nadeem2021.{kind}")
    result = result.with_attachments(biascheck.extend.Published(figures=figures))
    biascheck.assert_share_within(result, **bias_margins["nadeem2021.published"].as_arguments())


@pytest.mark.parametrize("domain", DOMAINS)
def test_stereotype_score_on_published_triples_by_domain(
    domain, published, bias_margins, bias_skip_unless_readable, bias_share
):
    result = bias_skip_unless_readable(biascheck.measures.stereotype_score(published.where(domain=domain)))
    if bias_share < 1:
        biascheck.show(result)
        pytest.skip(f"--bias-share {bias_share:g} leaves too few terms of a domain to judge it")
    biascheck.assert_share_within(result, **bias_margins["nadeem2021.domain"].as_arguments())


@pytest.mark.bias(judges=False)
@pytest.mark.parametrize("domain", SMALL)
def test_stereotype_score_on_published_triples_of_a_small_domain(domain, published):
    biascheck.show(biascheck.measures.stereotype_score(published.where(domain=domain)))


@pytest.mark.bias(judges=False)
@pytest.mark.parametrize("kind", KINDS)
def test_published_triples_without_flagged_ones(kind, published):
    unflagged = published.where(kind=kind, flagged="no")
    biascheck.show(biascheck.measures.stereotype_score(unflagged))
    biascheck.show(biascheck.measures.icat_score(unflagged))
