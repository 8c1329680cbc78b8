from __future__ import annotations

import math
import warnings
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from biascheck.core.errors import BiascheckWarning, ScoreError, UsageError
from biascheck.stats import ESTIMATORS, MINIMUM_CLUSTERS, Sample, bootstrap_distribution, cluster_bootstrap, estimate
from biascheck.stats.sample import Clusters, bca_tails, ends, estimates_of, jackknives

MEANS = ("mean", "mean_absolute", "share_positive")


def rng(seed: int = 11) -> np.random.Generator:
    return np.random.default_rng(seed)


def single_items(values) -> Sample:
    return Sample(np.asarray(values, dtype=float), tuple(f"c{i:03}" for i in range(len(values))))


def clustered(generator: np.random.Generator, clusters: int = 8, **more) -> Sample:
    """Clusters of unequal sizes whose items share most of their score."""
    names = [f"c{c}" for c in range(clusters) for _ in range(1 + c % 4)]
    shared = dict(zip(dict.fromkeys(names), generator.normal(0.3, 1, clusters), strict=True))
    values = np.array([shared[name] for name in names]) + generator.normal(0, 0.3, len(names))
    return Sample(values, tuple(names), **more)


def test_the_distribution_is_that_of_all_equally_likely_resamples():
    # Five clusters of unequal sizes have 5^5 resamples; enumerate them and compare the distributions.
    sums, sizes = np.array([1.0, 4.0, -3.0, 8.0, 0.5]), np.array([1, 2, 3, 1, 2])
    names = tuple(f"c{c}" for c in range(5) for _ in range(sizes[c]))
    sample = Sample(np.repeat(sums / sizes, sizes), names)
    draws = np.array(list(product(range(5), repeat=5)))
    every = sums[draws].sum(axis=1) / sizes[draws].sum(axis=1)
    found = bootstrap_distribution(sample, "mean", rng=rng(), resamples=20_000)
    assert found.mean() == pytest.approx(every.mean(), abs=4 * every.std() / math.sqrt(20_000))
    for q in (0.05, 0.25, 0.5, 0.75, 0.95):
        # The share below an enumerated quantile, up to ties and four standard errors.
        cut = np.quantile(every, q)
        expected = np.mean(every <= cut + 1e-9)
        assert np.mean(found <= cut + 1e-9) == pytest.approx(expected, abs=4 * math.sqrt(0.25 / 20_000))


@pytest.mark.parametrize("statistic", MEANS)
def test_the_fast_path_is_the_slow_path(statistic: str, monkeypatch: pytest.MonkeyPatch):
    sample = clustered(rng())
    fast = bootstrap_distribution(sample, statistic, rng=rng(), resamples=20_000)
    monkeypatch.setattr("biascheck.stats.sample.MEANS", {})
    slow = bootstrap_distribution(sample, statistic, rng=rng(), resamples=4_000)
    assert stats.ks_2samp(np.round(fast, 9), np.round(slow, 9)).pvalue > 0.001
    jackknife = jackknives(Clusters.of(sample), statistic)
    monkeypatch.undo()
    np.testing.assert_allclose(jackknives(Clusters.of(sample), statistic), jackknife)


def test_bca_ends_follow_the_textbook_formula():
    generator = rng()
    values = generator.exponential(size=15)
    distribution = generator.choice(values, (999, 15)).mean(axis=1)
    jackknife = np.array([np.delete(values, i).mean() for i in range(15)])
    z0 = stats.norm.ppf(np.mean(distribution < values.mean()))
    deviations = jackknife.mean() - jackknife
    a = (deviations**3).sum() / (6 * (deviations**2).sum() ** 1.5)
    tails = [stats.norm.cdf(z0 + (z0 + z) / (1 - a * (z0 + z))) for z in stats.norm.ppf([0.05, 0.95])]
    found = bca_tails(distribution, values.mean(), [jackknife], 0.9)
    assert found is not None
    assert found == pytest.approx((tails[0], 1 - tails[1]), rel=1e-9)
    assert ends(distribution, found) == pytest.approx(tuple(np.quantile(distribution, tails)), rel=1e-9)


