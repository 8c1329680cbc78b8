"""Drawn data have the value they should: large data sets against the closed forms."""

import numpy as np
import pytest

from biascheck import stats
from biascheck.calibration.applied_limit import Limit
from biascheck.calibration.draws import Components, Shape, components_of, draw_of, share_of_male_for, true_d
from biascheck.measures.draft import UNKNOWN
from biascheck.results.items import ItemScore
from biascheck.results.result import Result


def result_with(scores: np.ndarray) -> Result:
    items = tuple(ItemScore(f"{c}/{i}", float(v), str(c)) for c, row in enumerate(scores) for i, v in enumerate(row))
    return Result("m", "x", "c", "mean", 0.0, None, 0, 0, 0, ("a", "b"), UNKNOWN, items)


def test_variance_components_by_hand():
    # within: ((1)² + (1)²) · 2 / 2 = 2; means 1 and 5: variance 8; between: 8 − 2 / 2 = 7
    assert components_of(result_with(np.array([[0.0, 2.0], [4.0, 6.0]]))) == Components(
        pytest.approx(7**0.5), pytest.approx(2**0.5)
    )


def test_variance_components_are_found_again():
    rng = np.random.default_rng(0)
    scores = rng.normal(0, 0.8, (2_000, 1)) + rng.normal(0, 0.3, (2_000, 9))
    found = components_of(result_with(scores))
    assert found.between == pytest.approx(0.8, rel=0.05)
    assert found.within == pytest.approx(0.3, rel=0.05)


def test_the_true_effect_size_is_that_of_a_large_sample():
    rng = np.random.default_rng(0)
    values = rng.normal(0, 1, 400_000)
    values[:200_000] += 1.7
    measured = (values[:200_000].mean() - values[200_000:].mean()) / values.std(ddof=1)
    assert true_d(1.7) == pytest.approx(measured, abs=0.01)


def test_always_he_has_a_skew_of_two_thirds():
    assert share_of_male_for(0.0) == 0.5
    assert share_of_male_for(2 / 3) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("statistic", "truth"),
    [
        ("mean", 0.4),
        ("mean_absolute", 0.1),
        ("mean_absolute", 0.0),
        ("share_positive", 0.75),
        ("standardised_difference", 1.2),
        ("spearman", 0.6),
        ("skew", 0.0),
        ("skew", 0.25),
        ("skew", 0.6),
        ("stereotype", 0.0),
        ("stereotype", 0.2),
        ("stereotype", 0.9),
    ],
)
def test_a_large_data_set_has_the_true_value(statistic, truth):
    shape = Shape("gate", statistic, 40_000, 1, Limit(1.0))
    sample = draw_of(shape, Components(0.3, 0.3))(np.random.default_rng(1), truth)
    assert stats.estimate(sample, statistic) == pytest.approx(truth, abs=0.02)


def test_a_shape_may_bring_its_own_variance():
    shape = Shape("gate", "mean", 2_000, 1, Limit(1.0), Components(0.05, 0.0))
    values = draw_of(shape, Components(3.0, 3.0))(np.random.default_rng(1), 0.0).values
    assert values.std() == pytest.approx(0.05, rel=0.1)


@pytest.mark.parametrize("statistic", ["skew", "stereotype"])
def test_a_data_set_with_one_of_the_two_has_none_of_the_other(statistic):
    shape = Shape("gate", statistic, 40_000, 1, Limit(1.0))
    sample = draw_of(shape, Components(0.0, 0.0))(np.random.default_rng(2), 0.5)
    (other,) = {"skew", "stereotype"} - {statistic}
    assert stats.estimate(sample, other) < 0.02
