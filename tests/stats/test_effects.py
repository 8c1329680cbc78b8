from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biascheck.errors import ScoreError
from biascheck.stats import rank_biserial, rosenthal_r, standardised_difference

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
    with pytest.raises(ScoreError, match=r"2 of 4 .* not finite \(first: nan at position 1\)"):
        standardised_difference([0.0, math.nan, 1.0, math.inf], [1.0])


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


@pytest.mark.parametrize("call", [lambda: rosenthal_r(1.0, 0), lambda: rosenthal_r(math.nan, 3)])
def test_rosenthal_r_refuses_what_it_cannot_measure(call):
    with pytest.raises(ScoreError):
        call()


@pytest.mark.parametrize(("v", "n"), [(1, 0), (11, 4), (-1, 4), (math.nan, 4)])
def test_rank_biserial_refuses_an_impossible_v(v: float, n: int):
    with pytest.raises(ScoreError):
        rank_biserial(v, n)