def scipy_bca(data, statistic, distribution, level=0.95):
    """scipy's BCa interval of a distribution handed to it, so that no second draw blurs the comparison."""
    given = SimpleNamespace(bootstrap_distribution=distribution)
    found = stats.bootstrap(
        data,
        statistic,
        n_resamples=0,
        bootstrap_result=given,
        confidence_level=level,
        method="BCa",
        vectorized=False,
    )
    return tuple(found.confidence_interval)


def sd_difference(x, y):
    return (np.mean(x) - np.mean(y)) / np.std(np.concatenate([x, y]), ddof=1)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_scipy_finds_the_same_bca_interval_with_one_item_per_cluster(level: float):
    values = rng(4).exponential(size=25)
    sample = single_items(values)
    ours = cluster_bootstrap(sample, "mean", rng=rng(), level=level, expand=False)
    oracle = scipy_bca((values,), np.mean, bootstrap_distribution(sample, "mean", rng=rng()), level)
    assert (ours.low, ours.high) == pytest.approx(oracle, rel=1e-9)
    assert ours.method == "cluster bootstrap, BCa, 2000 resamples"


def test_resamples_equal_to_the_estimate_count_one_half_as_in_scipy():
    # A share of 12 items has few distinct values, so a fifth of the resamples equals the estimate.
    values = np.array([1.0, -2.0, 3.0, 0.5, 2.0, -1.0, 4.0, 1.5, -0.5, 2.5, 3.5, 1.2])
    sample = single_items(values)
    distribution = bootstrap_distribution(sample, "share_positive", rng=rng())
    assert np.mean(np.isclose(distribution, 0.75)) > 0.2
    ours = cluster_bootstrap(sample, "share_positive", rng=rng(), expand=False)
    oracle = scipy_bca((values > 0,), np.mean, distribution)
    assert (ours.low, ours.high) == pytest.approx(oracle, rel=1e-9)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_scipy_finds_the_same_bca_interval_for_two_sides(level: float):
    generator = rng(8)
    a, b = generator.exponential(2, 14), generator.normal(0, 1, 9)
    names = tuple(f"{side}{i}" for side, n in (("x", 14), ("y", 9)) for i in range(n))
    sample = Sample(np.concatenate([a, b]), names, sides=("A",) * 14 + ("B",) * 9)
    statistic = "standardised_difference"
    ours = cluster_bootstrap(sample, statistic, rng=rng(), level=level, expand=False)
    distribution = bootstrap_distribution(sample, statistic, rng=rng())
    assert (ours.low, ours.high) == pytest.approx(scipy_bca((a, b), sd_difference, distribution, level), rel=1e-9)
    drawn = stats.bootstrap((a, b), sd_difference, n_resamples=2_000, vectorized=False, rng=rng(9))
    assert stats.ks_2samp(distribution, drawn.bootstrap_distribution).pvalue > 0.001


def test_percentile_ends_are_quantiles_of_the_distribution():
    sample = clustered(rng())
    distribution = bootstrap_distribution(sample, "mean", rng=rng(), resamples=500)
    found = cluster_bootstrap(sample, "mean", rng=rng(), resamples=500, level=0.8, method="percentile", expand=False)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(distribution, [0.1, 0.9])), rel=1e-12)
    assert found.level == 0.8
    assert found.method == "cluster bootstrap, percentile, 500 resamples"


def test_intervals_of_one_seed_are_nested():
    sample = clustered(rng())
    previous = None
    for level in (0.5, 0.8, 0.95, 0.99):
        interval = cluster_bootstrap(sample, "mean", rng=rng(), level=level)
        if previous is not None:
            assert interval.low <= previous.low
            assert previous.high <= interval.high
        previous = interval


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.integers(0, 7), st.floats(-1e3, 1e3)), min_size=12, max_size=40).filter(
        lambda rows: len({cluster for cluster, _ in rows}) >= MINIMUM_CLUSTERS
    ),
    st.sampled_from(["bca", "percentile"]),
)
def test_negated_values_mirror_the_interval_of_a_mean_exactly(rows, method):
    names = tuple(f"c{cluster}" for cluster, _ in rows)
    values = np.array([value for _, value in rows])
    one, other = (
        cluster_bootstrap(Sample(v, names), "mean", rng=rng(), resamples=300, method=method) for v in (values, -values)
    )
    assert (other.low, other.high) == (-one.high, -one.low)
    assert other.method == one.method


