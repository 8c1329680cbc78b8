"""From item scores to estimates, against enumeration and closed forms."""

from dataclasses import replace
from itertools import product
from math import sqrt

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings, strategies as st

from biascheck.core.errors import ScoreError, UsageError
from biascheck.results.items import ItemScore
from biascheck.results.summaries import RESAMPLES, interval_of
from support.handmade import items_of, result_of, spread

UNEVEN = {"a": [0.4, 0.6, 0.8], "b": [-0.2], "c": [0.3, 0.1], "d": [0.9], "e": [0.2, -0.4], "f": [0.5]}


def p_by_brute_force(means):
    sums = [abs(np.dot(signs, means)) for signs in product((1, -1), repeat=len(means))]
    return np.mean([total >= abs(sum(means)) - 1e-12 for total in sums])


def test_p_is_the_share_of_all_sign_flips_of_clusters():
    result = result_of(items_of(UNEVEN))
    assert result.p == pytest.approx(p_by_brute_force([0.6, -0.2, 0.2, 0.9, -0.1, 0.5]))


@settings(max_examples=30)
@given(st.lists(st.floats(-3, 3).map(lambda gap: round(gap, 3)), min_size=1, max_size=8))
def test_p_is_exact_for_any_few_clusters(means):
    result = result_of(items_of({f"job{n}": [gap] for n, gap in enumerate(means)}))
    assert result.p == pytest.approx(p_by_brute_force(means))


def test_items_of_one_cluster_do_not_count_as_many():
    once, often = (result_of(items_of({name: [row[0]] * k for name, row in spread(0.4, 1).items()})) for k in (1, 50))
    assert often.p == once.p
    assert (often.interval.low, often.interval.high) == pytest.approx(
        (once.interval.low, once.interval.high), abs=1e-12
    )
    assert (often.n, often.clusters) == (500, 10)


def test_the_estimate_weighs_items_and_the_effect_size_clusters():
    result = result_of(items_of(UNEVEN))
    means = np.array([0.6, -0.2, 0.2, 0.9, -0.1, 0.5])
    assert result.estimate == pytest.approx((1.8 - 0.2 + 0.4 + 0.9 - 0.2 + 0.5) / 10)
    assert result.effect_size == pytest.approx(means.mean() / sqrt(((means - means.mean()) ** 2).sum() / 5))


@pytest.mark.parametrize(
    "gaps",
    [{"a": [0.7]}, {name: [0.1, 0.2, 0.3] if name < "c" else [0.2] for name in "abcdef"}],
    ids=["one", "rounding"],
)
def test_clusters_that_do_not_vary_have_no_effect_size(gaps):
    assert result_of(items_of(gaps)).effect_size is None


def test_a_share_with_one_item_a_cluster_has_wilsons_interval():
    gaps = {f"job{n}": [1.0 if n < 7 else -1.0] for n in range(10)}
    result = result_of(items_of(gaps), statistic="share_positive", parity=0.5)
    wilson = scipy.stats.binomtest(7, 10).proportion_ci(0.95, "wilson")
    assert result.estimate == 0.7
    assert (result.interval.low, result.interval.high) == pytest.approx((wilson.low, wilson.high))
    # 7 of 10 or further from 5: 2 · (120 + 45 + 10 + 1) of 2¹⁰
    assert result.p == pytest.approx(352 / 1024)
    assert result.effect_size is None


def test_a_share_of_one_leaves_room_for_doubt_however_often_each_cluster_was_looked_at():
    result = result_of(items_of({f"job{n}": [1.0] * 5 for n in range(10)}), statistic="share_positive", parity=0.5)
    wilson = scipy.stats.binomtest(10, 10).proportion_ci(0.95, "wilson")
    assert (result.interval.low, result.interval.high) == pytest.approx((wilson.low, 1.0))


def test_a_share_with_several_items_a_cluster_is_a_mean_of_clusters():
    result = result_of(items_of({f"job{n}": [1.0, n - 4.5] for n in range(10)}), statistic="share_positive")
    assert result.estimate == pytest.approx(15 / 20)
    assert result.interval.method == "Student's t over 10 clusters, corrected for skewness"


