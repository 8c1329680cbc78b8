from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from scipy import stats as oracle

from biascheck.core.errors import ScoreError
from biascheck.stats import (
    Sample,
    cluster_bootstrap,
    rank_biserial,
    rosenthal_r,
    standardised_difference,
    standardised_difference_interval,
)

scores = st.lists(st.floats(-100, 100).map(lambda x: round(x, 3)), min_size=1, max_size=12)


def test_standardised_difference_by_hand():
    # means 2 and 5; the four values 1, 3, 4, 6 have mean 3.5 and squares 6.25 + 0.25 + 0.25 + 6.25 = 13
    assert standardised_difference([1, 3], [4, 6]) == pytest.approx(-3 / math.sqrt(13 / 3))


@pytest.mark.parametrize("n", [1, 2, 8, 50])
def test_two_separated_constants_reach_the_stated_bound(n: int):
    assert standardised_difference([1] * n, [-1] * n) == pytest.approx(2 * math.sqrt((2 * n - 1) / (2 * n)))


@given(scores, scores)
def test_standardised_difference_agrees_with_the_statistics_module(a: list[float], b: list[float]):
    expected = 0.0
    if len(set(a + b)) > 1:
        expected = (statistics.fmean(a) - statistics.fmean(b)) / statistics.stdev(a + b)
    assert standardised_difference(a, b) == pytest.approx(expected, abs=1e-9)


@given(scores, scores)
def test_swapping_the_samples_changes_the_sign(a: list[float], b: list[float]):
    assert standardised_difference(a, b) == pytest.approx(-standardised_difference(b, a), abs=1e-12)


def test_equal_values_have_no_effect_even_where_their_mean_rounds():
    assert standardised_difference([0.1] * 3, [0.1] * 7) == 0.0


def test_values_too_close_for_a_standard_deviation_are_refused():
    with pytest.raises(ScoreError, match="rescale"):
        standardised_difference([1e-200], [2e-200])


@pytest.mark.parametrize("bad", [[], [math.nan], [1.0, math.inf], [1e200], [[1.0]], ["one"], None])
def test_what_is_not_a_finite_vector_is_refused(bad: object):
    with pytest.raises(ScoreError):
        standardised_difference(bad, [1.0, 2.0])  # type: ignore[arg-type]
    with pytest.raises(ScoreError):
        standardised_difference([1.0, 2.0], bad)  # type: ignore[arg-type]


def test_the_message_names_the_first_bad_item():
    with pytest.raises(ScoreError, match=r"2 of 4 values of the first sample .* \(first: nan at position 1\)"):
        standardised_difference([0.0, math.nan, 1.0, math.inf], [1.0])
    with pytest.raises(ScoreError, match=r"1 of 2 values of the second sample"):
        standardised_difference([1.0], [0.0, math.inf])


def test_rosenthal_r_has_no_sign_and_counts_both_members_of_a_pair():
    assert rosenthal_r(-3.0, 18) == 0.5
    assert rosenthal_r(3.0, 18) == 0.5
    # The largest possible z tends to sqrt(3n)/2, so r tends to sqrt(3/8).
    n = 10**6
    largest = (n * (n + 1) / 4) / math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    assert rosenthal_r(largest, n) == pytest.approx(math.sqrt(3 / 8), rel=1e-5)


def test_rank_biserial_is_the_balance_of_rank_sums():
    differences = np.array([1.0, -2.0, 3.0, 4.0])  # W+ = 8, W- = 2
    assert rank_biserial(8, differences.size) == pytest.approx((8 - 2) / 10)
    assert rank_biserial(10, 4) == 1.0
    assert rank_biserial(0, 4) == -1.0
    assert rank_biserial(5, 4) == 0.0


def test_one_pair_and_one_difference_are_enough():
    assert rosenthal_r(2.0, 1) == pytest.approx(math.sqrt(2))
    assert (rank_biserial(1, 1), rank_biserial(0, 1)) == (1.0, -1.0)


