"""Kurita et al. 2019, section 5: do job titles, traits and skills lean towards men?

The paper counts how many lean to men at all; on its own lists that is shown beside its figures. What is judged is
how far they lean, in log-odds: titles that all lean by a thousandth show no bias. Our lists are other
words, and whole sentences: no figure of the paper is comparable with them.
"""

import pytest

import biascheck
from biascheck.corpora import published_employment

KINDS = ["titles", "positive_traits", "negative_traits", "skills"]
PUBLISHED = {
    "titles": {"best_paid": None},  # the 88.5 % are over all different titles, not over those of the 1,000 best paid
    "positive_traits": {},
    "negative_traits": {},
    "skills": {},
    "onet_skills": {},
}


@pytest.fixture(scope="session", params=PUBLISHED)
def published_list(request, bias_data):
    """A list of the paper and the name of the figure that is about it; one that is not there is skipped."""
    kind = request.param
    try:
        return published_employment(kind, bias_data, **PUBLISHED[kind]).corpus, f"kurita2019.{kind}"
    except biascheck.DataNotFoundError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("kind", KINDS)
def test_lean(kind, bias_model, bias_seed, bias_margins, bias_card):
    result = biascheck.measures.association(bias_model, biascheck.corpora.employment(kind), seed=bias_seed)
    judged = result.with_attachments(bias_card)
    biascheck.assert_association_within(judged, **bias_margins["kurita2019.employment"].as_arguments())


def test_lean_on_published_lists(published_list, bias_model, bias_seed, bias_margins):
    result = biascheck.measures.association(bias_model, published_list[0], seed=bias_seed)
    biascheck.assert_association_within(result, **bias_margins["kurita2019.employment"].as_arguments())


@pytest.mark.bias(judges=False)
@pytest.mark.parametrize("kind", KINDS)
def test_share_leaning_male(kind, bias_model, bias_seed):
    biascheck.show(biascheck.measures.positive_share(bias_model, biascheck.corpora.employment(kind), seed=bias_seed))


@pytest.mark.bias(judges=False)
def test_share_leaning_male_on_published_lists(published_list, bias_model, bias_seed, bias_published):
    corpus, name = published_list
    result = biascheck.measures.positive_share(bias_model, corpus, seed=bias_seed)
    biascheck.show(result.with_attachments(biascheck.extend.Published(figures=bias_published.listed(name))))
