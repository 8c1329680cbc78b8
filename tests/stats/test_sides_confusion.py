"""F1 scores of two sides: closed forms, another library as oracle, and enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st

from biascheck.core.errors import ScoreError, UsageError
from biascheck.stats import Sample, SideF1, bootstrap_distribution, cluster_bootstrap, estimate, side_f1
from biascheck.stats.sample import Clusters, _without, estimates_of, jackknives

FIGURES = ("skew", "stereotype", "smaller_f1", "f1")


def sample_of(a_as_a: int, a_as_b: int, b_as_a: int, b_as_b: int) -> Sample:
    """So many items of each side with each prediction."""
    values = [1.0] * a_as_a + [-1.0] * a_as_b + [0.3] * b_as_a + [-0.2] * b_as_b
    sides = ("A",) * (a_as_a + a_as_b) + ("B",) * (b_as_a + b_as_b)
    return Sample(np.array(values), tuple(f"c{i}" for i in range(len(values))), sides)


def f1(truth: list[bool], predicted: list[bool]) -> float:
    """F1 by precision and recall, the textbook's way."""
    hits = sum(t and p for t, p in zip(truth, predicted, strict=True))
    if hits == 0:
        return 0.0
    precision, recall = hits / sum(predicted), hits / sum(truth)
    return 2 * precision * recall / (precision + recall)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=30))
def test_the_four_figures_are_those_of_precision_and_recall(items):
    on_a, as_a = [a for a, _ in items], [p for _, p in items]
    if len(set(on_a)) < 2:
        return
    on_b, as_b = [not a for a in on_a], [not p for p in as_a]
    found = side_f1(np.array([1.0 if p else -1.0 for p in as_a]), ["A" if a else "B" for a in on_a])
    expected = SideF1(f1(on_a, as_a), f1(on_b, as_a), f1(on_b, as_b), f1(on_a, as_b))
    assert [found.a_given, found.a_reversed, found.b_given, found.b_reversed] == pytest.approx(
        [expected.a_given, expected.a_reversed, expected.b_given, expected.b_reversed]
    )
    assert (found.skew, found.stereotype) == pytest.approx((expected.skew, expected.stereotype))


@pytest.mark.parametrize(("a", "b"), list(itertools.product(range(0, 11, 2), repeat=2)))
def test_mixtures_follow_the_closed_form(a, b):
    """Of ten items a side, a of A and b of B are predicted A; with shares α, β and σ = α + β, F1 is 2α / (1 + σ) …"""
    one = sample_of(a, 10 - a, b, 10 - b)
    alpha, beta, sigma = a / 10, b / 10, (a + b) / 10
    stereotype = abs(alpha - beta) * (1 / (1 + sigma) + 1 / (3 - sigma))
    given = abs(2 * alpha / (1 + sigma) - 2 * (1 - beta) / (3 - sigma))
    reverse = abs(2 * beta / (1 + sigma) - 2 * (1 - alpha) / (3 - sigma))
    assert estimate(one, "stereotype") == pytest.approx(stereotype)
    assert estimate(one, "skew") == pytest.approx((given + reverse) / 2)


def test_one_prediction_for_all_is_the_largest_skew_and_no_stereotype():
    figures = {(a, b): sample_of(a, 12 - a, b, 12 - b) for a, b in itertools.product(range(13), repeat=2)}
    skews = {key: estimate(one, "skew") for key, one in figures.items()}
    assert max(skews.values()) == pytest.approx(2 / 3)
    assert {key for key, skew in skews.items() if skew == pytest.approx(2 / 3)} == {(0, 0), (12, 12)}
    assert estimate(figures[12, 12], "stereotype") == 0
    stereotypes = {key: estimate(one, "stereotype") for key, one in figures.items()}
    assert {key for key, s in stereotypes.items() if s == 1} == {(12, 0), (0, 12)}
    assert skews[12, 0] == 0


def test_ties_count_one_half_for_either_side():
    tied = Sample(np.zeros(8), tuple("abcdefgh"), ("A",) * 4 + ("B",) * 4)
    found = side_f1(tied.values, tied.sides)
    assert (found.a_given, found.b_given, found.skew, found.stereotype) == (0.5, 0.5, 0, 0)


@given(st.lists(st.integers(1, 9), min_size=4, max_size=4))
def test_exchanging_the_sides_changes_neither_distance(counts):
    one = sample_of(*counts)
    other = Sample(-one.values, one.clusters, tuple("A" if s == "B" else "B" for s in one.sides))
    for figure in ("skew", "stereotype", "smaller_f1"):
        assert estimate(other, figure) == pytest.approx(estimate(one, figure))
    # the F1 of one side is that of the other side then
    assert estimate(other, "f1") == pytest.approx(side_f1(one.values, one.sides).b_given)


def test_sides_are_needed():
    with pytest.raises(UsageError, match="sides of 'A' and 'B'"):
        side_f1(np.array([1.0]), None)
    with pytest.raises(ScoreError, match="no F1"):
        side_f1(np.array([1.0, 2.0]), ["A", "A"])
    with pytest.raises(ScoreError, match="no F1"):
        estimate(Sample(np.array([1.0, 2.0]), ("a", "b"), ("A", "A")), "skew")


@pytest.fixture
def clustered() -> Sample:
    rng = np.random.default_rng(4)
    values = np.round(rng.normal(0.2, 1, 60), 1)
    return Sample(values, tuple(f"c{i // 3}" for i in range(60)), tuple("AB"[i % 2] for i in range(60)))


@pytest.mark.parametrize("figure", FIGURES)
def test_counting_gives_the_resamples_that_items_give(clustered, figure):
    clusters = Clusters.of(clustered)
    drawn = clusters.draw(np.random.default_rng(1), 150)
    by_items = [estimate(clusters.sample.take(clusters.items(row)), figure) for row in drawn]
    assert estimates_of(clusters, figure)(drawn) == pytest.approx(by_items)
    (jackknife,) = jackknives(clusters, figure)
    assert jackknife == pytest.approx([_without(clusters, c, figure) for c in range(20)])


def test_resamples_without_an_f1_are_drawn_again():
    sides = ("A", "A", "B", "A", "A", "A", "B", "A", "A", "A")
    one = Sample(np.ones(10), tuple(f"c{i // 2}" for i in range(10)), sides)
    # every draw that misses both clusters with a B predicts no B and has none
    interval = cluster_bootstrap(one, "stereotype", rng=np.random.default_rng(0), resamples=200)
    assert "undefined redrawn" in interval.method
    assert not np.isnan(bootstrap_distribution(one, "skew", rng=np.random.default_rng(0), resamples=200)).any()
