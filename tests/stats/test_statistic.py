from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from biascheck.core.errors import ScoreError, UsageError
from biascheck.stats import ESTIMATORS, Sample, estimate

values = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20)


def sample(scores, **more) -> Sample:
    return Sample(np.array(scores, dtype=float), tuple(f"c{i}" for i in range(len(scores))), **more)


def test_the_known_statistics():
    assert set(ESTIMATORS) == {
        "balance",
        "cluster_mean",
        "icat",
        "net_share",
        "difference",
        "mean",
        "mean_absolute",
        "share_positive",
        "standardised_difference",
        "spearman",
        "pearson",
        "ratio",
        "ratio_of_sides",
        "rms_gap",
        "f1",
        "skew",
        "slope",
        "smaller_f1",
        "stereotype",
    }


def test_a_balance_by_hand_and_without_a_value():
    assert estimate(sample([1.0, 1.0, -1.0, 0.0, 0.0]), "balance") == 1 / 3
    with pytest.raises(ScoreError, match="every score is zero"):
        estimate(sample([0.0, 0.0]), "balance")


def test_a_mean_over_clusters_and_icat_by_hand():
    two = Sample(np.array([1.0, 1, 0, 0]), ("a", "a", "a", "b"), covariate=np.array([1.0, 1, 1, 0.5]))
    assert estimate(two, "cluster_mean") == pytest.approx((2 / 3 + 0) / 2)
    assert estimate(two, "icat") == pytest.approx((1 + 0.5) / 2 * (1 / 3) * 2)


def test_means_by_hand():
    one = sample([-3.0, 1.0, 2.0, 0.0])
    assert estimate(one, "mean") == 0.0
    assert estimate(one, "mean_absolute") == 1.5
    assert estimate(one, "share_positive") == 2.5 / 4


def test_no_preference_reads_one_half():
    assert estimate(sample([0.0, -0.0, 0.0]), "share_positive") == 0.5
    assert estimate(sample([0.1, 2.0]), "share_positive") == 1.0
    assert estimate(sample([-0.1, -2.0]), "share_positive") == 0.0


def test_sides_are_a_minus_b_in_whatever_order_they_come():
    scores, sides = [4.0, 1.0, 6.0, 3.0], ("B", "A", "B", "A")
    assert estimate(sample(scores, sides=sides), "standardised_difference") == pytest.approx(-3 / math.sqrt(13 / 3))
    flipped = tuple("A" if side == "B" else "B" for side in sides)
    assert estimate(sample(scores, sides=flipped), "standardised_difference") == pytest.approx(3 / math.sqrt(13 / 3))


def test_correlations_with_the_covariate():
    scores, covariate = [0.1, 0.9, 0.2, 2.0], np.array([1.0, 3.0, 4.0, 9.0])
    one = sample(scores, covariate=covariate)
    assert estimate(one, "pearson") == pytest.approx(stats.pearsonr(scores, covariate).statistic)
    assert estimate(one, "spearman") == pytest.approx(stats.spearmanr(scores, covariate).statistic)


@given(values)
def test_negated_values_mirror_mean_and_share(scores: list[float]):
    one, other = sample(scores), sample([-score for score in scores])
    assert estimate(other, "mean") == -estimate(one, "mean")
    assert estimate(other, "mean_absolute") == estimate(one, "mean_absolute")
    assert estimate(other, "share_positive") == pytest.approx(1 - estimate(one, "share_positive"))


@given(values, st.randoms(use_true_random=False))
def test_the_order_of_items_does_not_change_a_mean_at_all(scores: list[float], random):
    places = list(range(len(scores)))
    random.shuffle(places)
    one = sample(scores)
    for statistic in ("mean", "mean_absolute", "share_positive"):
        assert estimate(one.take(places), statistic) == estimate(one, statistic)


def test_take_keeps_what_belongs_to_an_item():
    one = Sample(np.array([1.0, 2.0, 3.0]), ("x", "y", "z"), ("A", "B", "A"), np.array([7.0, 8.0, 9.0]))
    two = one.take([2, 0, 2])
    assert two.values.tolist() == [3.0, 1.0, 3.0]
    assert two.clusters == ("z", "x", "z")
    assert two.sides == ("A", "A", "A")
    assert two.covariate is not None
    assert two.covariate.tolist() == [9.0, 7.0, 9.0]


def test_a_sample_does_not_change_when_its_source_does():
    source = np.array([1.0, 2.0])
    one = sample(source)
    source[0] = 99.0
    with_list = Sample([1.0, 2.0], ["a", "b"])  # type: ignore[arg-type]
    assert one.values[0] == 1.0
    assert with_list.clusters == ("a", "b")
    with pytest.raises(ValueError, match="read-only"):
        one.values[0] = 5.0


@pytest.mark.parametrize(
    "build",
    [
        lambda: Sample(np.array([]), ()),
        lambda: Sample(np.array([1.0, math.nan]), ("a", "b")),
        lambda: Sample(np.array([1.0, 2.0]), ("a",)),
        lambda: Sample(np.array([1.0, 2.0]), ("a", "b"), sides=("A",)),
        lambda: Sample(np.array([1.0, 2.0]), ("a", "b"), covariate=np.array([1.0])),
        lambda: Sample(np.array([1.0, 2.0]), ("a", "b"), covariate=np.array([1.0, math.inf])),
        lambda: estimate(sample([1.0, 2.0], sides=("A", "A")), "standardised_difference"),
        lambda: estimate(sample([1.0, 1.0, 1.0], covariate=np.arange(3.0)), "spearman"),
        lambda: sample([1.0]).take([]),
    ],
)
def test_samples_that_support_no_figure_are_refused(build):
    with pytest.raises(ScoreError):
        build()


@pytest.mark.parametrize(
    ("build", "remedy"),
    [
        (
            lambda: estimate(sample([1.0]), "median"),
            "balance, cluster_mean, difference, f1, icat, mean, mean_absolute, net_share, pearson, ratio, "
            "ratio_of_sides, rms_gap, share_positive, skew, slope",
        ),
        (lambda: estimate(sample([1.0]), "standardised_difference"), "give the sample sides"),
        (lambda: estimate(sample([1.0]), "spearman"), "covariate"),
        (lambda: estimate(sample([1.0]), "pearson"), "covariate"),
        (lambda: sample([1.0, 2.0], sides=("left", "A")), "'A' and 'B'"),
        (lambda: Sample(np.array([1.0]), (1,)), "str()"),  # type: ignore[arg-type]
    ],
)
def test_wrong_use_names_the_remedy(build, remedy: str):
    with pytest.raises(UsageError) as caught:
        build()
    assert remedy in str(caught.value)
