"""Statistics that follow from sums of clusters: known figures, and the same resamples as item by item."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from biascheck.core.errors import ScoreError, UsageError
from biascheck.stats import Sample, cluster_bootstrap, estimate, pearson
from biascheck.stats.sample import Clusters, _without, estimates_of, jackknives, resampled

STATISTICS = ["difference", "ratio", "ratio_of_sides", "pearson", "slope"]


def sample(seed=0, clusters=12, each=3):
    rng = np.random.default_rng(seed)
    n = clusters * each
    names = tuple(f"c{i % clusters}" for i in range(n))
    sides = tuple("A" if (i % clusters) % 2 else "B" for i in range(n))
    return Sample(rng.random(n) + 0.5, names, sides, rng.random(n) + 1)


def test_a_difference_is_of_the_means_of_the_sides():
    assert estimate(Sample([1, 3, 10], ("a", "b", "c"), ("A", "A", "B")), "difference") == 2 - 10


def test_a_ratio_is_of_sums_not_the_mean_of_ratios():
    assert estimate(Sample([1, 1], ("a", "b"), covariate=[1, 3]), "ratio") == 0.5


def test_a_ratio_of_sides_is_b_over_a():
    figures = Sample([2, 0, 2, 2], ("a", "b", "c", "d"), ("A", "A", "B", "B"), [2, 2, 2, 3])
    assert estimate(figures, "ratio_of_sides") == pytest.approx((4 / 5) / (2 / 4))


@pytest.mark.parametrize(
    ("statistic", "reason"),
    [
        ("difference", "needs items on both sides"),
        ("ratio_of_sides", "needs a ratio above zero on either side"),
    ],
)
def test_one_side_alone_has_no_figure(statistic, reason):
    with pytest.raises(ScoreError, match=reason):
        estimate(Sample([1, 2], ("a", "b"), ("A", "A"), [1, 1]), statistic)


def test_what_is_missing_is_named():
    bare = Sample([1, 2], ("a", "b"))
    with pytest.raises(UsageError, match="give the sample sides"):
        estimate(bare, "difference")
    with pytest.raises(UsageError, match="divides by the covariate"):
        estimate(bare, "ratio")
    with pytest.raises(ScoreError, match="do not add up to zero"):
        estimate(Sample([1, 2], ("a", "b"), covariate=[0, 0]), "ratio")


@pytest.mark.parametrize("statistic", STATISTICS)
def test_sums_give_the_resamples_that_items_give(statistic):
    clusters = Clusters.of(sample())
    drawn = clusters.draw(np.random.default_rng(1), 100)
    by_sums = estimates_of(clusters, statistic)(drawn)
    one_by_one = [estimate(clusters.sample.take(clusters.items(row)), statistic) for row in drawn]
    assert by_sums == pytest.approx(one_by_one, abs=1e-10)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_sums_give_the_jackknives_that_items_give(statistic):
    clusters = Clusters.of(sample())
    for found, stratum in zip(jackknives(clusters, statistic), clusters.strata, strict=True):
        assert found == pytest.approx([_without(clusters, c, statistic) for c in stratum], abs=1e-10)


def test_an_undefined_resample_is_drawn_again():
    few = Sample([1, 2, 3, 4, 5, 6], tuple("abcdef"), covariate=[0, 0, 0, 0, 1, 1])
    (found,), redrawn = resampled([Clusters.of(few)], "ratio", np.random.default_rng(0), 200)
    assert len(found) == 200
    assert np.isfinite(found).all()
    assert redrawn > 0
    assert "undefined redrawn" in cluster_bootstrap(few, "ratio", rng=np.random.default_rng(0)).method


@given(st.permutations(range(36)))
def test_the_order_of_the_items_changes_no_digit(order):
    shuffled = sample().take(order)
    for statistic in ("difference", "ratio", "ratio_of_sides", "slope"):
        assert estimate(shuffled, statistic) == estimate(sample(), statistic)


def test_repeated_looks_at_a_word_do_not_sharpen_a_p_value():
    from biascheck.results.items import ItemScore, sample_of
    from biascheck.results.summaries import _test

    rng = np.random.default_rng(3)
    bias, share = rng.random(12), rng.random(12)
    once = tuple(ItemScore(f"{i}", share[i], f"{i}", covariate=bias[i]) for i in range(12))
    often = tuple(ItemScore(f"{i}/{k}", share[i], f"{i}", covariate=bias[i]) for i in range(12) for k in range(10))
    for items in (once, often):
        p, _ = _test(sample_of(items), "pearson", 0.0, 0)
        assert p == pytest.approx(pearson(bias, share).p)