@pytest.mark.parametrize("statistic", sorted(ESTIMATORS))
@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_items_does_not_matter(statistic: str, seed: int):
    generator = rng(seed)
    base = clustered(generator, 9)
    sides = tuple("A" if int(name[1:]) % 2 else "B" for name in base.clusters)
    sample = Sample(base.values, base.clusters, sides, generator.normal(size=len(base)))
    shuffled = sample.take(generator.permutation(len(sample)))
    one, other = (cluster_bootstrap(s, statistic, rng=rng(), resamples=200) for s in (sample, shuffled))
    assert one == other


@pytest.mark.parametrize("statistic", sorted(ESTIMATORS))
def test_the_same_seed_gives_the_same_interval_and_another_seed_another(statistic: str):
    base = clustered(rng(), 9)
    sides = tuple("A" if int(name[1:]) % 2 else "B" for name in base.clusters)
    readings = base.values + rng(3).normal(size=len(base))  # of the same gaps, for what multiplies two of them
    sample = Sample(base.values - 0.2, base.clusters, sides, readings)
    one, again, other = (cluster_bootstrap(sample, statistic, rng=rng(seed), resamples=300) for seed in (1, 1, 2))
    assert one == again
    assert one != other
    assert one.contains(estimate(sample, statistic))


def test_clusters_are_drawn_within_their_side():
    # Side A is all 1 and side B all 0: within sides, the mean of 4 + 6 clusters can only be 0.4.
    sides = ("A",) * 4 + ("B",) * 6
    sample = Sample(np.array([1.0] * 4 + [0.0] * 6), tuple("abcdefghij"), sides)
    assert set(bootstrap_distribution(sample, "mean", rng=rng(), resamples=200)) == {0.4}
    # Without sides the same clusters mix.
    mixed = Sample(sample.values, sample.clusters)
    assert len(set(bootstrap_distribution(mixed, "mean", rng=rng(), resamples=200))) > 3


def test_a_cluster_on_both_sides_is_drawn_whole():
    # Each cluster holds a pair (A, B) whose difference is exactly 1, so every resample's sides differ by 1.
    shifts = np.array([0.0, 1.0, 5.0, 9.0, 20.0, 4.0])
    names = tuple(name for name in "abcdef" for _ in range(2))
    values = np.repeat(shifts, 2) + np.tile([1.0, 0.0], 6)
    sample = Sample(values, names, ("A", "B") * 6)
    for found in bootstrap_distribution(sample, "standardised_difference", rng=rng(), resamples=100):
        # d = 1 / sd(values), and the sd lies between those of the narrowest and the widest resample.
        assert 1 / np.std([0.0, 1, 20, 21] * 3, ddof=1) <= found <= 1 / np.std([0.0, 1.0] * 6, ddof=1) + 1e-12


def test_equal_resamples_give_the_estimate_alone():
    found = cluster_bootstrap(single_items([0.1] * 6), "mean", rng=rng())
    assert found.low == found.high == pytest.approx(0.1)
    assert found.method == "cluster bootstrap, all resamples equal, 2000 resamples"
    share = cluster_bootstrap(single_items([1.0, 2.0, 3.0, 4.0, 5.0]), "share_positive", rng=rng())
    assert (share.low, share.high) == (1.0, 1.0)


