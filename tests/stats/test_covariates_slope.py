"""The slope of a line, against numpy's fit, enumeration and resampling item by item."""

from itertools import product

import numpy as np
import pytest
import scipy.stats

from biascheck.core.errors import ScoreError, UsageError
from biascheck.results.items import ItemScore, sample_of
from biascheck.results.summaries import _test
from biascheck.stats import Sample, bootstrap_distribution, cluster_bootstrap, estimate
from biascheck.stats.sample import Clusters, estimates_of


def sample(clusters=14, each=2, seed=0, shift=0.0):
    rng = np.random.default_rng(seed)
    x = np.repeat(rng.random(clusters), each)
    y = shift + 1.7 * x + rng.normal(0, 0.4, clusters * each)
    return Sample(y, tuple(f"c{i // each}" for i in range(clusters * each)), covariate=x)


def brute_slope(one):
    return np.polyfit(one.covariate, one.values, 1)[0]


def test_the_slope_of_known_points():
    assert estimate(Sample([1, 3, 5], ("a", "b", "c"), covariate=[0, 1, 2]), "slope") == 2
    assert estimate(Sample([4, 4, 4], ("a", "b", "c"), covariate=[0, 1, 2]), "slope") == 0


def test_the_slope_is_numpys():
    assert estimate(sample(), "slope") == pytest.approx(brute_slope(sample()), abs=1e-12)


@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_the_resampled_interval_is_that_of_a_loop_over_drawn_clusters(shift):
    one = sample(shift=shift)
    clusters = Clusters.of(one)
    rng = np.random.default_rng(4)
    loop = []
    for row in clusters.draw(rng, 300):
        loop.append(brute_slope(clusters.sample.take(clusters.items(row))))
    by_sums = bootstrap_distribution(one, "slope", rng=np.random.default_rng(4), resamples=300)
    assert by_sums == pytest.approx(loop, abs=1e-7 if shift else 1e-10)
    found = cluster_bootstrap(
        one, "slope", rng=np.random.default_rng(4), resamples=300, method="percentile", expand=False
    )
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(loop, [0.025, 0.975])), abs=0.02)


def test_every_resample_of_five_clusters_is_right_or_undefined():
    """All 3,125 draws: those of one cluster alone, or of equal covariates, have no slope."""
    one = Sample([1.0, 2.0, 4.0, 3.0, 7.0], tuple("abcde"), covariate=[0.1, 0.1, 0.3, 0.7, 0.9])
    drawn = np.array(list(product(range(5), repeat=5)))
    found = estimates_of(Clusters.of(one), "slope")(drawn)
    for figure, row in zip(found, drawn, strict=True):
        x, y = one.covariate[row], one.values[row]
        if np.ptp(x) == 0:
            assert np.isnan(figure)
        else:
            assert figure == pytest.approx(np.polyfit(x, y, 1)[0], abs=1e-9)
    assert np.isnan(found).sum() == 3 + 2**5  # c, d or e alone; a and b share a covariate


def test_what_has_no_slope_is_refused():
    with pytest.raises(ScoreError, match="covariates that vary"):
        estimate(Sample([1, 2, 3], ("a", "b", "c"), covariate=[0.1, 0.1, 0.1]), "slope")
    with pytest.raises(UsageError, match="'slope' is of the values on the covariate; give the sample one"):
        estimate(Sample([1, 2], ("a", "b")), "slope")


def test_p_is_that_of_the_t_test_over_clusters():
    rng = np.random.default_rng(9)
    x, y = rng.random(12), rng.random(12)
    items = tuple(ItemScore(f"{i}/{k}", y[i], f"{i}", covariate=x[i]) for i in range(12) for k in range(5))
    oracle = scipy.stats.linregress(x, y)
    p, effect = _test(sample_of(items), "slope", 0.0, 0)
    assert (p, effect) == (pytest.approx(oracle.pvalue), pytest.approx(oracle.rvalue))


@pytest.mark.parametrize(("values", "covariates"), [([2.0] * 6, range(6)), ([0.0, 1.0], [0, 1])])
def test_points_without_a_test_have_no_p(values, covariates):
    items = tuple(
        ItemScore(f"{i}", v, f"{i}", covariate=float(c))
        for i, (v, c) in enumerate(zip(values, covariates, strict=True))
    )
    assert _test(sample_of(items), "slope", 0.0, 0) == (None, None)
