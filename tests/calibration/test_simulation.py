"""Drawn data have the value they should: large data sets against the closed forms."""

import numpy as np
import pytest

from biascheck import stats
from biascheck.calibration.simulation import draw_like, share_of_male_for, true_d
from biascheck.core.errors import UsageError
from biascheck.stats import Sample

CLUSTERS, ITEMS = 8_000, 4


def large(seed=0, *, between=0.4, within=0.7):
    """A large sample that itself is far from parity and lopsided: none of that may reach what is drawn like it."""
    rng = np.random.default_rng(seed)
    names = tuple(f"{c:05}" for c in range(CLUSTERS) for _ in range(ITEMS))
    sides = tuple("AB"[c % 2] for c in range(CLUSTERS) for _ in range(ITEMS))
    effects = np.repeat(between * (rng.exponential(1.0, CLUSTERS) - 1.0), ITEMS)
    covariate = np.repeat(1.0 + rng.random(CLUSTERS), ITEMS)
    return Sample(3.0 + effects + rng.normal(0, within, len(names)), names, sides=sides, covariate=covariate)


@pytest.mark.parametrize(
    ("statistic", "truth"),
    [
        ("mean", 0.0),
        ("mean", 0.4),
        ("difference", 0.0),
        ("difference", -0.7),
        ("slope", 0.0),
        ("slope", 1.3),
        ("rms_gap", 0.9),
        ("mean_absolute", 0.1),
        ("mean_absolute", 0.0),
        ("ratio", 0.3),
        ("ratio_of_sides", 0.8),
        ("share_positive", 0.75),
        ("standardised_difference", 1.2),
        ("spearman", 0.6),
        ("pearson", 0.6),
        ("skew", 0.0),
        ("skew", 0.25),
        ("skew", 0.6),
        ("stereotype", 0.0),
        ("stereotype", 0.2),
        ("stereotype", 0.9),
    ],
)
def test_a_large_data_set_has_the_true_value(statistic, truth):
    sample = draw_like(large(), statistic)(np.random.default_rng(1), truth)
    assert stats.estimate(sample, statistic) == pytest.approx(truth, abs=0.03)


def test_data_at_parity_have_no_typical_gap():
    sample = draw_like(large(), "rms_gap")(np.random.default_rng(1), 0.0)
    assert abs(stats.estimate(sample, "rms_gap")) < 0.1  # the root of a mean square that is zero but for noise


@pytest.mark.parametrize("statistic", ["mean", "difference", "slope"])
def test_clusters_and_items_vary_as_in_the_result(statistic):
    sample = draw_like(large(between=0.5, within=0.2), statistic)(np.random.default_rng(2), 0.0)
    rows = sample.values.reshape(CLUSTERS, ITEMS)
    assert rows.var(axis=1, ddof=1).mean() == pytest.approx(0.04, rel=0.05)
    assert rows.mean(axis=1).var(ddof=1) == pytest.approx(0.25 + 0.04 / ITEMS, rel=0.1)


def test_the_true_effect_size_is_that_of_a_large_sample():
    rng = np.random.default_rng(0)
    values = rng.normal(0, 1, 400_000)
    values[:200_000] += 1.7
    measured = (values[:200_000].mean() - values[200_000:].mean()) / values.std(ddof=1)
    assert true_d(1.7) == pytest.approx(measured, abs=0.01)


def test_always_he_has_a_skew_of_two_thirds():
    assert share_of_male_for(0.0) == 0.5
    assert share_of_male_for(2 / 3) == pytest.approx(1.0)


@pytest.mark.parametrize("statistic", ["skew", "stereotype"])
def test_a_data_set_with_one_of_the_two_has_none_of_the_other(statistic):
    sample = draw_like(large(), statistic)(np.random.default_rng(2), 0.5)
    (other,) = {"skew", "stereotype"} - {statistic}
    assert stats.estimate(sample, other) < 0.02


def test_a_statistic_that_cannot_be_planted_is_refused():
    with pytest.raises(UsageError, match="no data with a known smaller_f1 can be drawn; there are: difference"):
        draw_like(large(), "smaller_f1")
