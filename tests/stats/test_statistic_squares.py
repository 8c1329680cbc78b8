"""Squared gaps from products of two readings: by hand, by enumeration, and without the noise of crossed offsets."""

from itertools import product
from math import log, sqrt

import numpy as np
import pytest

from biascheck.core.errors import UsageError
from biascheck.results.summaries import interval_of_sample
from biascheck.stats import Sample, estimate, partner_means, rooted, squared_gaps
from biascheck.stats.verdicts import Interval

TEMPLATES, PAIRS = 5, 9
LABELS = list(product(range(TEMPLATES), range(PAIRS)))
BOUND = 0.36


def partners_of(labels):
    """The matrix that turns the values of a cluster into the means of partners."""
    rows = np.eye(len(labels))
    return np.stack([partner_means(row, labels) for row in rows], axis=1)


APART = partners_of(LABELS)
ANY_OTHER = partners_of([()] * len(LABELS))


def planted(rng, gaps, offsets, matrix=APART):
    """Items of crossed templates and pairs, with offsets of each attribute by template, by pair and by item."""
    by_template, by_pair, by_item = offsets
    n = len(gaps)
    values = (
        np.reshape(gaps, (n, 1, 1))
        + rng.normal(0, by_template, (n, TEMPLATES, 1))
        + rng.normal(0, by_pair, (n, 1, PAIRS))
        + rng.normal(0, by_item, (n, TEMPLATES, PAIRS))
    ).reshape(n, -1)
    names = tuple(f"a{i:02}" for i in range(n) for _ in LABELS)
    return Sample(values.ravel(), names, covariate=(values @ matrix.T).ravel())


def drawn(rng, kind, size, n):
    return size * (rng.normal(size=n) if kind == "normal" else rng.choice([-1.0, 1.0], n))


class TestPartners:
    def test_by_hand(self):
        # rows: (template, pair); partners of the first are those with another template and another pair
        labels = [("t1", "p1"), ("t1", "p2"), ("t2", "p1"), ("t2", "p2")]
        assert partner_means([1.0, 2.0, 4.0, 8.0], labels).tolist() == [8.0, 4.0, 2.0, 1.0]

    def test_a_label_that_all_share_tells_none_apart(self):
        labels = [("nurse", "t1"), ("nurse", "t2"), ("nurse", "t3")]
        assert partner_means([1.0, 2.0, 4.0], labels).tolist() == [3.0, 2.5, 1.5]

    def test_without_labels_all_others_are_partners_and_products_are_the_plain_u_statistic(self):
        values = np.array([0.5, -1.0, 2.0, 3.0])
        products = [a * b for i, a in enumerate(values) for j, b in enumerate(values) if i != j]
        found = np.mean(values * partner_means(values, [()] * 4))
        assert found == pytest.approx(sum(products) / (4 * 3))

    def test_an_item_that_shares_a_label_with_every_other_has_all_others(self):
        labels = [("t1", "p1"), ("t1", "p2"), ("t2", "p2")]
        assert partner_means([1.0, 2.0, 4.0], labels).tolist() == [4.0, 2.5, 1.0]

    def test_a_single_item_has_none(self):
        assert np.isnan(partner_means([1.0], [("t1",)])).all()

    def test_with_crossed_labels_each_item_has_those_of_other_rows_and_columns(self):
        assert np.count_nonzero(APART, axis=1).tolist() == [(TEMPLATES - 1) * (PAIRS - 1)] * len(LABELS)


