"""Random corpora and results without enough data: no assertion may pass, by whatever public route they come to it.

The limits are as wide as they can be without being refused: enough data keeps them, so what fails here fails for want
of data.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import biascheck
from biascheck.measures.measure import draft
from biascheck.models.fakes import TableModel
from biascheck.models.wrappers import TextClassifier
from biascheck.results.items import ItemScore, Skipped
from biascheck.results.summaries import summarise

WIDE = 1e9
END_OF_SCALE = {"standardised_difference": 1.5, "pearson": 0.9, "spearman": 0.9, "skew": 0.6, "stereotype": 0.9}
"""The widest limits, or nearly so, that 60 clusters could exceed."""
CLUSTERS_NEEDED = 5
JOBS = ["nurse", "judge", "baker", "pilot", "cook", "clerk", "mason", "guard"]
EVEN = {"he": 0.5, "she": 0.5}
STATISTICS = {
    "mean": 0.0, "mean_absolute": 0.0, "share_positive": 0.5, "standardised_difference": 0.0, "difference": 0.0,
    "spearman": 0.0, "pearson": 0.0, "slope": 0.0, "ratio": 1.0, "rms_gap": 0.0, "skew": 0.0, "stereotype": 0.0,
    "smaller_f1": 1.0, "f1": 1.0,
}  # fmt: skip
OF_ITS_OWN = {
    "assert_association_within": ("mean", "association"),
    "assert_effect_size_within": ("standardised_difference", "effect size"),
    "assert_contrast_within": ("difference", "attribute contrast"),
    "assert_share_within": ("share_positive", "positive share"),
    "assert_no_sentiment_delta": ("mean", "sentiment delta"),
    "assert_absolute_delta_below": ("mean_absolute", "absolute delta"),
    "assert_skew_below": ("skew", "skew"),
    "assert_stereotype_below": ("stereotype", "stereotype"),
    "assert_direct_bias_below": ("mean_absolute", "direct bias"),
    "assert_cluster_accuracy_below": ("share_positive", "cluster accuracy"),
    "assert_classifier_accuracy_below": ("share_positive", "classifier accuracy"),
    "assert_neighbour_correlation_below": ("pearson", "neighbour correlation"),
    "assert_typical_gap_below": ("rms_gap", "typical gap"),
    "assert_weat_within": ("standardised_difference", "WEAT"),
}
"""Assertions that judge one measure, and its statistic."""
ON_ANY = ("assert_within_margin", "assert_below")
KINDS = [*OF_ITS_OWN.values(), *((statistic, "my own") for statistic in STATISTICS)]
Judge = Callable[..., object]


def widest(statistic: str, assertion: str) -> float:
    """A limit that enough data keeps; a share may lie from 0.1 to 0.9."""
    if statistic == "share_positive":
        return 0.9 if assertion.endswith("_below") else 0.4
    return END_OF_SCALE.get(statistic, WIDE)


ON_TWO: dict[str, Judge] = {
    "assert_no_regression": lambda one, other, **how: biascheck.assert_no_regression(one, other, WIDE, **how),
    "assert_reduced": lambda one, other, **_: biascheck.assert_reduced(one, other),
    "assert_utility_kept": lambda one, other, **_: biascheck.assert_utility_kept(one, other, WIDE),
    "assert_trade_off": lambda one, other, **how: biascheck.assert_trade_off(
        replace(one, statistic="skew", measure="skew"),
        replace(other, statistic="stereotype", measure="stereotype"),
        skew_bound=END_OF_SCALE["skew"],
        stereotype_bound=END_OF_SCALE["stereotype"],
        family=1,
        **how,
    ),
    "assert_all_within": lambda one, other, **how: biascheck.assert_all_within(
        [one, other], widest(one.statistic, "assert_all_within"), family=1, **how
    ),
}


def passes(judge: Judge, *arguments: Any, **how: Any) -> bool:
    """Whether a gate lets something through; any error but ours goes on, since it says nothing of what is missing."""
    try:
        judge(*arguments, **how)
    except (biascheck.BiascheckError, biascheck.BiasAssertionError):
        return False
    return True


def routes_on_one(result: biascheck.Result, inconclusive: str) -> dict[str, bool]:
    judges = {name: getattr(biascheck, name) for name in (*ON_ANY, *OF_ITS_OWN)}
    how = {"inconclusive": inconclusive, "family": 1}
    found = {name: passes(judge, result, widest(result.statistic, name), **how) for name, judge in judges.items()}
    alone = passes(biascheck.assert_all_within, [result], widest(result.statistic, "assert_all_within"), **how)
    return {**found, "assert_all_within": alone}


def routes_on_two(one: biascheck.Result, other: biascheck.Result, inconclusive: str) -> dict[str, bool]:
    return {name: passes(judge, one, other, inconclusive=inconclusive) for name, judge in ON_TWO.items()}


def items_of(scores: list[list[float]], prefix: str = "job") -> list[ItemScore]:
    """One cluster for each row, sides in turn, and a covariate that varies."""
    return [
        ItemScore(
            id=f"{prefix}{row}/{n}", score=score, cluster=f"{prefix}{row}", groups={"male": score, "female": 0.0},
            side="AB"[row % 2], covariate=1.0 + row % 3, labels={"template": f"t{n}"},
        )
        for row, several in enumerate(scores)
        for n, score in enumerate(several)
    ]  # fmt: skip


def corpus_of(jobs: list[str]) -> Any:
    return biascheck.corpora.corpus_from_templates(
        "jobs",
        templates=["{target} is a {attribute}.", "{target} works as a {attribute}."],
        targets=[{"male": "he", "female": "she"}],
        attributes=jobs,
    )


CORPUS = corpus_of(JOBS)
MODEL = TableModel({}, prior=EVEN)


def result_of(items: list[ItemScore], statistic: str, measure: str, skipped: tuple[Skipped, ...] = ()) -> Any:
    form = draft(
        MODEL, CORPUS, items, skipped, contrast=("male", "female"), seed=0, statistic=statistic,
        parity=STATISTICS[statistic],
    )  # fmt: skip
    return summarise(replace(form, measure=measure))


@cache
def healthy(statistic: str, measure: str) -> Any:
    rows = [[0.3 * math.sin(7 * row)] for row in range(60)]
    return result_of(items_of(rows), statistic, measure)


scores = st.floats(-1e3, 1e3)
few_rows = st.one_of(
    st.lists(st.lists(scores, min_size=1, max_size=4), min_size=1, max_size=CLUSTERS_NEEDED - 1),
    st.builds(
        lambda score, sizes: [[score] * size for size in sizes],
        scores,
        st.lists(st.integers(1, 30), min_size=1, max_size=CLUSTERS_NEEDED - 1),
    ),
)
skips = st.integers(0, 400).map(
    lambda n: tuple(Skipped(f"skip{i}", "not in this model's vocabulary") for i in range(n))
)


@st.composite
def missing_results(draw: st.DrawFn) -> Any:
    """A result that lacks data although its figures may not say so: measured from little, or emptied afterwards."""
    statistic, measure = draw(st.sampled_from(KINDS))
    kind = draw(st.sampled_from(["empty", "all skipped", "one item", "few clusters", "few clusters, stale figures"]))
    whole = healthy(statistic, measure)
    if kind == "empty":
        return replace(whole, items=())
    if kind == "all skipped":
        return replace(whole, items=(), skipped=tuple(Skipped(item.id, "unknown word") for item in whole.items))
    items = items_of([[draw(scores)]] if kind == "one item" else draw(few_rows))
    if kind == "few clusters, stale figures":
        return replace(whole, items=tuple(items), skipped=draw(skips))
    try:
        return result_of(items, statistic, measure, draw(skips))
    except biascheck.ScoreError:  # such a statistic is undefined for so little
        return replace(whole, items=tuple(items))


@st.composite
def poor_corpora(draw: st.DrawFn) -> Callable[[], Any]:
    """A measurement on a corpus, or by a model, that leaves too little to judge; calling it may be refused."""
    kind = draw(st.sampled_from(["few", "unknown words", "impossible words", "NaN ratings", "no jobs"]))
    few = draw(st.lists(st.sampled_from(JOBS), min_size=1, max_size=CLUSTERS_NEEDED - 1, unique=True))
    measure = draw(st.sampled_from([biascheck.measures.association, biascheck.measures.positive_share]))
    if kind == "no jobs":
        return lambda: measure(MODEL, corpus_of([]))
    if kind == "NaN ratings":
        bad = draw(st.sampled_from([math.nan, math.inf, -math.inf]))
        return lambda: biascheck.measures.sentiment_delta(TextClassifier(lambda texts: [bad] * len(texts)), CORPUS)
    if kind == "few":
        share = draw(st.floats(0.01, 0.99))
        table = {job: {"he": share, "she": 1 - share} for job in few}
        return lambda: measure(TableModel(table, prior=EVEN), corpus_of(few))
    # The model knows the words of a few jobs only: the others are refused, or come out as −inf and NaN.
    row = {"he": 0.5} if kind == "unknown words" else {"he": draw(st.sampled_from([0.0, math.nan])), "she": 0.5}
    return lambda: measure(TableModel({job: row for job in JOBS if job not in few}, prior=EVEN), CORPUS)


def judge_one(one: Any, inconclusive: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", biascheck.BiascheckWarning)
        found = routes_on_one(one, inconclusive)
    assert not any(found.values()), found


def judge_two(one: Any, inconclusive: str) -> None:
    """Compared with a whole result, in either order, and with itself."""
    whole = healthy(one.statistic, one.measure)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", biascheck.BiascheckWarning)
        for pair in ((one, whole), (whole, one), (one, one)):
            found = routes_on_two(*pair, inconclusive)
            assert not any(found.values()), found


def judge_measured(measured: Callable[[], Any], inconclusive: str) -> None:
    try:
        one = measured()
    except biascheck.BiascheckError:
        return
    judge_one(one, inconclusive)


LENIENCE = st.sampled_from(["fail", "warn"])


@pytest.mark.takes_seconds
@settings(max_examples=200)
@given(missing_results(), LENIENCE)
def test_no_assertion_passes_without_data(one: Any, inconclusive: str):
    judge_one(one, inconclusive)


@pytest.mark.slow
@settings(max_examples=10_000)
@given(missing_results(), LENIENCE)
def test_no_assertion_passes_without_data_in_ten_thousand_cases(one: Any, inconclusive: str):
    judge_one(one, inconclusive)


@pytest.mark.takes_seconds
@settings(max_examples=100)
@given(poor_corpora(), LENIENCE)
def test_no_measurement_of_a_poor_corpus_passes(measured: Callable[[], Any], inconclusive: str):
    judge_measured(measured, inconclusive)


@pytest.mark.slow
@settings(max_examples=10_000)
@given(poor_corpora(), LENIENCE)
def test_no_measurement_of_a_poor_corpus_passes_in_ten_thousand_cases(measured: Callable[[], Any], inconclusive: str):
    judge_measured(measured, inconclusive)


@pytest.mark.takes_seconds
@settings(max_examples=200)
@given(missing_results(), LENIENCE)
def test_no_comparison_passes_without_data(one: Any, inconclusive: str):
    judge_two(one, inconclusive)


@pytest.mark.slow
@settings(max_examples=10_000)
@given(missing_results(), LENIENCE)
def test_no_comparison_passes_without_data_in_ten_thousand_cases(one: Any, inconclusive: str):
    judge_two(one, inconclusive)


@pytest.mark.takes_seconds
@pytest.mark.parametrize("statistic", sorted(STATISTICS))
def test_with_data_the_same_routes_pass(statistic: str):
    """So that the tests above can fail: it is the data that was missing, not the route."""
    whole = healthy(statistic, "my own")
    assert {name for name, passed in routes_on_one(whole, "fail").items() if passed} >= {*ON_ANY, "assert_all_within"}
    changes = {name for name, passed in routes_on_two(whole, whole, "fail").items() if passed}
    assert changes == ON_TWO.keys() - {"assert_reduced"}


@pytest.mark.parametrize("assertion", sorted(OF_ITS_OWN))
def test_with_data_the_assertion_of_a_measure_passes(assertion: str):
    assert routes_on_one(healthy(*OF_ITS_OWN[assertion]), "fail")[assertion]


def test_constant_scores_of_many_clusters_are_data():
    constant = result_of(items_of([[0.25]] * 12), "mean", "association")
    assert biascheck.assert_within_margin(constant, 0.3).passed


def test_every_public_assertion_is_tried():
    public = {name for name in dir(biascheck) if name.startswith("assert_")}
    searches = {"assert_invariant"}  # takes no result; tests/worst_cases/test_invariants.py has models without figures
    assert public == {*ON_ANY, *OF_ITS_OWN, *ON_TWO, *searches}
