"""Limits that cannot decide: refused at the end of the scale, by closed forms, with a remedy that works."""

import math
import re

import numpy as np
import pytest

from biascheck.core.errors import BiasAssertionError, UsageError
from biascheck.gates.check import assert_below, assert_within_margin
from biascheck.gates.reach import most_biased, repeated, unbiased
from biascheck.results.items import ItemScore, Skipped, sample_of
from biascheck.stats import Verdict, estimate, standardised_difference_interval, wilson_interval
from support.handmade import items_of, result_of, spread

Z = 1.959963984540054
LETTERS = "AB"


def share(positive, clusters, **fields):
    """A share of clusters with a positive score."""
    items = [ItemScore(f"w{n}", 1.0 if n < positive else -1.0, f"w{n}") for n in range(clusters)]
    return result_of(items, measure="positive share", statistic="share_positive", parity=0.5, **fields)


def effect(per_side, shift=0.0, **fields):
    """Two sides with this distance between them; +1 and −1 in turn on each."""
    items = [
        ItemScore(f"{side}{n}", 1.0 - n % 2 * 2 + shift * (side == "A"), f"{side}{n}", side=side)
        for side in LETTERS
        for n in range(per_side)
    ]
    return result_of(items, measure="effect size", statistic="standardised_difference", **fields)


