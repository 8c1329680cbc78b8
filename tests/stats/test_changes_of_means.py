"""Paired means: what both share cancels, distances have a kink, and skewed changes keep their level."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats as oracle

from biascheck.core.errors import ScoreError, UsageError
from biascheck.stats import Change, Sample, mean_interval, paired_bootstrap, paired_means, verdict_of_change


def singles(values, sides=None):
    return Sample(np.asarray(values, float), tuple(f"c{n:03}" for n in range(len(values))), sides)


def normal(seed, centre, n=80):
    return centre + np.random.default_rng(seed).normal(size=n)


def test_what_both_samples_share_cancels():
    noise = normal(0, 0.0, 40)
    change = paired_means(singles(2 + noise), singles(2.3 + noise), "mean")
    found = change.interval_at(0.95)
    assert change.estimate == pytest.approx(0.3)
    assert (found.low, found.high) == (pytest.approx(0.3), pytest.approx(0.3))


def test_the_interval_of_sure_signs_is_scipys_of_the_differences():
    before, after = normal(1, 5.0), normal(2, 5.5)
    student = oracle.ttest_rel(after, before).confidence_interval(0.95)
    found = paired_means(singles(before), singles(after), "mean").interval_at(0.95)
    assert (found.low, found.high) == pytest.approx((student.low, student.high), rel=1e-12)
    assert found.method == "paired Student's t over 80 clusters, corrected for skewness"


def test_the_change_of_a_figure_on_one_side_is_the_interval_of_the_differences():
    before = normal(1, 9.0, 12)
    after = before + np.random.default_rng(2).exponential(size=12)
    found = paired_means(singles(before), singles(after), "mean").interval_at(0.975)
    expected = mean_interval(singles(after - before), "mean", level=0.975)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-9)
    assert found.caution == expected.caution != ""


@pytest.mark.takes_seconds
@pytest.mark.parametrize("statistic", ["mean", "mean_absolute", "difference"])
@pytest.mark.parametrize(("before", "after"), [(0.0, 0.1), (-2.0, 1.0), (1.0, 0.2)])
def test_it_is_close_to_the_paired_bootstrap_of_many_clusters(statistic, before, after):
    sides = ("A", "B") * 150
    samples = [singles(normal(seed, centre, 300), sides) for seed, centre in ((3, before), (4, after))]
    ours = paired_means(*samples, statistic).interval_at(0.95)
    resampled = paired_bootstrap(*samples, statistic, rng=np.random.default_rng(0), resamples=8_000).interval_at(0.95)
    width = resampled.high - resampled.low
    assert (ours.low, ours.high) == pytest.approx((resampled.low, resampled.high), abs=0.08 * width)


def test_intervals_are_nested_and_contain_the_estimate():
    change = paired_means(singles(normal(1, 0.0, 30)), singles(normal(2, 0.2, 30)), "mean")
    found = [change.interval_at(level) for level in (0.5, 0.9, 0.95, 0.99)]
    assert all(inner.low >= outer.low and inner.high <= outer.high for inner, outer in pairwise(found))
    assert found[0].contains(change.estimate)


def test_negating_both_samples_changes_nothing():
    before, after = normal(1, 1.0, 30), normal(2, 1.4, 30)
    plain, negated = (paired_means(singles(s * before), singles(s * after), "mean").interval_at(0.95) for s in (1, -1))
    assert (plain.low, plain.high) == (negated.low, negated.high)


def test_other_items_and_too_few_clusters_are_refused():
    with pytest.raises(UsageError, match="the same clusters and sides, in order"):
        paired_means(singles(range(6)), Sample(np.arange(6.0), tuple("abcdef")), "mean")
    with pytest.raises(ScoreError, match="at least 5 are needed"):
        paired_means(singles(range(4)), singles(range(4)), "mean")


@pytest.mark.takes_seconds
@pytest.mark.parametrize("clusters", [8, 20])
@pytest.mark.parametrize("sign", [1, -1])
def test_skewed_noise_alone_is_seldom_a_change(clusters, sign):
    """Goal 3.75 %, in 1,000 trials up to three standard errors more; a paired BCa interval says so in 12 and 8 %."""
    generator, found = np.random.default_rng(6), dict.fromkeys(Change, 0)
    for _ in range(1_000):
        shared = 50 + generator.normal(size=clusters)
        noise = sign * (generator.lognormal(size=clusters) - np.exp(0.5))
        change = paired_means(singles(shared), singles(shared + noise), "mean")
        found[verdict_of_change(change.interval_at(0.95))] += 1
    assert max(found[Change.REGRESSED], found[Change.IMPROVED]) <= 56