@pytest.mark.parametrize(("z", "n", "said"), [(1.0, 0, "0 pairs support no"), (math.nan, 3, "needs a finite z")])
def test_rosenthal_r_refuses_what_it_cannot_measure(z: float, n: int, said: str):
    with pytest.raises(ScoreError, match=said):
        rosenthal_r(z, n)


@pytest.mark.parametrize(
    ("v", "n", "said"),
    [(1, 0, "0 non-zero differences"), (11, 4, "V = 11 is impossible"), (-1, 4, "0 and 10"), (math.nan, 4, "V = nan")],
)
def test_rank_biserial_refuses_an_impossible_v(v: float, n: int, said: str):
    with pytest.raises(ScoreError, match=said):
        rank_biserial(v, n)


def noncentrality(d: float, n_a: int, n_b: int) -> float:
    """Of two populations that lie d deviations of both together apart."""
    weight = n_a * n_b / (n_a + n_b) ** 2
    return d / math.sqrt(1 - d * d * weight) * math.sqrt(n_a * n_b / (n_a + n_b))


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_the_ends_of_the_interval_put_the_observed_t_into_either_tail(level: float):
    rng = np.random.default_rng(2)
    a, b = rng.normal(1, 1, 9), rng.normal(0, 1, 14)
    found = standardised_difference_interval(standardised_difference(a, b), 9, 14, level=level)
    t = oracle.ttest_ind(a, b).statistic
    for end, share in ((found.low, (1 + level) / 2), (found.high, (1 - level) / 2)):
        assert oracle.nct.cdf(t, 21, noncentrality(end, 9, 14)) == pytest.approx(share, abs=1e-9)
    assert (found.level, found.method) == (level, "noncentral t")
    assert standardised_difference_interval(0.5, 9, 14).level == 0.95


@example(part=0.0, n_a=2, n_b=3, level=0.9999)
@given(st.floats(0, 0.999), st.integers(2, 60), st.integers(2, 60), st.sampled_from([0.5, 0.95, 0.9999]))
def test_the_interval_holds_the_difference_and_mirrors_with_it(part: float, n_a: int, n_b: int, level: float):
    n = n_a + n_b
    d = part * math.sqrt((n - 1) * n / (n_a * n_b))
    found, mirrored = (standardised_difference_interval(x, n_a, n_b, level=level) for x in (d, -d))
    assert found.low <= d <= found.high
    assert (mirrored.low, mirrored.high) == (-found.high, -found.low)


def test_without_variation_within_the_sides_there_is_no_interval():
    with pytest.raises(ScoreError, match="nothing varies within the sides"):
        standardised_difference_interval(standardised_difference([1] * 4, [-1] * 4), 4, 4)


@pytest.mark.takes_seconds
@pytest.mark.parametrize("draw", ["normal", "exponential"])
def test_eight_words_per_side_have_fewer_misses_than_with_a_bootstrap(draw: str):
    rng, trials, truth, level = np.random.default_rng(3), 200, 1.0, 0.99
    shift = truth / math.sqrt(1 - truth * truth / 4)
    names, sides = tuple("abcdefghijklmnop"), ("A",) * 8 + ("B",) * 8
    alarms = {"noncentral t": 0, "bootstrap": 0}
    for _ in range(trials):
        scores = getattr(rng, f"standard_{draw}")(16) + np.repeat([shift, 0.0], 8)
        d = standardised_difference(scores[:8], scores[8:])
        sample = Sample(scores, names, sides=sides)
        alarms["noncentral t"] += standardised_difference_interval(d, 8, 8, level=level).low > truth
        resampled = cluster_bootstrap(sample, "standardised_difference", rng=rng, level=level, resamples=500)
        alarms["bootstrap"] += resampled.low > truth
    assert alarms["noncentral t"] < alarms["bootstrap"]
    if draw == "normal":  # exact: 0.5 % on this side, and three standard errors
        assert alarms["noncentral t"] / trials <= 0.005 + 3 * math.sqrt(0.005 * 0.995 / trials)
