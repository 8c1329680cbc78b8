from __future__ import annotations

import csv
import json
import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from biascheck.core.errors import ScoreError
from biascheck.stats import SignedRank, signed_rank_from_v, wilcoxon_signed_rank
from biascheck.stats.vectors import mid_ranks

differences = st.lists(st.integers(-6, 6).map(float), min_size=1, max_size=30)


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_six_published_v_of_bartl_give_the_published_figures(gold):
    checked = rows(gold / "bartl" / "wilcoxon_published_check.csv")
    assert len(checked) == 6
    for row in checked:
        found = signed_rank_from_v(float(row["V_published"]), int(row["n_pairs"]))
        corrected = signed_rank_from_v(float(row["V_published"]), int(row["n_pairs"]), continuity=True)
        assert found.z == pytest.approx(float(row["z_no_cc"]), rel=1e-12)
        assert corrected.z == pytest.approx(float(row["z_cc"]), rel=1e-12)
        # The recomputed p and r of the file are those with continuity correction, as R gives them.
        assert corrected.p == pytest.approx(float(row["p_two_sided"]), rel=1e-9)
        assert corrected.r == pytest.approx(-float(row["r_N1800"]), rel=1e-12)
        assert round(found.r, 2) == round(corrected.r, 2) == -float(row["r_published"])
        assert found.direction == {"female>male": "positive", "female<male": "negative"}[row["direction"]]


def test_published_figures_of_bartl_without_the_file():
    # English, balanced professions: V = 359188 over 900 pairs, r printed as -0.47 (Table 4).
    found = signed_rank_from_v(359188, 900)
    assert found == SignedRank(
        v=359188.0,
        z=pytest.approx(20.0574985, abs=1e-6),
        p=pytest.approx(1.736e-89, rel=0.001),
        r=pytest.approx(0.4727598, abs=1e-6),
        n_pairs=900,
        n_nonzero=900,
        direction="positive",
    )


def test_both_synthetic_vectors(gold):
    vectors = json.loads((gold / "bartl" / "wilcoxon_synthetic.json").read_text(encoding="utf-8"))
    assert {vector["name"] for vector in vectors} == {"continuous", "ties_zeros"}
    for vector in vectors:
        found = wilcoxon_signed_rank(np.subtract(vector["x"], vector["y"]), continuity=True)
        assert found.v == vector["V_Rstyle"]
        assert found.n_nonzero == vector["n_nonzero"]
        assert found.n_pairs == len(vector["x"])
        assert found.z == pytest.approx(vector["z_cc"], rel=1e-9)
        assert found.p == pytest.approx(vector["p_R_style_cc"], rel=1e-9)
        assert found.r == pytest.approx(-vector["r_field"], rel=1e-9)


def test_the_63_classifiers_of_jentzsch(gold):
    checked = rows(gold / "jentzsch" / "bias_63.csv")
    assert len(checked) == 63
    for row in checked:
        found = signed_rank_from_v(float(row["W"]), int(float(row["N"])))
        assert found.z == pytest.approx(float(row["z_no_tie_corr"]), rel=1e-9)
        assert found.p == pytest.approx(float(row["p_no_tie_corr"]), rel=1e-8)
        assert found.direction == "negative"  # W is min(W+, W-), so its direction is lost


@given(differences)
def test_v_counts_the_positive_walsh_averages(values: list[float]):
    kept = [value for value in values if value]
    # W+ is the number of pairs i <= j with a positive mean; pairs that cancel count one half.
    walsh = [kept[i] + kept[j] for i in range(len(kept)) for j in range(i, len(kept))]
    expected = sum(1.0 if mean > 0 else 0.5 if mean == 0 else 0.0 for mean in walsh)
    assert wilcoxon_signed_rank(values).v == expected


@given(differences.filter(any), st.booleans())
def test_agrees_with_scipy_with_ties_and_zeros(values: list[float], continuity: bool):
    found = wilcoxon_signed_rank(values, continuity=continuity)
    oracle = stats.wilcoxon(values, zero_method="wilcox", correction=continuity, method="approx")
    total = found.n_nonzero * (found.n_nonzero + 1) / 2
    assert min(found.v, total - found.v) == oracle.statistic
    if found.direction != "none":
        if len({abs(value) for value in values if value}) < found.n_nonzero:  # ties: p is that of z
            assert found.p == pytest.approx(float(oracle.pvalue), rel=1e-9)
        assert abs(found.z) == pytest.approx(abs(float(oracle.zstatistic)), rel=1e-9, abs=1e-12)


