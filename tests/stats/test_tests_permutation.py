from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from biascheck.core.errors import ScoreError, UsageError
from biascheck.stats import PermutationTest, permute_signs, permute_two_samples

SEED = 20190
tenths = st.integers(-9, 9)


def rng() -> np.random.Generator:
    return np.random.default_rng(SEED)


def enumerate_partitions(a: list[int], b: list[int]) -> Fraction:
    pooled = a + b

    def difference(chosen: tuple[int, ...]) -> Fraction:
        inside = sum(pooled[i] for i in chosen)
        return abs(Fraction(inside, len(a)) - Fraction(sum(pooled) - inside, len(b)))

    every = [difference(chosen) for chosen in combinations(range(len(pooled)), len(a))]
    return Fraction(sum(one >= difference(tuple(range(len(a)))) for one in every), len(every))


@given(st.lists(tenths, min_size=1, max_size=5), st.lists(tenths, min_size=1, max_size=5))
def test_exact_p_is_the_share_counted_in_fractions(a: list[int], b: list[int]):
    # Tenths are not exact in binary, so ties between sums must survive rounding.
    found = permute_two_samples(np.array(a) / 10, np.array(b) / 10, rng=rng())
    assert found.exact
    assert found.permutations == math.comb(len(a) + len(b), len(a))
    assert found.p == float(enumerate_partitions(a, b))
    assert found.statistic == pytest.approx((np.mean(a) - np.mean(b)) / 10)


@given(st.lists(tenths, min_size=1, max_size=9))
def test_exact_sign_flips_are_counted_in_integers(differences: list[int]):
    every = [
        abs(sum(s * d for s, d in zip(signs, differences, strict=True)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    found = permute_signs(np.array(differences) / 10, rng=rng())
    assert found.exact
    assert found.permutations == 2 ** len(differences)
    assert found.p == sum(one >= abs(sum(differences)) for one in every) / len(every)


def test_scipy_finds_the_same_exact_p_with_unequal_sizes():
    generator = rng()
    a, b = generator.normal(size=4), generator.normal(1.0, size=7)
    oracle = stats.permutation_test(
        (a, b), lambda x, y: abs(np.mean(x) - np.mean(y)), alternative="greater", n_resamples=np.inf
    )
    assert permute_two_samples(a, b, rng=generator).p == pytest.approx(oracle.pvalue)


def test_complete_separation_gives_the_smallest_possible_p():
    assert permute_two_samples([10, 11, 12], [1, 2, 3], rng=rng()) == PermutationTest(9.0, 2 / 20, 20, True)
    assert permute_signs([1, 2, 3, 4], rng=rng()) == PermutationTest(2.5, 2 / 16, 16, True)


@pytest.mark.parametrize("constant", [0.0, 0.1, -3.7])
def test_identical_samples_give_p_one(constant: float):
    assert permute_two_samples([constant] * 4, [constant] * 5, rng=rng()).p == 1.0


def test_sampling_approaches_the_exact_p():
    generator = rng()
    a, b = generator.normal(0.6, size=9), generator.normal(size=8)
    exact = permute_two_samples(a, b, rng=generator)
    sampled = permute_two_samples(a, b, rng=generator, exact_limit=0, permutations=40_000)
    assert exact.exact
    assert not sampled.exact
    # Four standard errors of a share over 40,000 draws.
    assert abs(sampled.p - exact.p) < 4 * math.sqrt(exact.p * (1 - exact.p) / 40_000)
    signs_exact = permute_signs(a, rng=generator)
    signs_sampled = permute_signs(a, rng=generator, exact_limit=0, permutations=40_000)
    assert abs(signs_sampled.p - signs_exact.p) < 4 * math.sqrt(signs_exact.p * (1 - signs_exact.p) / 40_000)


def test_plus_one_counts_the_observed_partition_and_published_p_does_not():
    a, b = np.arange(100.0, 120.0), np.arange(20.0)  # no random partition comes near
    assert permute_two_samples(a, b, rng=rng(), permutations=999).p == 1 / 1000
    assert permute_two_samples(a, b, rng=rng(), permutations=999, plus_one=False).p == 0.0
    assert permute_signs(a, rng=rng(), permutations=999, exact_limit=0).p <= 2 / 1000


def test_plus_one_does_not_touch_an_exact_p():
    assert permute_two_samples([3, 4], [1, 2], rng=rng(), plus_one=False).p == 2 / 6


def test_every_partition_is_a_rearrangement_without_replacement():
    # One value carries the whole difference: sampled without replacement it lands in the group of 1 of
    # 20 once in 20 draws. All partitions that hold it are as extreme as the observed one.
    values = np.zeros(20)
    values[0] = 1.0
    found = permute_two_samples(values[:1], values[1:], rng=rng(), exact_limit=0, permutations=20_000)
    assert found.p == pytest.approx(1 / 20, abs=4 * math.sqrt(0.05 * 0.95 / 20_000))
    # A draw with replacement would miss or repeat the value in groups of 10, so p could not be 1.
    assert permute_two_samples(values[:10], values[10:], rng=rng(), exact_limit=0).p == 1.0


def test_the_same_seed_gives_the_same_p_and_swapping_sides_only_the_sign():
    generator = rng()
    a, b = generator.normal(size=30), generator.normal(0.4, size=30)
    one = permute_two_samples(a, b, rng=np.random.default_rng(7))
    again = permute_two_samples(a, b, rng=np.random.default_rng(7))
    assert one == again
    exact, swapped = (permute_two_samples(x, y, rng=generator) for x, y in ((a[:6], b[:8]), (b[:8], a[:6])))
    assert swapped.statistic == -exact.statistic
    assert swapped.p == exact.p


def test_many_items_do_not_need_the_number_of_their_partitions():
    values = np.arange(6_000.0)
    found = permute_two_samples(values[::2], values[1::2], rng=rng(), permutations=20)
    assert not found.exact
    assert not permute_signs(values, rng=rng(), permutations=20).exact


def test_false_alarms_keep_to_their_rate():
    generator = rng()
    simulations = 400
    sampled = [
        permute_two_samples(*generator.exponential(size=(2, 15)), rng=generator, permutations=199).p
        for _ in range(simulations)
    ]
    flipped = [permute_signs(generator.normal(size=9), rng=generator).p for _ in range(simulations)]
    for found in (sampled, flipped):
        alarms = sum(p <= 0.05 for p in found)
        low, high = stats.binom.ppf([0.001, 0.999], simulations, 0.05)
        assert low <= alarms <= high
        assert stats.kstest(found, "uniform").pvalue > 0.001


def test_a_real_difference_is_found():
    generator = rng()
    hits = sum(
        permute_two_samples(
            generator.normal(1.5, size=15), generator.normal(size=15), rng=generator, permutations=199
        ).p
        <= 0.05
        for _ in range(50)
    )
    assert hits >= 45  # the t test's power is 0.98


@pytest.mark.parametrize("bad", [[], [math.nan, 1.0]])
def test_bad_scores_are_refused(bad: list[float]):
    with pytest.raises(ScoreError):
        permute_two_samples(bad, [1.0], rng=rng())
    with pytest.raises(ScoreError):
        permute_two_samples([1.0], bad, rng=rng())
    with pytest.raises(ScoreError):
        permute_signs(bad, rng=rng())


def test_randomness_must_arrive_as_a_generator():
    with pytest.raises(UsageError, match="default_rng"):
        permute_two_samples([1.0], [2.0], rng=0)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="at least 1"):
        permute_signs([1.0], rng=rng(), permutations=0)
