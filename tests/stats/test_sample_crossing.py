"""Items that share words and draws: influences by hand, the spread by its closed form, and what intervals cover."""

import math

import numpy as np
import pytest

from biascheck.core.errors import UsageError
from biascheck.stats import Sample, cluster_bootstrap, estimate, paired_bootstrap
from biascheck.stats.sample import crossed_spread, influences, widened, widening, within_range


def rng(seed=0):
    return np.random.default_rng(seed)


def crossed(table, covariate=None):
    """One item for each word (row) and draw (column)."""
    words, draws = np.shape(table)
    names = tuple(f"w{w:03}" for w in range(words) for _ in range(draws))
    looked = None if covariate is None else np.repeat(covariate, draws)
    return Sample(np.ravel(table), names, covariate=looked, draws=tuple(d for _ in range(words) for d in range(draws)))


@pytest.mark.parametrize("statistic", ["mean", "mean_absolute", "share_positive", "pearson", "ratio"])
def test_an_influence_is_the_loss_of_the_estimate_without_the_item(statistic):
    sample = crossed(rng().normal(0.5, 1, (6, 4)), covariate=rng(1).uniform(1, 2, 6))
    found = influences(sample, statistic)
    for place in range(len(sample)):
        others = np.delete(np.arange(len(sample)), place)
        assert found[place] == pytest.approx(
            estimate(sample, statistic) - estimate(sample.take(others), statistic), abs=1e-12
        )


def test_a_statistic_that_is_no_sum_is_refused():
    with pytest.raises(UsageError, match="'spearman' is not a function of sums"):
        widening(crossed(rng().normal(size=(6, 3)), covariate=np.arange(6.0)), "spearman")


def test_the_spread_of_a_table_can_be_counted_by_hand():
    # Words are alike and draws are not: u is ±1, its sums are 0 for every word, ±4 for every draw.
    sample = crossed(np.zeros((4, 2)))
    unlike_draws = np.array([1.0, -1.0] * 4)
    assert crossed_spread(sample, unlike_draws) == 1.0  # no spread of words to compare with
    tilted = unlike_draws + np.repeat([1.0, -1.0, 1.0, -1.0], 2)
    # sums of words ±2, of draws ±4 each with D / (D − 1) = 2, of squares of items 4 · 4
    assert crossed_spread(sample, tilted) == pytest.approx(math.sqrt((4 * 4 + 2 * 16 * 2 - 16) / 16))


def test_what_is_not_shared_widens_nothing():
    table = np.repeat(rng().normal(size=(30, 1)), 5, axis=1)  # every draw reads the same
    assert widening(crossed(table), "mean") == 1.0
    one_draw = crossed(rng().normal(size=(30, 1)))
    assert widening(one_draw, "mean") == 1.0
    assert widening(Sample(rng().normal(size=9), tuple("abcdefghi")), "mean") == 1.0
    assert widened((1.0, 2.0), 1.5, 1.0) == (1.0, 2.0)


def test_intervals_widen_about_the_estimate_and_stay_in_range():
    assert widened((0.2, 0.5), 0.3, 2.0) == pytest.approx((0.1, 0.7))
    assert within_range((-0.2, 1.3), "share_positive") == (0.0, 1.0)
    assert within_range((-0.2, 1.3), "mean_absolute") == (0.0, 1.3)
    assert within_range((-0.2, 1.3), "mean") == (-0.2, 1.3)
    shared = crossed(rng().normal(size=(40, 1)) * 0.1 + rng(1).normal(size=(1, 8)))
    interval = cluster_bootstrap(shared, "mean", rng=rng())
    alone = cluster_bootstrap(Sample(shared.values, shared.clusters), "mean", rng=rng())
    assert interval.low < alone.low < alone.high < interval.high
    assert interval.method.endswith(f"{widening(shared, 'mean'):.2f} times wider for shared draws")
    assert "wider" not in alone.method


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_the_items_changes_no_digit(seed):
    sample = crossed(rng(seed).normal(size=(12, 6)) + rng(9).normal(size=(1, 6)))
    shuffled = sample.take(rng(seed).permutation(len(sample)))
    one, other = (cluster_bootstrap(s, "mean", rng=rng(), resamples=200) for s in (sample, shuffled))
    assert one == other


@pytest.mark.takes_seconds
def test_intervals_of_crossed_items_cover_and_those_of_words_alone_do_not():
    generator, trials, words, draws = rng(5), 300, 40, 10
    hits = {"crossed": 0, "words": 0}
    for _ in range(trials):
        table = generator.normal(0, 1, (words, 1)) + generator.normal(0, 0.5, (1, draws))
        sample = crossed(table + generator.normal(0, 1, (words, draws)))
        for name, found in (("crossed", sample), ("words", Sample(sample.values, sample.clusters))):
            hits[name] += cluster_bootstrap(found, "mean", rng=generator, resamples=400).contains(0.0)
    # The spread of words is √(1 / 40 + 1 / 400), that of draws √(0.25 / 10) as large again.
    assert hits["words"] / trials < 0.87
    assert 0.9 <= hits["crossed"] / trials <= 0.98


@pytest.mark.takes_seconds
def test_a_change_between_crossed_samples_is_as_wide_as_its_draws_say():
    generator, trials, misses = rng(6), 400, {"crossed": 0, "words": 0}
    for _ in range(trials):
        words = generator.normal(2, 1, (30, 1))
        before, after = (
            crossed(words + generator.normal(0, 0.3, (1, 10)) + generator.normal(0, 0.3, (30, 10))) for _ in "ab"
        )
        plain = [Sample(sample.values, sample.clusters) for sample in (before, after)]
        for name, pair in (("crossed", (before, after)), ("words", plain)):
            change = paired_bootstrap(*pair, "mean", rng=generator, resamples=300)
            misses[name] += not change.interval_at(0.95).contains(0.0)
    assert misses["words"] / trials > 0.3
    # Nearly all doubt is that of ten draws, which is Student's with 9 degrees of freedom: beyond 2.04 in 7.2 %.
    assert misses["crossed"] / trials <= 0.072 + 3 * math.sqrt(0.072 * 0.928 / trials)