@given(differences, st.booleans())
def test_negating_the_differences_turns_only_the_direction(values: list[float], continuity: bool):
    one = wilcoxon_signed_rank(values, continuity=continuity)
    other = wilcoxon_signed_rank(np.negative(values), continuity=continuity)
    assert (other.z, other.p, other.r) == (-one.z, one.p, one.r)
    opposite = {"positive": "negative", "negative": "positive", "none": "none"}
    assert other.direction == opposite[one.direction]
    assert 0 < one.p <= 1
    assert one.z == 0 or (one.z > 0) == (one.direction == "positive")


def distinct(seed: int, n: int) -> np.ndarray:
    """Differences without ties, a quarter of them negative."""
    generator = np.random.default_rng(seed)
    return generator.permutation(np.arange(1.0, n + 1)) * np.where(generator.random(n) < 0.25, -1, 1)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n", [1, 2, 5, 13, 25])
def test_p_of_few_pairs_without_ties_is_scipys_exact_p(seed: int, n: int):
    values = distinct(seed, n)
    exact = float(stats.wilcoxon(values, method="exact").pvalue)
    assert wilcoxon_signed_rank(values).p == pytest.approx(exact, rel=1e-12)
    assert wilcoxon_signed_rank([0.0, *values, 0.0]).p == pytest.approx(exact, rel=1e-12)
    assert signed_rank_from_v(values[values > 0].sum(), n).p == pytest.approx(exact, rel=1e-12)


def test_the_exact_p_counts_all_patterns_of_signs():
    sums = np.array([np.dot(signs, range(1, 10)) for signs in product((0, 1), repeat=9)])
    for v in range(46):
        tail = min(np.mean(sums <= v), np.mean(sums >= v))
        assert signed_rank_from_v(v, 9).p == pytest.approx(min(1.0, 2 * tail), rel=1e-12)


def test_p_is_that_of_z_with_ties_and_from_26_pairs_on():
    for values in (distinct(1, 26), [1.0, 2.0, 2.0, -4.0, 5.0, 6.0]):
        found = wilcoxon_signed_rank(values)
        assert found.p == pytest.approx(2 * stats.norm.sf(abs(found.z)), rel=1e-12)


def test_mean_and_variance_are_those_of_all_sign_flips():
    values = np.array([1.0, 1.0, 2.0, 4.0, 4.0, 4.0, 7.0])
    enumerated = [wilcoxon_signed_rank(values * signs).v for signs in product((1, -1), repeat=7)]
    found = wilcoxon_signed_rank(values)
    assert found.z == pytest.approx((found.v - np.mean(enumerated)) / np.std(enumerated))


def test_zero_pairs_are_dropped_from_the_ranks_but_counted_in_r():
    without, with_zeros = (
        wilcoxon_signed_rank([1, 2, 3, 4]),
        wilcoxon_signed_rank([1, 2, 0, 3, 4, 0.0, -0.0, 0]),
    )
    assert (with_zeros.v, with_zeros.z, with_zeros.n_nonzero) == (without.v, without.z, 4)
    assert with_zeros.n_pairs == 8
    assert with_zeros.r == pytest.approx(without.r / math.sqrt(2))


def test_no_difference_anywhere_has_no_direction():
    assert wilcoxon_signed_rank([0.0, 0.0]) == SignedRank(0.0, 0.0, 1.0, 0.0, 2, 0, "none")


def test_a_tiny_p_keeps_its_digits_until_it_really_underflows():
    # All of 1,200 differences positive: z = 30.0, where 1 - Phi(z) would already be 0.
    found = wilcoxon_signed_rank(np.arange(1.0, 1201.0))
    log_p = float(stats.norm.logsf(found.z)) + math.log(2)
    assert 0 < found.p < 1e-190
    assert math.log(found.p) == pytest.approx(log_p, rel=1e-12)
    assert wilcoxon_signed_rank(np.arange(1.0, 3001.0)).p == 0.0  # z = 47


@pytest.mark.parametrize("bad", [[], [1.0, math.nan], [math.inf]])
def test_bad_differences_are_refused(bad: list[float]):
    with pytest.raises(ScoreError):
        wilcoxon_signed_rank(bad)


@pytest.mark.parametrize(("v", "n"), [(-1, 5), (16, 5), (0, 0), (math.nan, 5)])
def test_an_impossible_published_v_is_refused(v: float, n: int):
    with pytest.raises(ScoreError):
        signed_rank_from_v(v, n)


@given(st.lists(st.lists(st.integers(-3, 3), min_size=6, max_size=6), min_size=1, max_size=8))
def test_mid_ranks_are_those_of_scipy(rows):
    values = np.array(rows, dtype=float) / 4
    assert np.array_equal(mid_ranks(values), stats.rankdata(values, axis=1))
    assert np.array_equal(mid_ranks(values[0]), stats.rankdata(values[0]))
