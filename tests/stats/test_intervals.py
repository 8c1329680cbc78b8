"""Intervals of means over clusters: scipy's where nothing is skewed, by hand where it is, and their misses."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats as oracle
from scipy.stats import binomtest

from biascheck.core.errors import ScoreError, UsageError
from biascheck.gates.check import assert_within_margin
from biascheck.results.compare import compare
from biascheck.results.summaries import interval_of_sample
from biascheck.stats import MEAN_LIKE, Change, Sample, Verdict, estimate, mean_interval, verdict_of, wilson_interval
from biascheck.stats.intervals import ClusterSpread, arms, cluster_deviations, lengthening
from biascheck.stats.sample import Clusters, widening
from support.handmade import items_of, result_of, spread

T_7, Z = 2.364624251592785, 1.959963984540054


def singles(values, sides=None) -> Sample:
    return Sample(np.asarray(values, float), tuple(f"c{n:03}" for n in range(len(values))), sides)


def symmetric(n: int, seed: int = 1) -> np.ndarray:
    """Values without any skewness: every deviation comes with its opposite."""
    half = np.random.default_rng(seed).normal(size=n // 2)
    return 0.3 + np.concatenate([half, -half])


def uneven(seed: int, sides: str = "") -> Sample:
    """Nine clusters of one to four items; ``sides``: none, one side a cluster, or both in most clusters."""
    generator = np.random.default_rng(seed)
    names = tuple(f"c{c}" for c in range(9) for _ in range(1 + c % 4))
    by_cluster = tuple("AB"[int(name[1:]) % 2] for name in names)
    mixed = tuple("AB"[n % 2] for n in range(len(names)))
    values = np.array([int(name[1:]) % 5 for name in names]) + generator.normal(size=len(names))
    return Sample(values, names, {"": None, "one": by_cluster, "both": mixed}[sides])


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_without_skewness_it_is_scipys_interval_of_students_t(level):
    values = symmetric(60)
    student = oracle.ttest_1samp(values, 0).confidence_interval(level)
    found = mean_interval(singles(values), "mean", level=level)
    assert (found.low, found.high) == pytest.approx((student.low, student.high), rel=1e-12)
    assert (found.method, found.caution) == ("Student's t over 60 clusters, corrected for skewness", "")


def test_without_skewness_a_difference_of_sides_is_welchs():
    a, b = symmetric(40), 3 * symmetric(60, 2)
    sample = singles(np.concatenate([a, b]), ("A",) * 40 + ("B",) * 60)
    welch = oracle.ttest_ind(a, b, equal_var=False).confidence_interval(0.95)
    found = mean_interval(sample, "difference")
    assert (found.low, found.high) == pytest.approx((welch.low, welch.high), rel=1e-12)


def test_an_end_on_the_long_side_lies_further_out_by_the_stated_factor():
    values = [0.0] * 7 + [8.0]  # mean 1, standard error 1, skewness 6 / √7: as skewed as eight values can be
    found = mean_interval(singles(values), "mean")
    assert oracle.skew(values) == pytest.approx(6 / math.sqrt(7))
    assert found.low == pytest.approx(1 - T_7)
    assert found.high == pytest.approx(1 + T_7 * (1 + 2.3 * Z / math.sqrt(7)))
    assert found.caution == (
        "8 clusters are too few to rule out strong skewness, so the upper end lies 2.7 times as far out as Student's t"
    )


def test_the_factor_falls_to_one_where_the_skewness_rules_a_lognormal_out():
    start = 0.7 * math.log(20) - 0.5 * Z - 0.8
    full = 2.3 * Z / math.sqrt(19)
    found = lengthening(np.array([-3.0, start, start + 0.1, start + 0.4, 4.0]), 19, 0.95)
    assert found == pytest.approx([1, 1, 1 + full / 4, 1 + full, 1 + full])


@pytest.mark.parametrize("statistic", MEAN_LIKE)
@pytest.mark.parametrize("sides", ["one", "both"])
def test_the_deviations_of_clusters_are_those_of_leaving_each_out(statistic, sides):
    clusters = Clusters.of(uneven(3, sides))
    whole, every = estimate(clusters.sample, statistic), np.arange(9)
    without = [estimate(clusters.sample.take(clusters.items(np.delete(every, c))), statistic) for c in every]
    assert cluster_deviations(clusters, statistic) == pytest.approx(whole - np.array(without), abs=1e-12)


def test_the_standard_error_is_the_jackknifes_within_sides():
    clusters = Clusters.of(uneven(4, "one"))
    deviations = cluster_deviations(clusters, "difference")
    parts = [deviations[stratum] for stratum in clusters.strata]
    variance = sum((part.size - 1) * part.var() for part in parts)
    assert ClusterSpread.of(deviations, clusters).error == pytest.approx(math.sqrt(variance))


def test_clusters_of_unequal_size_count_as_fewer():
    sizes = np.array([1, 2, 3, 4, 1, 2, 3, 4, 1])
    clusters = Clusters.of(uneven(1))
    assert clusters.sizes.tolist() == sizes.tolist()
    found = ClusterSpread.of(cluster_deviations(clusters, "mean"), clusters).freedom
    assert found == pytest.approx((sizes**1.5).sum() ** 2 / (sizes**3).sum() - 1)
    equal = Clusters.of(singles(range(9)))
    assert ClusterSpread.of(cluster_deviations(equal, "mean"), equal).freedom == pytest.approx(8)


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.integers(0, 7), st.floats(-1e3, 1e3)), min_size=12, max_size=40).filter(
        lambda rows: len({cluster for cluster, _ in rows}) >= 5
    )
)
def test_negated_values_mirror_the_interval_exactly(rows):
    names = tuple(f"c{cluster}" for cluster, _ in rows)
    values = np.array([value for _, value in rows])
    one, other = (mean_interval(Sample(v, names), "mean") for v in (values, -values))
    assert (other.low, other.high) == (-one.high, -one.low)


@pytest.mark.parametrize("seed", range(5))
def test_exchanged_sides_mirror_the_interval_of_a_difference(seed):
    sample = uneven(seed, "one")
    other = Sample(sample.values, sample.clusters, tuple({"A": "B", "B": "A"}[side] for side in sample.sides))
    one, exchanged = (mean_interval(found, "difference") for found in (sample, other))
    assert (exchanged.low, exchanged.high) == pytest.approx((-one.high, -one.low), rel=1e-12)


@pytest.mark.parametrize("statistic", MEAN_LIKE)
@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_items_does_not_matter(statistic, seed):
    sample = uneven(seed, "one")
    shuffled = sample.take(np.random.default_rng(seed).permutation(len(sample)))
    assert mean_interval(sample, statistic) == mean_interval(shuffled, statistic)


@settings(max_examples=60)
@given(st.floats(-5, 5), st.integers(4, 200), st.lists(st.floats(0.01, 0.9999), min_size=2, max_size=6, unique=True))
def test_arms_grow_with_the_level(skewness, freedom, levels):
    found = [arms(skewness, freedom, level) for level in sorted(levels)]
    assert all(inner[0] <= outer[0] and inner[1] <= outer[1] for inner, outer in pairwise(found))


def test_equal_clusters_give_the_estimate_alone():
    for values in ([0.1] * 6, [0.1 + 0.2, 0.3, 0.3, 0.3, 0.3, 0.1 + 0.2]):  # equal but for rounding
        found = mean_interval(singles(values), "mean")
        assert found.low == found.high == pytest.approx(values[1])
        assert found.method == "Student's t, all 6 clusters equal"


def test_shared_draws_move_both_ends_away_from_the_estimate():
    generator = np.random.default_rng(5)
    values = (generator.normal(size=(20, 1)) + generator.normal(size=4)).ravel()
    names = tuple(f"c{c:02}" for c in range(20) for _ in range(4))
    alone = mean_interval(Sample(values, names), "mean")
    shared = Sample(values, names, draws=tuple(range(4)) * 20)
    found, factor, centre = mean_interval(shared, "mean"), widening(shared, "mean"), values.mean()
    assert factor > 1.5
    assert found.low - centre == pytest.approx(factor * (alone.low - centre))
    assert found.high - centre == pytest.approx(factor * (alone.high - centre))
    assert found.method.endswith(f", {factor:.2f} times wider for shared draws")


def test_ends_stay_within_the_range_of_the_statistic():
    share = Sample(np.array([1.0, 1.0, 1.0, -1.0] * 6), tuple(f"c{n // 2:02}" for n in range(24)))
    assert mean_interval(share, "share_positive", level=0.9999).high == 1.0
    assert mean_interval(singles([0.1, 0.0, 0.0, 3.0, 0.2]), "mean_absolute").low == 0.0


@pytest.mark.parametrize(
    ("sample", "statistic", "error", "reason"),
    [
        (singles(range(4)), "mean", ScoreError, "4 clusters; at least 5"),
        (singles(range(8), ("A",) + ("B",) * 7), "difference", ScoreError, "single cluster"),
        (
            Sample(np.arange(7.0), (*"aabcdef",), ("A", "B") + ("B",) * 5),
            "difference",
            ScoreError,
            "all items of a side",
        ),
        (singles(range(8)), "spearman", UsageError, "covariate"),
        (singles(range(8), ("A", "B") * 4), "skew", UsageError, "is not a mean; choose one of mean"),
        (singles(range(8)), "difference", UsageError, "two sides"),
    ],
)
def test_what_has_no_such_interval_is_refused(sample, statistic, error, reason):
    with pytest.raises(error, match=reason):
        mean_interval(sample, statistic)


def test_a_level_that_is_no_level_is_refused():
    with pytest.raises(UsageError, match=r"level=0\.95"):
        mean_interval(singles(range(8)), "mean", level=95)


def test_eight_clusters_still_show_an_obvious_bias_and_an_obvious_parity():
    gaps = np.random.default_rng(3).normal(0, 0.3, 8)
    assert verdict_of(mean_interval(singles(4 + gaps), "mean"), 0.5) is Verdict.EXCEEDS
    assert verdict_of(mean_interval(singles(gaps / 10), "mean"), 0.5) is Verdict.WITHIN


def test_an_inconclusive_gate_says_that_the_clusters_are_too_few_for_their_skewness():
    skewed = result_of(items_of({f"job{n}": [gap] for n, gap in enumerate([0.0] * 7 + [8.0])}))
    gate = assert_within_margin(skewed, 4.0, inconclusive="warn")
    assert gate.verdict is Verdict.INCONCLUSIVE
    assert "the interval crosses the margin 4.00; 8 clusters are too few to rule out strong skewness" in gate.finding
    assert verdict_of(mean_interval(singles(symmetric(60)), "mean"), 0.2) is Verdict.INCONCLUSIVE
    plain = result_of(items_of({f"job{n}": [gap] for n, gap in enumerate(symmetric(60))}))
    assert "skewness" not in assert_within_margin(plain, 0.2, inconclusive="warn").finding


def test_an_inconclusive_comparison_says_so_too():
    before = result_of(items_of(spread(2.0, 0.1, 8)), model="before")
    gaps = {name: [row[0] + (0.8 if name == "job7" else 0.0)] for name, row in spread(2.0, 0.1, 8).items()}
    found = compare(before, result_of(items_of(gaps), model="after"), tolerance=0.2)
    assert found.verdict is Change.INCONCLUSIVE
    assert "crosses tolerance 0.20; 8 clusters are too few to rule out strong skewness" in found.finding


@pytest.mark.parametrize(("clusters", "most"), [(8, 0.07), (20, 0.06)])
def test_gates_keep_their_level_on_clusters_with_a_long_tail_below(clusters, most):
    # Stated are 2.5 %, the goal is 3.75 %; bounds are about three standard errors above. BCa intervals miss 12 and 9 %.
    generator, truth, misses = np.random.default_rng(4), -math.exp(0.5), 0
    for _ in range(400):
        sample = singles(-generator.lognormal(size=clusters))
        misses += truth < interval_of_sample(sample, "mean", rng=generator, level=0.95).low
    assert misses / 400 <= most


# Wilson's interval against scipy's.


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.5, 0.999))
def test_agrees_with_scipy(counts, level):
    successes, n = counts
    expected = binomtest(successes, n).proportion_ci(confidence_level=level, method="wilson")
    found = wilson_interval(successes / n, n, level=level)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_a_share_of_one_leaves_room_for_doubt():
    found = wilson_interval(1.0, 60)
    assert found.low < 0.95
    assert (found.level, found.method) == (0.95, "Wilson score")


@pytest.mark.parametrize(("share", "n"), [(0.5, 0), (1.2, 10), (float("nan"), 10)])
def test_impossible_shares_are_refused(share, n):
    with pytest.raises(ScoreError, match="has no interval"):
        wilson_interval(share, n)


def test_the_interval_of_a_share_of_one_leaves_room_for_doubt():
    assert {wilson_interval(1.0, n).high for n in range(1, 200)} == {1.0}
    assert {wilson_interval(0.0, n).low for n in range(1, 200)} == {0.0}
