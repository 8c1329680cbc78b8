from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy import stats

from biascheck.core.errors import ScoreError
from biascheck.stats import pearson, spearman
from biascheck.stats.covariates import correlation_of_rows

points = st.lists(st.tuples(st.integers(-20, 20), st.integers(-20, 20)), min_size=3, max_size=25)


def columns(pairs: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    x, y = np.array(pairs, dtype=float).T
    assume(np.ptp(x) > 0)
    assume(np.ptp(y) > 0)
    return x, y


@given(points)
def test_both_agree_with_scipy(pairs: list[tuple[int, int]]):
    x, y = columns(pairs)
    for found, oracle in ((pearson(x, y), stats.pearsonr(x, y)), (spearman(x, y), stats.spearmanr(x, y))):
        assert found.coefficient == pytest.approx(oracle.statistic, abs=1e-12)
        # Near |r| = 1 the last digit of r decides about p, so only its order is comparable there.
        if abs(found.coefficient) < 1 - 1e-9:
            assert found.p == pytest.approx(oracle.pvalue, rel=1e-6)
        else:
            assert found.p < 1e-4
        assert found.n == len(pairs)


def test_spearman_without_ties_by_the_rank_difference_formula():
    x, y = [1, 2, 3, 4, 5], [2, 1, 4, 3, 5]  # squared rank differences sum to 4
    assert spearman(x, y).coefficient == pytest.approx(1 - 6 * 4 / (5 * 24))


@given(points)
def test_ranks_ignore_a_monotone_change_and_a_flip_changes_the_sign(pairs: list[tuple[int, int]]):
    x, y = columns(pairs)
    rho = spearman(x, y)
    assert spearman(np.exp(x / 10), y**3) == rho
    assert spearman(x, -y).coefficient == pytest.approx(-rho.coefficient, abs=1e-12)
    assert pearson(x, -y).coefficient == pytest.approx(-pearson(x, y).coefficient, abs=1e-12)
    assert -1 <= rho.coefficient <= 1
    assert 0 <= rho.p <= 1


def test_a_line_correlates_perfectly_even_when_tiny():
    x = np.arange(10.0) * 1e-170
    assert pearson(x, 3 * x).coefficient == pytest.approx(1.0)
    assert pearson(x, -x).coefficient == pytest.approx(-1.0)
    assert pearson(x, x).kind == "pearson"
    assert spearman(x, x).kind == "spearman"


def test_p_is_uniform_without_association():
    generator = np.random.default_rng(5)
    found = [pearson(*generator.normal(size=(2, 12))).p for _ in range(400)]
    assert stats.kstest(found, "uniform").pvalue > 0.001


@pytest.mark.parametrize("measure", [pearson, spearman])
@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([1, 1, 1, 1], [1, 2, 3, 4], "x is constant"),
        ([1, 2, 3, 4], [0.1] * 4, "y is constant"),
        ([1, 2], [2, 1], "at least 3"),
        ([1, 2, 3], [1, 2, 3, 4], "one y for every x"),
        ([1, 2, math.nan], [1, 2, 3], "not finite"),
        ([1, 2, 3], [1, math.inf, 3], "not finite"),
    ],
)
def test_what_has_no_correlation_is_refused(measure, x, y, reason):
    with pytest.raises(ScoreError, match=reason):
        measure(x, y)


@pytest.mark.parametrize(("ranks", "one"), [(True, spearman), (False, pearson)])
def test_rows_are_correlated_as_one_by_one(ranks, one):
    rng = np.random.default_rng(5)
    x, y = rng.integers(0, 6, (200, 12)).astype(float), rng.normal(size=(200, 12))
    expected = [one(a, b).coefficient for a, b in zip(x, y, strict=True)]
    assert correlation_of_rows(x, y, ranks=ranks) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("ranks", [True, False])
def test_a_constant_row_is_not_a_number(ranks):
    rows = np.array([[0.1, 0.1, 0.1], [1.0, 2.0, 3.0]])
    found = correlation_of_rows(rows, np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]), ranks=ranks)
    assert np.isnan(found[0])
    assert found[1] == pytest.approx(1.0)