def test_bca_falls_back_to_percentile_where_it_is_undefined():
    assert bca_tails(np.array([1.0, 2.0, 3.0]), 0.5, [np.array([1.0, 2.0, 4.0])], 0.95) is None
    assert bca_tails(np.array([1.0, 2.0, 3.0]), 2.0, [np.array([1.0, 1.0, 1.0])], 0.95) is None
    assert bca_tails(np.array([1.0, 2.0, 3.0]), 2.0, [], 0.95) is None


def test_an_undefined_jackknife_is_named_in_the_method(monkeypatch: pytest.MonkeyPatch):
    # Without cluster z the covariate is constant, so the jackknife has a gap; z is missed in 36 % of the
    # resamples, which only a larger allowance lets pass.
    covariate = np.array([0.0] * 11 + [1.0])
    sample = Sample(rng().normal(size=12), tuple("abcdefghijkz"), covariate=covariate)
    monkeypatch.setattr("biascheck.stats.sample.LARGEST_UNDEFINED_SHARE", 1.0)
    found = cluster_bootstrap(sample, "pearson", rng=rng(), resamples=200, expand=False)
    distribution = bootstrap_distribution(sample, "pearson", rng=rng(), resamples=200)
    assert found.method.startswith("cluster bootstrap, percentile (BCa undefined), 200 resamples, ")
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(distribution, [0.025, 0.975])), rel=1e-12)


def test_undefined_resamples_are_drawn_again_and_counted():
    # Two of twelve clusters vary the covariate: a resample misses both in (10/12)^12 = 11 % of draws.
    covariate = np.array([1.0, 2.0] + [0.0] * 10)
    sample = Sample(rng().normal(size=12), tuple("abcdefghijkl"), covariate=covariate)
    found = cluster_bootstrap(sample, "pearson", rng=rng(), resamples=400)
    counted = int(found.method.split(", ")[-1].split()[0])
    assert found.method.endswith("undefined redrawn")
    expected = 400 * (10 / 12) ** 12 / (1 - (10 / 12) ** 12)
    assert counted == pytest.approx(expected, abs=4 * math.sqrt(expected))


def test_too_many_undefined_resamples_are_an_error():
    covariate = np.array([1.0] + [0.0] * 11)  # missed in (11/12)^12 = 35 % of draws
    sample = Sample(rng().normal(size=12), tuple("abcdefghijkl"), covariate=covariate)
    with pytest.raises(ScoreError, match=r"pearson is undefined in too many resamples .* constant"):
        cluster_bootstrap(sample, "pearson", rng=rng())


@pytest.mark.takes_seconds
def test_intervals_cover_clustered_truth_and_the_naive_bootstrap_does_not():
    generator = rng(2)
    simulations, clusters, items = 300, 20, 8
    hits = {"clustered": 0, "naive": 0}
    for _ in range(simulations):
        values = np.repeat(generator.normal(0, 1, clusters), items) + generator.normal(0, 0.5, clusters * items)
        names = tuple(f"c{c:02}" for c in range(clusters) for _ in range(items))
        whole = cluster_bootstrap(Sample(values, names), "mean", rng=generator, resamples=400)
        naive = cluster_bootstrap(single_items(values), "mean", rng=generator, resamples=400)
        hits["clustered"] += whole.contains(0.0)
        hits["naive"] += naive.contains(0.0)
    # Items as if independent give below 65 %.
    assert 0.92 <= hits["clustered"] / simulations <= 0.98
    assert hits["naive"] / simulations < 0.65


def test_the_interval_of_a_mean_has_the_width_of_its_closed_form():
    values = rng(6).normal(size=200)
    found = cluster_bootstrap(single_items(values), "mean", rng=rng(), resamples=8_000)
    expected = 2 * stats.norm.ppf(0.975) * values.std() / math.sqrt(200)
    assert found.high - found.low == pytest.approx(expected, rel=0.05)


