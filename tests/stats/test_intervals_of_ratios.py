"""Intervals of ratios over clusters, where they have a closed form or must have none."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from biascheck.stats import Sample, balance_interval, cluster_mean_interval, mean_interval, wilson_interval

signs = st.lists(st.sampled_from([-1.0, 1.0]), min_size=6, max_size=40).filter(lambda values: len(set(values)) == 2)


def each_alone(values) -> Sample:
    return Sample(np.array(values), tuple(f"c{n}" for n in range(len(values))))


@pytest.mark.takes_seconds
@given(signs)
def test_a_balance_of_decided_items_is_a_mean(values):
    found, mean = balance_interval(each_alone(values)), mean_interval(each_alone(values), "net_share")
    assert (found.low, found.high) == pytest.approx((mean.low, mean.high))


@given(signs)
def test_undecided_items_leave_a_balance_as_it_is_but_for_the_number_of_clusters(values):
    """Clusters without a decision say nothing: they can only lower the correction for few clusters."""
    padded = [*values, *([0.0] * len(values))]
    found, alone = balance_interval(each_alone(padded)), balance_interval(each_alone(values))
    assert found.low >= alone.low - 1e-9 or found.high <= alone.high + 1e-9
    assert found.low <= sum(values) / len(values) <= found.high


def test_a_balance_at_the_end_of_its_scale_leaves_room_for_doubt():
    found = balance_interval(each_alone([1.0] * 12 + [0.0] * 5))
    share = wilson_interval(1.0, 12)
    assert (found.low, found.high) == (2 * share.low - 1, 1.0)
    mirrored = balance_interval(each_alone([-1.0] * 12 + [0.0] * 5))
    assert (mirrored.low, mirrored.high) == pytest.approx((-1.0, -found.low))


def test_a_balance_of_one_cluster_has_no_interval():
    lonely = Sample(np.array([1.0, -1.0, 1.0, 0, 0, 0, 0, 0]), ("a", "a", "a", "b", "c", "d", "e", "f"))
    assert balance_interval(lonely) is None


@given(st.lists(st.floats(0.01, 0.99), min_size=6, max_size=30))
def test_a_mean_over_single_items_is_their_mean(values):
    found, mean = cluster_mean_interval(each_alone(values)), mean_interval(each_alone(values), "mean")
    expected = (max(0.0, mean.low), min(1.0, mean.high))
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-9)


def test_a_cluster_counts_once_however_many_items_it_has():
    few = Sample(np.array([1.0, 0, 1, 0, 1, 1]), tuple("abcdef"))
    many = Sample(np.array([1.0] * 5 + [0.0] * 9 + [1.0, 0, 1, 1]), (*"a" * 5, *"b" * 9, *"cdef"))
    assert cluster_mean_interval(few) == cluster_mean_interval(many)
    assert cluster_mean_interval(each_alone([1.0] * 8)) == wilson_interval(1.0, 8)


def test_draws_that_disagree_widen_a_balance():
    rng = np.random.default_rng(0)
    clusters = tuple(f"c{n}" for n in range(20) for _ in range(3))
    values = np.where(rng.random(60) < np.tile([0.9, 0.5, 0.1], 20), 1.0, -1.0)
    alone = balance_interval(Sample(values, clusters))
    shared = balance_interval(Sample(values, clusters, draws=(0, 1, 2) * 20))
    assert shared.high - shared.low > 1.5 * (alone.high - alone.low)
    assert "wider for shared draws" in shared.method