def on_two_sides(count_a=4, count_b=4):
    sides = ["A"] * count_a + ["B"] * count_b
    return tuple(ItemScore(f"w{n}", 0.3 * (side == "A") + 0.1 * n, f"w{n}", side=side) for n, side in enumerate(sides))


def test_a_standardised_difference_is_its_own_effect_size():
    result = result_of(on_two_sides(), statistic="standardised_difference")
    values = np.array([item.score for item in result.items])
    assert result.estimate == pytest.approx((values[:4].mean() - values[4:].mean()) / values.std(ddof=1))
    assert result.effect_size == result.estimate


def test_a_standardised_difference_needs_sides():
    with pytest.raises(UsageError, match="compares two sides"):
        result_of(items_of(UNEVEN), statistic="standardised_difference")
    with pytest.raises(ScoreError, match="all 6 items are on side A"):
        result_of(on_two_sides(6, 0), statistic="standardised_difference")


@pytest.mark.parametrize("kind", ["spearman", "pearson"])
def test_a_correlation_agrees_with_scipy(kind):
    x, y = [0.1, 0.9, 0.4, 0.7, 0.2, 0.6], [3.0, 1.0, 2.5, 2.8, 2.0, 1.5]
    items = [ItemScore(f"w{n}", a, f"w{n}", covariate=b) for n, (a, b) in enumerate(zip(x, y, strict=True))]
    result = result_of(items, statistic=kind)
    oracle = {"spearman": scipy.stats.spearmanr, "pearson": scipy.stats.pearsonr}[kind](x, y)
    assert (result.estimate, result.p) == pytest.approx((oracle.statistic, oracle.pvalue))
    assert result.effect_size == result.estimate


def test_one_missing_covariate_leaves_no_correlation():
    items = [ItemScore(f"w{n}", 0.1 * n, f"w{n}", covariate=None if n == 3 else float(n)) for n in range(6)]
    with pytest.raises(UsageError, match="correlates values with a covariate"):
        result_of(items, statistic="spearman")


def correlated(items):
    return tuple(replace(item, covariate=float(n * n % 7)) for n, item in enumerate(items))


def test_a_seed_decides_the_resamples_and_nothing_else():
    many = items_of(spread(0.3, 1.0, 20))  # 2²⁰ sign flips: sampled, not enumerated
    first, again, other = (result_of(many, seed=seed) for seed in (0, 0, 1))
    assert first == again
    assert first.interval == other.interval  # that of a mean draws nothing
    assert first.p != other.p
    drawn = [interval_of(correlated(many), "spearman", seed=seed, level=0.95) for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert (first.estimate, first.effect_size) == (other.estimate, other.effect_size)


def test_the_order_of_the_items_does_not_matter():
    items = items_of(UNEVEN)
    first, second = result_of(items), result_of(items[::-1])
    assert replace(second, items=items) == first


def test_high_levels_rest_on_more_resamples():
    items = correlated(items_of(spread(0.3, 1.0)))
    assert f"{RESAMPLES} resamples" in interval_of(items, "spearman", seed=0, level=0.95).method
    assert "40000 resamples" in interval_of(items, "spearman", seed=0, level=0.999).method


def test_matched_pairs_are_tested_by_their_differences():
    """Six pairs that all lean one way: of the 64 signs, two are as extreme, however far apart the pairs lie."""
    gaps = [0.3, 0.1, 0.2, 0.4, 0.1, 0.2]
    items = [
        ItemScore(f"{side}{n}", 10.0 * n + (gap if side == "A" else 0.0), f"pair{n}", side=side)
        for n, gap in enumerate(gaps)
        for side in "AB"
    ]
    paired = result_of(items, statistic="difference")
    assert (paired.estimate, paired.p) == (pytest.approx(np.mean(gaps)), pytest.approx(2 / 64))
    apart = [replace(item, cluster=item.id) for item in items]
    assert result_of(apart, statistic="difference").p > 0.8


def test_clusters_that_are_no_pairs_are_tested_as_two_samples():
    items = [ItemScore(f"{n}{side}", float(n), f"c{n}", side=side) for n in range(6) for side in ("A", "B", "B")]
    assert result_of(items, statistic="difference").p > 0.9
    one_sided = [ItemScore(f"{n}", float(n), f"c{n // 2}", side="AABBAABBAABB"[n]) for n in range(12)]
    assert result_of(one_sided, statistic="difference").p > 0.1
