"""Paired resampling: exact pairing, four signed differences, and the error rates of the verdicts."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats as oracle

from biascheck.core.errors import ScoreError, UsageError
from biascheck.stats import Change, Sample, estimate, paired_bootstrap, paired_share_interval, verdict_of_change
from biascheck.stats.sample import Clusters, estimates_of, expanded

TRIALS = 400
# A rate of 0.025 that is met exactly shows more than this in 400 trials once in a thousand times.
RATE = 0.025 + 3.1 * math.sqrt(0.025 * 0.975 / TRIALS)


def rng(seed=0):
    return np.random.default_rng(seed)


def singles(values, sides=None, covariate=None):
    return Sample(np.asarray(values, float), tuple(f"c{n:03d}" for n in range(len(values))), sides, covariate)


def in_clusters(values):
    rows, columns = values.shape
    return Sample(values.ravel(), tuple(f"c{n:03d}" for n in range(rows) for _ in range(columns)))


def test_what_both_samples_share_cancels():
    noise = rng().normal(size=40)
    change = paired_bootstrap(singles(2 + noise), singles(2.3 + noise), "mean", rng=rng())
    found = change.interval_at(0.95)
    assert change.estimate == pytest.approx(0.3)
    assert (found.low, found.high) == (pytest.approx(0.3), pytest.approx(0.3))


def test_the_interval_of_sure_signs_is_that_of_the_signed_difference():
    before, after = singles(5 + rng(1).normal(size=80)), singles(5.5 + rng(2).normal(size=80))
    difference = after.values - before.values
    found = paired_bootstrap(before, after, "mean", rng=rng(), resamples=20_000).interval_at(0.95)
    student = oracle.ttest_1samp(difference, 0).confidence_interval(0.95)
    assert (found.low, found.high) == (pytest.approx(student.low, abs=0.02), pytest.approx(student.high, abs=0.02))


def test_negating_both_samples_changes_nothing():
    before, after = rng(1).normal(1, 1, 30), rng(2).normal(1.4, 1, 30)
    plain = paired_bootstrap(singles(before), singles(after), "mean", rng=rng()).interval_at(0.95)
    negated = paired_bootstrap(singles(-before), singles(-after), "mean", rng=rng()).interval_at(0.95)
    assert (plain.low, plain.high) == (pytest.approx(negated.low), pytest.approx(negated.high))


def test_intervals_are_nested_and_contain_the_estimate():
    change = paired_bootstrap(
        singles(rng(1).normal(0, 1, 30)), singles(rng(2).normal(0.2, 1, 30)), "mean", rng=rng(), resamples=5_000
    )
    found = [change.interval_at(level) for level in (0.5, 0.9, 0.95, 0.99)]
    assert all(inner.low >= outer.low and inner.high <= outer.high for inner, outer in pairwise(found))
    assert found[0].contains(change.estimate)


@pytest.mark.parametrize("statistic", ["mean", "share_positive", "skew", "stereotype", "standardised_difference"])
def test_all_resamples_at_once_are_the_statistic_of_each(statistic):
    values, sizes = rng(3).normal(size=60), 3
    names = tuple(f"c{n // sizes:02d}" for n in range(60))
    sample = Sample(values, names, tuple("A" if n % 2 else "B" for n in range(60)))
    clusters = Clusters.of(sample)
    drawn = clusters.draw(rng(), 20)
    one_by_one = [estimate(clusters.sample.take(clusters.items(row)), statistic) for row in drawn]
    np.testing.assert_allclose(estimates_of(clusters, statistic)(drawn), one_by_one, rtol=1e-9, atol=1e-12)


def test_correlations_of_all_resamples_are_scipys():
    sample = singles(rng(1).normal(size=20), covariate=rng(2).normal(size=20))
    clusters = Clusters.of(sample)
    drawn = clusters.draw(rng(), 10)
    expected = [
        oracle.spearmanr(clusters.sample.values[row], clusters.sample.covariate[row]).statistic for row in drawn
    ]
    np.testing.assert_allclose(estimates_of(clusters, "spearman")(drawn), expected)


def test_few_clusters_are_given_students_doubt():
    assert (1 - expanded(0.95, 4)) / 2 == pytest.approx(oracle.norm.sf(math.sqrt(5 / 4) * oracle.t.ppf(0.975, 4)))
    assert (1 - expanded(0.95, 4)) / 2 == pytest.approx(0.001, abs=2e-4)
    assert expanded(0.95, 100_000) == pytest.approx(0.95, abs=1e-5)


def test_samples_of_other_items_are_refused():
    with pytest.raises(UsageError, match="the same clusters and sides, in order"):
        paired_bootstrap(singles(range(6)), Sample(np.arange(6.0), tuple("abcdef")), "mean", rng=rng())


def test_too_few_clusters_are_refused():
    with pytest.raises(ScoreError, match="at least 5 are needed"):
        paired_bootstrap(singles(range(4)), singles(range(4)), "mean", rng=rng())


def test_resamples_without_a_figure_are_drawn_again_and_counted():
    sides = tuple("A" if n < 9 else "B" for n in range(12))
    mixed = Sample(rng().normal(size=12), tuple(f"c{n // 2}" for n in range(12)), sides)
    change = paired_bootstrap(mixed, mixed, "standardised_difference", rng=rng(), resamples=500)
    assert change.redrawn > 0
    assert change.resamples[0].size == change.resamples[1].size == 500
    assert f"{change.redrawn} undefined redrawn" in change.interval_at(0.95).method


def verdicts(draw, statistic="mean", method="bca", trials=TRIALS, tolerance=0.0):
    """How often each verdict is given for samples that ``draw`` makes."""
    found = dict.fromkeys(Change, 0.0)
    source = rng(11)
    for trial in range(trials):
        change = paired_bootstrap(*draw(source), statistic, rng=rng(trial), resamples=400, method=method)
        found[verdict_of_change(change.interval_at(0.95), tolerance)] += 1 / trials
    return found


def checkpoints(clusters, before, after, own=0.3):
    """Two checkpoints whose clusters lean much the same way; five items a cluster."""

    def draw(source):
        shared = source.normal(0, 1, clusters)
        return tuple(
            in_clusters(
                (mean + shared + source.normal(0, own, clusters))[:, None] + source.normal(0, 0.3, (clusters, 5))
            )
            for mean in (before, after)
        )

    return draw


@pytest.mark.takes_seconds
@pytest.mark.parametrize("clusters", [8, 20, 60])
@pytest.mark.parametrize(("before", "after"), [(1.5, 1.5), (0.0, 0.0), (-1.5, 1.5)])
def test_resampling_noise_alone_is_no_change(clusters, before, after):
    found = verdicts(checkpoints(clusters, before, after))
    assert found[Change.REGRESSED] <= RATE
    assert found[Change.IMPROVED] <= RATE


@pytest.mark.takes_seconds
def test_a_known_worsening_is_found_and_a_known_improvement_too():
    assert verdicts(checkpoints(60, 1.5, 1.8), trials=100)[Change.REGRESSED] >= 0.95
    assert verdicts(checkpoints(60, -1.5, -1.8), trials=100)[Change.REGRESSED] >= 0.95
    assert verdicts(checkpoints(60, 1.5, 1.2), trials=100)[Change.IMPROVED] >= 0.95
    assert verdicts(checkpoints(60, 0.3, 1.8), trials=100)[Change.REGRESSED] >= 0.95


def test_a_worsening_at_the_tolerance_is_seldom_regressed_or_no_worse():
    found = verdicts(checkpoints(20, 1.5, 1.8), tolerance=0.3)
    assert found[Change.REGRESSED] <= RATE
    assert found[Change.NO_WORSE] + found[Change.IMPROVED] <= RATE


def test_no_change_is_no_worse_where_the_tolerance_is_wide_enough():
    assert verdicts(checkpoints(60, 1.5, 1.5), trials=100, tolerance=0.3)[Change.NO_WORSE] >= 0.9


def attribute_sets(a_side, before, after):
    sides = ("A",) * a_side + ("B",) * a_side
    lean = np.repeat([0.5, -0.5], a_side)

    def draw(source):
        shared = source.normal(0, 0.8, 2 * a_side)
        return tuple(singles(shared + source.normal(0, 0.6, 2 * a_side) + d * lean, sides) for d in (before, after))

    return draw


@pytest.mark.takes_seconds
@pytest.mark.parametrize("effect", [0.0, 0.8])
def test_effect_sizes_raise_no_false_alarm(effect):
    found = verdicts(attribute_sets(12, effect, effect), "standardised_difference")
    assert max(found[Change.REGRESSED], found[Change.IMPROVED]) <= RATE


@pytest.mark.takes_seconds
def test_a_grown_effect_size_is_found():
    assert verdicts(attribute_sets(25, 0.5, 1.8), "standardised_difference", trials=60)[Change.REGRESSED] >= 0.8


def pronouns(before, after, occupations=40):
    """Scores of a Winograd corpus: each model has a shift towards A, and one towards the side of the occupation."""
    names = tuple(f"o{n:02d}" for n in range(occupations) for _ in range(12))
    sides = tuple("AB"[n % 2] for n in range(occupations) for _ in range(12))
    sign = np.where(np.array(sides) == "A", 1, -1)

    def draw(source):
        shared = np.repeat(source.normal(0, 0.6, occupations), 12) + source.normal(0, 0.6, occupations * 12)
        return tuple(
            Sample(shared + np.repeat(source.normal(0, 0.3, occupations), 12) + shift + pull * sign, names, sides)
            for shift, pull in (before, after)
        )

    return draw


@pytest.mark.takes_seconds
@pytest.mark.parametrize("statistic", ["skew", "stereotype"])
@pytest.mark.parametrize("both", [(0.0, 0.0), (0.5, 0.5)], ids=["at parity", "far from it"])
def test_distances_raise_no_false_alarm(statistic, both):
    found = verdicts(pronouns(both, both), statistic, "percentile")
    assert max(found[Change.REGRESSED], found[Change.IMPROVED]) <= RATE


@pytest.mark.parametrize(("statistic", "after"), [("skew", (0.8, 0.2)), ("stereotype", (0.2, 0.8))])
def test_a_grown_distance_is_found(statistic, after):
    assert verdicts(pronouns((0.2, 0.2), after), statistic, "percentile", trials=60)[Change.REGRESSED] >= 0.9


def test_paired_shares_are_agresti_and_mins():
    # 12 items became positive, 4 negative, 30 stayed so, 14 stayed otherwise: far from one half on the same side.
    before = np.repeat([0, 1, 1, 0], [12, 4, 30, 14])
    after = np.repeat([1, 0, 1, 0], [12, 4, 30, 14])
    b, c, n = 12.5, 4.5, 62
    half = 1.959964 * math.sqrt((b + c) - (b - c) ** 2 / n) / n
    found = paired_share_interval(before, after)
    assert (found.low, found.high) == (pytest.approx(8 / n - half, abs=1e-6), pytest.approx(8 / n + half, abs=1e-6))
    assert (found.level, found.method) == (0.95, "paired shares, Agresti and Min")
    # 34 and 42 of 60 lie as far above one half as 26 and 18 lie below it: neither share's side makes a difference.
    for first, second in ((1 - before, after), (before, 1 - after), (1 - before, 1 - after)):
        assert paired_share_interval(first, second) == found


def test_shares_that_did_not_move_leave_room_for_doubt():
    same = np.ones(12)
    found = paired_share_interval(same, same)
    assert found.low < 0 < found.high
    certain = paired_share_interval(same[:1], same[:1], level=0.9999)
    assert (certain.low, certain.high) == (-1.0, 1.0)  # no change is larger


@pytest.mark.parametrize(("before", "after"), [(0.7, 0.7), (0.5, 0.5), (0.3, 0.7)])
def test_paired_shares_raise_no_false_alarm(before, after):
    source, found = rng(5), dict.fromkeys(Change, 0.0)
    for _ in range(2_000):
        moved = source.random(40) < 0.3  # otherwise the item's second draw repeats the first
        first, second = source.random(40), source.random(40)
        later = np.where(moved, second, first) < after
        found[verdict_of_change(paired_share_interval(first < before, later))] += 1 / 2_000
    assert max(found[Change.REGRESSED], found[Change.IMPROVED]) <= 0.036
