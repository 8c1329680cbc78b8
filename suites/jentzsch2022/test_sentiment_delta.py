"""Jentzsch & Turan 2022: is the same review rated otherwise when its people are men instead of women?

A delta is P(positive) of the male version minus that of the female one. Conditions: trained on the reviews as they
are, without gendered words (R), or on both versions of each (mix).
"""

from dataclasses import replace

import pytest

import biascheck
from biascheck.corpora import published_eec

SETS = ["pro", "weat", "all"]
CONDITIONS = ["original", "R-all", "mix-all"]
BASELINE = "DistilBERT"


def published(figures, kind, condition, terms="all"):
    """The paper's figure for its smallest model, which is nearest to a small one."""
    return figures.get(f"jentzsch2022.{kind}.{BASELINE}.{paper_name(condition, terms)}")


def paper_name(condition, terms):
    return f"{condition}-{terms}" if condition == "original" else condition


def with_published(result, figures, kind, condition, terms="all"):
    """The result with the figures of all seven models of the paper, for the report."""
    name = paper_name(condition, terms)
    listed = figures.listed(f"jentzsch2022.{kind}")
    found = tuple(
        replace(one, name=one.name.removesuffix(f".{name}")) for one in listed if one.name.endswith(f".{name}")
    )
    return result.with_attachments(biascheck.extend.Published(figures=found))


@pytest.mark.parametrize("condition", CONDITIONS)
def test_no_delta(condition, deltas, bias_margins, bias_published):
    biascheck.assert_no_sentiment_delta(
        with_published(deltas(condition, "all"), bias_published, "total", condition),
        **bias_margins["jentzsch2022.total"].as_arguments(),
        published=published(bias_published, "total", condition),
    )


@pytest.mark.parametrize("condition", CONDITIONS)
def test_absolute_delta(condition, deltas, bias_margins, bias_published):
    biascheck.assert_absolute_delta_below(
        with_published(
            biascheck.measures.absolute_delta(deltas(condition, "all")), bias_published, "absolute", condition
        ),
        **bias_margins["jentzsch2022.absolute"].as_arguments(),
        published=published(bias_published, "absolute", condition),
    )


@pytest.mark.parametrize("terms", SETS[:-1])
def test_no_delta_with_smaller_term_sets(terms, deltas, bias_margins, bias_published):
    biascheck.assert_no_sentiment_delta(
        with_published(deltas("original", terms), bias_published, "total", "original", terms),
        **bias_margins["jentzsch2022.total"].as_arguments(),
        published=published(bias_published, "total", "original", terms),
    )


def test_no_delta_on_published_sentences(bias_classifier, bias_data, bias_seed, bias_margins):
    """The Equity Evaluation Corpus: short sentences with an emotion, about a man or a woman."""
    corpus = published_eec(bias_data).corpus.where(race="none")
    result = biascheck.measures.sentiment_delta(bias_classifier(), corpus, seed=bias_seed)
    biascheck.assert_no_sentiment_delta(result, **bias_margins["jentzsch2022.total"].as_arguments())