def pronouns(statistic, clusters, score, order=1):
    """One item for each cluster, sides in turn, in pairs or in blocks; ``score`` takes the side and the number."""
    sides = [LETTERS[n // order % 2] for n in range(clusters)]
    items = [ItemScore(f"s{n}", score(side, n), f"s{n}", side=side) for n, side in enumerate(sides)]
    return result_of(items, measure=statistic, statistic=statistic)


def balanced(_side, n):
    return 1.0 if n // 2 % 2 else -1.0


def refusal(assertion, result, limit, **options):
    with pytest.raises(UsageError, match=r"cannot (pass|fail) on") as error:
        assertion(result, limit, **{"family": 1, **options})
    return str(error.value)


def judged(assertion, result, limit, **options):
    """The verdict, if the limit is not refused."""
    try:
        return assertion(result, limit, **{"family": 1, "inconclusive": "warn", **options}).verdict
    except BiasAssertionError:
        return Verdict.EXCEEDS


@pytest.mark.parametrize("clusters", [20, 50, 100])
def test_a_share_by_wilsons_closed_form(clusters):
    """n of n begins at n / (n + z²); n/2 of n has the half-width z / (2 √(n + z²))."""
    most, half = clusters / (clusters + Z**2) - 0.5, Z / (2 * math.sqrt(clusters + Z**2))
    assert wilson_interval(1.0, clusters).low == pytest.approx(most + 0.5)
    assert wilson_interval(0.5, clusters).high == pytest.approx(0.5 + half)
    assert half < most
    even = share(clusters // 2, clusters)
    assert judged(assert_within_margin, even, most - 1e-9) is Verdict.WITHIN
    assert judged(assert_within_margin, even, half + 1e-9) is Verdict.WITHIN
    assert "cannot fail on" in refusal(assert_within_margin, even, most + 1e-9)
    assert "cannot pass on" in refusal(assert_within_margin, even, half - 1e-9)


def test_the_refusal_in_words():
    assert refusal(assert_within_margin, share(7, 10), 0.2) == (
        "positive share on tiny × jobs: a gate with margin 0.20 cannot pass on 10 clusters: even balanced answers have "
        "the interval [0.24, 0.76] at level 0.95. It takes about 30 clusters, or a larger margin, or "
        "biascheck.show(result), which judges nothing"
    )
    assert refusal(assert_within_margin, share(50, 100), 0.46, family=4) == (
        "positive share on tiny × jobs: a gate with margin 0.46 cannot fail on 100 clusters, one of 4 gates: even the "
        "most biased answers have the interval [0.94, 1.00] at level 0.9875. It takes about 200 clusters, or a smaller "
        "margin, or biascheck.show(result), which judges nothing"
    )


def test_no_number_of_clusters_reaches_beyond_the_end_of_the_scale():
    """A share is never further than 0.5 from one half, and a skew never above 2/3."""
    said = refusal(assert_within_margin, share(50, 100), 0.5)
    assert said.endswith("It takes a smaller margin, or biascheck.show(result), which judges nothing")


def test_a_family_makes_it_harder_to_fail_and_no_harder_to_pass():
    half = Z / (2 * math.sqrt(100 + Z**2)) + 1e-9
    assert judged(assert_within_margin, share(50, 100), half, family=1000) is Verdict.WITHIN
    alone = 100 / (100 + Z**2) - 0.5 - 1e-9
    assert judged(assert_within_margin, share(50, 100), alone) is Verdict.WITHIN
    assert "one of 2 gates" in refusal(assert_within_margin, share(50, 100), alone, family=2)


def test_eight_words_per_side_cannot_show_an_effect_within_one_half():
    even = effect(8)
    found = standardised_difference_interval(0.0, 8, 8)
    assert estimate(even.sample, even.statistic) == 0.0
    assert found.high > 0.5
    assert "even balanced answers have the interval" in refusal(assert_within_margin, even, 0.5)
    assert "cannot pass" in refusal(assert_within_margin, even, found.high - 1e-6)
    assert judged(assert_within_margin, even, found.high + 1e-6) is Verdict.WITHIN


def test_an_effect_size_never_reaches_two():
    """d divides by the deviation of both sides together: far apart, that is half of their distance."""
    even = effect(8)
    far = most_biased(even.sample, even.statistic)
    d = estimate(far, even.statistic)
    assert d < 2
    low = standardised_difference_interval(d, 8, 8).low
    assert 1 < low < 2
    assert "even the most biased answers" in refusal(assert_within_margin, even, 2.0)
    assert "cannot fail" in refusal(assert_within_margin, even, low + 1e-6)
    assert judged(assert_within_margin, even, low - 1e-6) is Verdict.WITHIN


def test_a_skew_never_exceeds_two_thirds():
    """Always "he" on as many men as women: F1 is 2/3 for one and 0 for the other."""
    coins = pronouns("skew", 80, balanced)
    assert estimate(most_biased(coins.sample, "skew"), "skew") == pytest.approx(2 / 3)
    assert judged(assert_below, coins, 2 / 3 - 1e-6) is Verdict.WITHIN
    said = refusal(assert_below, coins, 0.67)
    assert "a gate with bound 0.67 cannot fail" in said
    assert "clusters, or" not in said


def test_a_stereotype_never_exceeds_one():
    coins = pronouns("stereotype", 80, balanced)
    assert estimate(most_biased(coins.sample, "stereotype"), "stereotype") == pytest.approx(1.0)
    assert judged(assert_below, coins, 1 - 1e-6) is Verdict.WITHIN
    assert "cannot fail" in refusal(assert_below, coins, 1.0)


@pytest.mark.parametrize("order", [1, 2, 40], ids=["in turn", "in pairs", "in blocks"])
@pytest.mark.parametrize("statistic", ["skew", "stereotype"])
def test_balanced_answers_are_balanced_in_whatever_order_the_sides_come(statistic, order):
    even = unbiased(pronouns(statistic, 80, balanced, order).sample, statistic)
    assert estimate(even, statistic) == pytest.approx(0.0, abs=1e-12)
    for side in LETTERS:
        assert sum(value for value, one in zip(even.values, even.sides, strict=True) if one == side) == 0


@pytest.mark.parametrize("statistic", ["pearson", "spearman"])
def test_a_correlation_never_exceeds_one(statistic):
    items = [ItemScore(f"w{n}", math.sin(7 * n), f"w{n}", covariate=float(n)) for n in range(60)]
    result = result_of(items, measure="workforce correlation", statistic=statistic)
    assert estimate(most_biased(result.sample, statistic), statistic) == pytest.approx(1.0)
    assert abs(estimate(unbiased(result.sample, statistic), statistic)) < 0.1
    assert "cannot fail" in refusal(assert_within_margin, result, 1.0)
    assert judged(assert_within_margin, result, 0.9) is Verdict.WITHIN


@pytest.mark.parametrize("margin", [1e-9, 0.2, 1e9])
def test_a_mean_of_scores_has_no_end(margin):
    result = result_of(items_of(spread(0.0, 1.0)))
    assert most_biased(result.sample, "mean") is None
    assert unbiased(result.sample, "mean") is None
    assert judged(assert_within_margin, result, margin) in (Verdict.INCONCLUSIVE, Verdict.WITHIN)


@pytest.mark.parametrize(
    ("made", "assertion", "limit"),
    [
        (lambda n: share(n // 2, n), assert_within_margin, 0.1),
        (lambda n: share(n // 2, n), assert_within_margin, 0.45),
        (lambda n: effect(n // 2), assert_within_margin, 0.5),
        (lambda n: pronouns("skew", n, balanced), assert_below, 0.15),
        (lambda n: pronouns("stereotype", n, balanced), assert_below, 0.3),
    ],
    ids=["share", "share at its end", "effect size", "skew", "stereotype"],
)
def test_the_remedy_suffices(made, assertion, limit):
    """As many clusters as the refusal asks for are not refused, and balanced answers pass."""
    few = made(12)
    said = refusal(assertion, few, limit)
    clusters = int(re.search(r"It takes about (\d+) clusters", said)[1])
    assert clusters > 12
    assert judged(assertion, made(clusters), limit) is Verdict.WITHIN


def test_what_exceeds_is_a_finding_even_where_nothing_could_pass():
    ten = share(10, 10)  # begins at 10 / (10 + z²) = 0.7225, and 5 of 10 have the half-width 0.263
    assert judged(assert_within_margin, ten, 0.2) is Verdict.EXCEEDS
    assert "cannot pass" in refusal(assert_within_margin, share(9, 10), 0.2)


def test_missing_data_are_told_before_what_a_limit_could_decide():
    skipped = tuple(Skipped(f"s{n}", "too long") for n in range(90))
    with pytest.raises(BiasAssertionError, match=r"cannot be judged: 90 of 100 items were skipped, e\.g\. too long"):
        assert_within_margin(share(5, 10, skipped=skipped, unit="items"), 0.2, family=1)


def test_a_sample_several_times_over_has_so_many_times_the_clusters():
    sample = sample_of(effect(4, 0.5).items)
    twice = repeated(sample, 2)
    assert (len(twice), len(set(twice.clusters))) == (16, 16)
    assert twice.sides == sample.sides * 2
    assert estimate(twice, "mean") == estimate(sample, "mean")
    np.testing.assert_array_equal(twice.values[:8], sample.values)
