"""Wilson's interval against scipy's."""

import pytest
from hypothesis import given, strategies as st
from scipy.stats import binomtest

from biascheck.core.errors import ScoreError
from biascheck.stats import wilson_interval


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


def test_a_share_at_the_end_of_its_scale_is_held_by_its_interval():
    assert {wilson_interval(1.0, n).high for n in range(1, 200)} == {1.0}
    assert {wilson_interval(0.0, n).low for n in range(1, 200)} == {0.0}
