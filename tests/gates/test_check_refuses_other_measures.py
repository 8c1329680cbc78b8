"""Every named assertion against the result of every shipped measure: it judges its own and refuses the rest."""

from dataclasses import replace

import pytest

import biascheck
from biascheck.core.errors import UsageError
from biascheck.gates.check import MEASURES_OF_ASSERTION
from biascheck.measures.measure import catalogue
from biascheck.models.fakes import TableModel
from biascheck.models.wrappers import TextClassifier
from biascheck.results.definition import UNDESCRIBED
from biascheck.results.items import ItemScore
from support.handmade import result_of

MEANT_FOR = {
    "assert_absolute_delta_below": {"absolute delta"},
    "assert_association_within": {"association"},
    "assert_classifier_accuracy_below": {"classifier accuracy"},
    "assert_cluster_accuracy_below": {"cluster accuracy"},
    "assert_contrast_within": {"attribute contrast", "competency contrast"},
    "assert_direct_bias_below": {"direct bias"},
    "assert_effect_size_within": {"effect size", "competency effect"},
    "assert_neighbour_correlation_below": {"neighbour correlation"},
    "assert_no_sentiment_delta": {"sentiment delta"},
    "assert_share_within": {"positive share", "female share", "preference share", "stereotype score"},
    "assert_skew_below": {"skew"},
    "assert_stereotype_below": {"stereotype"},
    "assert_typical_gap_below": {"typical gap"},
    "assert_weat_within": {"WEAT"},
}
ONLY_BAD_WHEN_LARGE = {
    *("absolute delta", "absolute gap", "classifier accuracy", "cluster accuracy", "direct bias", "gender subspace"),
    *("held-out loss", "neighbour correlation", "pronoun error", "skew", "stereotype", "task error", "typical gap"),
    "unanswered share",
}
NO_LIMIT = 1e6
END_OF_SCALE = {
    "balance": 0.8,
    "net_share": 0.9,
    "standardised_difference": 1.5,
    "pearson": 0.9,
    "spearman": 0.9,
    "skew": 0.6,
    "stereotype": 0.9,
}
"""Limits that the results below keep, and that other data could exceed, by statistic."""


def limit_for(result, bound):
    """A limit that the result keeps; a share may lie from 0.1 to 0.9."""
    if result.statistic in ("share_positive", "cluster_mean"):
        if result.parity == 1:
            return NO_LIMIT
        return 0.9 if bound == "below" else 0.4
    return END_OF_SCALE.get(result.statistic, NO_LIMIT)


def below(result):
    return biascheck.assert_below(result, limit_for(result, "below"), family=1)


def within(result):
    return biascheck.assert_within_margin(result, limit_for(result, "within"), family=1)


def result_named(description):
    """Sixty clusters that any statistic can be taken of."""
    shares = description.statistic in ("cluster_mean", "icat")
    items = [
        ItemScore(
            *(f"i{n}", float(n % 2) if shares else ((7 * n) % 13 - 5.5) / 10, f"c{n}"),
            side="AB"[n % 2],
            covariate=0.5 if shares else float(n % 5 + 1),
            groups={"a": 0.0},
        )
        for n in range(60)
    ]
    return result_of(
        items,
        measure=description.name,
        statistic=description.statistic,
        parity=description.parity,
        description=description,
    )


RESULTS = {entry.description.name: result_named(entry.description) for entry in catalogue()}


def test_the_product_is_over_all_assertions_and_all_measures():
    assert MEANT_FOR.keys() == MEASURES_OF_ASSERTION.keys()
    assert len(RESULTS) >= 27
    assert set().union(*MEANT_FOR.values(), ONLY_BAD_WHEN_LARGE) <= set(RESULTS)


@pytest.mark.parametrize("measure", RESULTS)
@pytest.mark.parametrize("assertion", MEANT_FOR)
def test_an_assertion_judges_its_own_measures_and_refuses_the_rest(assertion, measure):
    judge = getattr(biascheck, assertion)
    if measure in MEANT_FOR[assertion]:
        limit = limit_for(RESULTS[measure], "below" if assertion.endswith("below") else "within")
        assert judge(RESULTS[measure], limit, family=1).passed
        return
    with pytest.raises(UsageError, match=f"^{assertion} judges a result of .*; this one is of {measure}. Use assert_"):
        judge(RESULTS[measure], NO_LIMIT)


@pytest.mark.takes_seconds
@pytest.mark.parametrize("measure", RESULTS)
def test_a_trade_off_is_of_skew_and_stereotype(measure):
    bounds = {"skew_bound": END_OF_SCALE["skew"], "stereotype_bound": END_OF_SCALE["stereotype"], "family": 1}
    assert len(biascheck.assert_trade_off(RESULTS["skew"], RESULTS["stereotype"], **bounds)) == 2
    if measure != "skew":
        with pytest.raises(UsageError, match="assert_trade_off judges a result of skew; this one"):
            biascheck.assert_trade_off(RESULTS[measure], RESULTS["stereotype"], **bounds)
    if measure != "stereotype":
        with pytest.raises(UsageError, match="assert_trade_off judges a result of stereotype; this one"):
            biascheck.assert_trade_off(RESULTS["skew"], RESULTS[measure], **bounds)


@pytest.mark.parametrize("measure", RESULTS)
def test_the_general_assertions_judge_a_measure_in_its_direction(measure):
    result = RESULTS[measure]
    if measure in ONLY_BAD_WHEN_LARGE:
        assert below(result).passed
        for judge in (biascheck.assert_within_margin, lambda one, margin: biascheck.assert_all_within([one], margin)):
            with pytest.raises(UsageError, match=r"bad only when it is large.*; use assert_below\(result, bound\)"):
                judge(result, NO_LIMIT)
    else:
        assert within(result).passed
        assert biascheck.assert_all_within([result], limit_for(result, "within"), family=1)[0].passed
        with pytest.raises(UsageError, match=r"either side of parity.*; use assert_within_margin\(result, margin\)"):
            biascheck.assert_below(result, NO_LIMIT)


@pytest.mark.parametrize("description", [UNDESCRIBED, replace(UNDESCRIBED, name="mine", about="mine")])
def test_a_measure_that_states_no_direction_is_judged_as_asked(description):
    result = replace(RESULTS["association"], measure="mine", description=description)
    assert biascheck.assert_within_margin(result, NO_LIMIT).passed
    assert biascheck.assert_below(result, NO_LIMIT).passed


def test_a_sentiment_delta_is_not_an_association():
    corpus = biascheck.corpora.review_pairs(biascheck.corpora.reviews("test"))
    delta = biascheck.measures.sentiment_delta(TextClassifier(lambda texts: [0.5] * len(texts)), corpus)
    with pytest.raises(UsageError, match="judges a result of association; this one is of sentiment delta"):
        biascheck.assert_association_within(delta, 0.5)


def test_a_measure_of_ones_own_is_not_a_shipped_one():
    jobs = biascheck.corpora.corpus_from_templates(
        "jobs",
        templates=["{target} is a {attribute}."],
        targets=[{"male": "he", "female": "she"}],
        attributes=list("abcdef"),
    )

    @biascheck.measure("association of mine", version=1)
    def mine(model, corpus):
        return biascheck.measures.association(model, corpus)

    result = mine(TableModel({}, {"he": 0.5, "she": 0.5}), jobs)
    with pytest.raises(UsageError, match="this one is of association of mine"):
        biascheck.assert_association_within(result, 0.5)
    assert biascheck.assert_within_margin(result, 0.5).passed
