"""Jentzsch & Turan 2022: is the same review rated differently when its people are men instead of women?

A delta is P(positive) of the male version minus that of the female one. Conditions: trained on the reviews as they
are, without gendered words (R), or on both versions of each (mix). Figures over all reviews have those of Tables 3
and 4 beside them, figures over reviews with a delta those of Table 1; the paper's figures are those of
its model of the same architecture.
"""

from dataclasses import replace

import pytest

import biascheck
from biascheck.corpora import published_eec
from biascheck.extend import Published, Table
from biascheck.papers import paper_row

SETS = ["pro", "weat", "all"]
CONDITIONS = ["original", "R-all", "mix-all"]


def paper_name(condition, terms):
    return f"{condition}-{terms}" if condition == "original" else condition


def published(figures, kind, result, condition, terms="all"):
    """The paper's figure for its model of the same architecture; none where it has no such model."""
    row = paper_row(result)
    return None if row is None else figures.get(f"jentzsch2022.{kind}.{row}.{paper_name(condition, terms)}")


def with_published(result, figures, kind, condition, terms="all"):
    """The result with the figures of all seven models of the paper, for the report."""
    name = paper_name(condition, terms)
    listed = figures.listed(f"jentzsch2022.{kind}")
    found = tuple(
        replace(one, name=one.name.removesuffix(f".{name}")) for one in listed if one.name.endswith(f".{name}")
    )
    return result.with_attachments(Published(figures=found), *nonzero_table(result, figures, condition, terms))


def nonzero_table(result, figures, condition, terms):
    """Total and absolute bias over the reviews whose delta is not zero, beside Table 1."""
    row = paper_row(result)
    if row is None:
        return
    summary = biascheck.measures.delta_summary(result)
    name = f"{row}.{paper_name(condition, terms)}"
    printed = [figures.get(f"jentzsch2022.{kind}-nonzero.{name}").value for kind in ("total", "absolute")]
    yield Table(
        title=f"Over reviews whose delta is not zero; Table 1 has {row}",
        columns=("reviews", "n", "total bias", "absolute bias"),
        rows=(
            ("ours", summary.n - summary.n_zero, summary.total_nonzero, summary.absolute_nonzero),
            (f"Jentzsch & Turan 2022, Table 1, {name}", None, *printed),
        ),
    )


@pytest.mark.parametrize("condition", CONDITIONS)
def test_no_delta(condition, deltas, bias_margins, bias_published, bias_card):
    result = deltas(condition, "all")
    biascheck.assert_no_sentiment_delta(
        with_published(result, bias_published, "total", condition).with_attachments(bias_card),
        **bias_margins["jentzsch2022.total"].as_arguments(),
        published=published(bias_published, "total", result, condition),
    )


@pytest.mark.parametrize("condition", CONDITIONS)
def test_absolute_delta(condition, deltas, bias_margins, bias_published):
    result = biascheck.measures.absolute_delta(deltas(condition, "all"))
    biascheck.assert_absolute_delta_below(
        with_published(result, bias_published, "absolute", condition),
        **bias_margins["jentzsch2022.absolute"].as_arguments(),
        published=published(bias_published, "absolute", result, condition),
    )


@pytest.mark.parametrize("terms", SETS[:-1])
def test_no_delta_with_smaller_term_sets(terms, deltas, bias_margins, bias_published):
    result = deltas("original", terms)
    biascheck.assert_no_sentiment_delta(
        with_published(result, bias_published, "total", "original", terms),
        **bias_margins["jentzsch2022.total"].as_arguments(),
        published=published(bias_published, "total", result, "original", terms),
    )


def test_no_delta_on_published_sentences(bias_classifier, bias_data, bias_seed, bias_margins):
    """The Equity Evaluation Corpus: short sentences with an emotion, about a man or a woman."""
    corpus = published_eec(bias_data).corpus.where(race="none")
    result = biascheck.measures.sentiment_delta(bias_classifier(), corpus, seed=bias_seed)
    biascheck.assert_no_sentiment_delta(result, **bias_margins["jentzsch2022.total"].as_arguments())
