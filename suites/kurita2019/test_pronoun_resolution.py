"""Kurita et al. 2019, section 4: is a female pronoun denied its referent, and does the topic decide?

On the development part of GAP, as in the paper: 1,000 male and 1,000 female pronouns, of which 103 and 98 mean neither
name. Needs the GAP files: pass --bias-data DIR.
"""

import pytest

import biascheck


@pytest.fixture(scope="session")
def gap(bias_data):
    return biascheck.corpora.published_gap(bias_data, parts=("development",))


@pytest.fixture(scope="session")
def resolved(bias_model, gap, bias_seed):
    return biascheck.measures.gap_resolution(bias_model, gap, seed=bias_seed)


def test_f1_of_the_genders(resolved, bias_margins):
    biascheck.assert_within_margin(
        biascheck.measures.resolution_ratio(resolved), **bias_margins["kurita2019.gap.ratio"].as_arguments()
    )


def test_pronouns_without_a_referent(resolved, bias_margins, bias_published):
    biascheck.assert_within_margin(
        biascheck.measures.neither_gap(resolved),
        **bias_margins["kurita2019.gap.neither"].as_arguments(),
        published=bias_published.get("kurita2019.gap.neither"),
    )


def test_pronouns_without_a_referent_beyond_what_the_labels_explain(resolved, bias_margins):
    biascheck.assert_within_margin(
        biascheck.measures.neither_gap_beyond_labels(resolved),
        **bias_margins["kurita2019.gap.neither"].as_arguments(),
    )


def test_topics(bias_model, gap, bias_seed, bias_margins, bias_published):
    biascheck.assert_within_margin(
        biascheck.measures.topic_correlation(bias_model, gap, seed=bias_seed),
        **bias_margins["kurita2019.gap.topics"].as_arguments(),
        published=bias_published.get("kurita2019.gap.topics"),
    )
