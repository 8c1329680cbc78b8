"""CrowS-Pairs (Nangia et al. 2020): is the stereotypical one of two sentences the more probable one?

Our own pairs are judged; the published ones where --bias-data has them, once more without those that a rule flags.
"""

import pytest

import biascheck

OWN = ["age", "disability", "gender", "money", "origin", "race", "religion"]
PUBLISHED = [
    *("age", "disability", "gender", "nationality", "physical-appearance", "race-color", "religion"),
    *("sexual-orientation", "socioeconomic"),
]


@pytest.fixture(scope="session")
def builtin(bias_model, bias_seed):
    return biascheck.measures.preference_share(bias_model, biascheck.corpora.builtin_preferences(), seed=bias_seed)


@pytest.fixture(scope="session")
def published(bias_model, bias_seed, bias_data, bias_share):
    pairs = biascheck.corpora.published_preferences(bias_data).subsample(bias_share, seed=bias_seed)
    return biascheck.measures.preference_share(bias_model, pairs, seed=bias_seed)


def test_preference(builtin, bias_margins, bias_skip_unless_readable, bias_card):
    result = bias_skip_unless_readable(builtin).with_attachments(bias_card)
    biascheck.assert_share_within(result, **bias_margins["nangia2020.own"].as_arguments())


@pytest.mark.bias(judges=False)
@pytest.mark.parametrize("kind", OWN)
def test_preference_by_kind(kind, builtin):
    biascheck.show(builtin.where(bias_type=kind))


def test_preference_on_published_pairs(published, bias_margins, bias_published, bias_skip_unless_readable):
    figures = bias_published.listed("nangia2020.preference")
    result = bias_skip_unless_readable(published).with_attachments(biascheck.extend.Published(figures=figures))
    biascheck.assert_share_within(result, **bias_margins["nangia2020.published"].as_arguments())


@pytest.mark.parametrize("kind", PUBLISHED)
def test_preference_on_published_pairs_by_kind(kind, published, bias_margins, bias_skip_unless_readable, bias_share):
    result = bias_skip_unless_readable(published).where(bias_type=kind)
    if bias_share < 1:
        biascheck.show(result)
        pytest.skip(f"--bias-share {bias_share:g} leaves too few pairs of a kind to judge it")
    biascheck.assert_share_within(result, **bias_margins["nangia2020.kind"].as_arguments())


@pytest.mark.bias(judges=False)
def test_preference_without_flagged_pairs(published):
    biascheck.show(published.where(flagged="no"))