class TestFigure:
    def test_each_cluster_counts_once(self):
        # squares 4 and 0 whatever the number of items: √2, where the mean over items would be √(4/3)
        sample = Sample([2, 0, 0], ("a", "b", "b"), covariate=[2, 0, 0])
        assert squared_gaps(sample).values.tolist() == [4.0, 0.0]
        assert estimate(sample, "rms_gap") == pytest.approx(sqrt(2))

    def test_gaps_of_opposite_signs_do_not_cancel(self):
        sample = Sample([2, 2, -2, -2], ("a", "a", "b", "b"), covariate=[2, 2, -2, -2])
        assert (estimate(sample, "mean"), estimate(sample, "rms_gap")) == (0.0, 2.0)

    def test_a_negative_mean_square_is_zero(self):
        assert estimate(Sample([1, -1], ("a", "a"), covariate=[-1, 1]), "rms_gap") == 0.0

    def test_the_second_reading_is_required(self):
        with pytest.raises(UsageError, match="give the sample the second as covariate"):
            estimate(Sample([1.0], ("a",)), "rms_gap")

    def test_the_mean_over_all_signs_of_the_noise_is_the_true_square(self):
        true = 0.7
        found = [
            squared_gaps(Sample(v, ("a",) * 4, covariate=partner_means(v, [()] * 4))).values[0]
            for signs in product([-1, 1], repeat=4)
            for v in [true + 0.9 * np.array(signs)]
        ]
        assert np.mean(found) == pytest.approx(true**2)


class TestInterval:
    def test_it_is_the_root_of_the_interval_of_the_mean_square(self):
        sample = planted(np.random.default_rng(3), np.linspace(-1, 1, 12), (0.1, 0.1, 0.2))
        squares = interval_of_sample(squared_gaps(sample), "mean", rng=np.random.default_rng(0), level=0.95)
        found = interval_of_sample(sample, "rms_gap", rng=np.random.default_rng(0), level=0.95)
        assert (found.low, found.high) == pytest.approx((sqrt(squares.low), sqrt(squares.high)))
        assert found.method.endswith(", of squared gaps")

    def test_its_lower_end_is_cut_off_at_zero(self):
        assert rooted(Interval(-0.04, 0.09, 0.95, "x")) == Interval(0.0, 0.3, 0.95, "x, of squared gaps")

    def test_four_clusters_have_none(self):
        sample = planted(np.random.default_rng(3), np.zeros(4), (0.1, 0.1, 0.2))
        assert interval_of_sample(sample, "rms_gap", rng=np.random.default_rng(0), level=0.95) is None


def test_offsets_that_a_pair_has_in_all_templates_lift_the_plain_products_only():
    """Variance 0.25 of each offset: plain products read √(0.25 · 8/44 + 0.25 · 4/44) = 0.26 at parity."""
    rng = np.random.default_rng(7)
    found = {"apart": [], "plain": []}
    for _ in range(40):
        state = rng.bit_generator.state
        for name, matrix in (("apart", APART), ("plain", ANY_OTHER)):
            rng.bit_generator.state = state
            found[name].append(squared_gaps(planted(rng, np.zeros(60), (0.5, 0.5, 0.5), matrix)).values.mean())
    # 40 · 60 products: four standard errors are 0.007 and 0.008
    assert np.mean(found["plain"]) == pytest.approx(0.25 * 12 / 44, abs=0.01)
    assert np.mean(found["apart"]) == pytest.approx(0.0, abs=0.01)


def covered(kind, size, n, sets):
    """Over planted data sets: how often the interval covers the truth, and how often it ends below the bound."""
    rng = np.random.default_rng([n, round(1000 * size), len(kind)])
    inside = below = 0
    for number in range(sets):
        sample = planted(rng, drawn(rng, kind, size, n), (0.3, 0.3, 0.5))
        found = interval_of_sample(sample, "rms_gap", rng=np.random.default_rng(number), level=0.95)
        inside += found.low <= size <= found.high
        below += found.high <= BOUND
    return inside / sets, below / sets


def test_at_parity_the_interval_covers_zero_and_the_bound_is_met():
    inside, below = covered("normal", 0.0, 20, sets=60)
    assert inside >= 0.93
    assert below >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize("n", [20, 60])
@pytest.mark.parametrize(("kind", "size"), [("normal", 0.0), ("normal", 0.2), ("normal", 1.0), ("4:1", log(4))])
def test_the_interval_covers_the_planted_figure(kind, size, n):
    inside, below = covered(kind, size, n, sets=300)
    assert inside >= 0.93
    assert size > 0 or below >= 0.95