def test_resamples_are_drawn_in_batches_of_at_most_a_million_numbers(monkeypatch: pytest.MonkeyPatch):
    batches, draw = [], Clusters.draw
    monkeypatch.setattr(Clusters, "draw", lambda self, rng, rows: (batches.append(rows), draw(self, rng, rows))[1])
    bootstrap_distribution(single_items(rng().normal(size=125)), "mean", rng=rng(), resamples=2_500)
    assert batches == [1_000, 1_000, 500]  # of 125 clusters with up to eight sums each
    batches.clear()
    monkeypatch.setattr("biascheck.stats.sample._NUMBERS", 8 * 6 - 1)
    bootstrap_distribution(single_items(range(6)), "mean", rng=rng(), resamples=100)
    assert batches == [1] * 100


def two_sided(values) -> Clusters:
    half = len(values) // 2
    return Clusters.of(
        Sample(np.asarray(values), tuple(f"c{i:02}" for i in range(2 * half)), ("A",) * half + ("B",) * half)
    )


def test_small_differences_are_told_from_none_and_rounding_is_not():
    drawn = np.array([[0, 1, 2, 3, 4, 5], [0, 0, 2, 3, 3, 5]])
    values = 1 + 1e-7 * np.array([1.0, 2.0, 4.0, 0.0, 1.0, -1.0])
    found = estimates_of(two_sided(values), "standardised_difference")(drawn)
    expected = [sd_difference(values[row[:3]], values[row[3:]]) for row in drawn]
    assert found == pytest.approx(expected, rel=1e-5)
    rounded = 1 + np.finfo(float).eps * np.array([1.0, 2.0, 4.0, 0.0, 1.0, 0.0])
    assert estimates_of(two_sided(rounded), "standardised_difference")(drawn).tolist() == [0.0, 0.0]


def test_few_clusters_are_an_error_and_not_a_narrow_interval():
    names = ("a", "b", "c", "d") * 50
    with pytest.raises(ScoreError, match="4 clusters; at least 5"):
        cluster_bootstrap(Sample(rng().normal(size=200), names), "mean", rng=rng())
    assert cluster_bootstrap(single_items(range(MINIMUM_CLUSTERS)), "mean", rng=rng()).contains(2.0)
    lonely = Sample(rng().normal(size=8), tuple("abcdefgh"), ("A",) + ("B",) * 7)
    with pytest.raises(ScoreError, match="single cluster"):
        cluster_bootstrap(lonely, "standardised_difference", rng=rng())


def test_a_level_beyond_the_resamples_is_given_with_a_warning():
    sample = clustered(rng())
    with pytest.warns(BiascheckWarning, match="resamples=20000"):
        cluster_bootstrap(sample, "mean", rng=rng(), level=0.999, resamples=1_000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cluster_bootstrap(sample, "mean", rng=rng(), level=0.999, resamples=2_100)


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        ({"rng": 3}, "default_rng"),
        ({"level": 95}, "level=0.95"),
        ({"resamples": 10}, "at least 100"),
        ({"method": "studentised"}, "'bca' or 'percentile'"),
        ({"statistic": "median"}, "choose one of"),
        ({"statistic": "spearman"}, "covariate"),
    ],
)
@pytest.mark.filterwarnings("ignore::biascheck.core.errors.BiascheckWarning")
def test_wrong_use_names_the_remedy(arguments: dict, remedy: str):
    call = {"statistic": "mean", "rng": rng()} | arguments
    with pytest.raises(UsageError, match=remedy):
        cluster_bootstrap(clustered(rng()), **call)


@pytest.mark.parametrize("statistic", ["spearman", "pearson"])
def test_correlating_all_resamples_at_once_gives_the_same_distribution(statistic, monkeypatch):
    rng = np.random.default_rng(3)
    names = tuple(f"c{n:02}" for n in range(25))
    sample = Sample(rng.normal(size=25), names, covariate=rng.integers(0, 9, 25).astype(float))
    together = bootstrap_distribution(sample, statistic, rng=np.random.default_rng(1), resamples=300)
    monkeypatch.setattr("biascheck.stats.sample.CORRELATIONS", ())
    one_by_one = bootstrap_distribution(sample, statistic, rng=np.random.default_rng(1), resamples=300)
    assert together == pytest.approx(one_by_one, abs=1e-12)
