"""What was reduced, and what was kept: both by the paired interval of a change."""

import re

import pytest

import biascheck
from biascheck.core.errors import BiasAssertionError, UsageError
from biascheck.stats import Change
from support.handmade import items_of, result_of, spread

BEFORE = result_of(items_of(spread(1.0, 0.2)), model="before")
AFTER = result_of(items_of(spread(0.4, 0.1)), model="after")


def loss(centre, model):
    return result_of(items_of(spread(centre, 0.1)), model=model, measure="held-out loss", unit="documents")


def test_a_clear_reduction_passes_and_is_told():
    found = biascheck.assert_reduced(BEFORE, AFTER, by=0.5)
    assert found.verdict is Change.IMPROVED
    assert found.change == pytest.approx(-0.6)


def test_a_reduction_by_less_than_asked_fails_with_the_finding():
    with pytest.raises(BiasAssertionError) as failure:
        biascheck.assert_reduced(BEFORE, AFTER, by=0.9)
    text = str(failure.value)
    assert "association on before → after × jobs: 1.00 → 0.40, closer to parity by −0.60" in text
    assert "a reduction by more than 0.90 was required, but the change lies above −0.90" in text


def test_what_cannot_be_told_fails():
    with pytest.raises(BiasAssertionError, match=r"reaches beyond −0\.60: add attributes"):
        biascheck.assert_reduced(BEFORE, AFTER, by=0.6)


def test_an_increase_fails():
    with pytest.raises(BiasAssertionError, match="a reduction was required, but the change lies above"):
        biascheck.assert_reduced(AFTER, BEFORE)


def test_the_same_model_is_no_reduction():
    with pytest.raises(BiasAssertionError, match="a reduction was required"):
        biascheck.assert_reduced(BEFORE, BEFORE)


def test_too_few_clusters_never_pass():
    few = [result_of(items_of(spread(centre, 0.1, clusters=3))) for centre in (1.0, 0.1)]
    with pytest.raises(BiasAssertionError, match="too few clusters for an interval; at least 5 are needed"):
        biascheck.assert_reduced(*few)
    with pytest.raises(BiasAssertionError, match=re.escape("utility may be lost: the growth [no interval]")):
        biascheck.assert_utility_kept(*few, margin=5)


def test_crossing_parity_is_judged_by_the_distance():
    """From +1.0 to −0.4 is closer; to −1.5 is not."""
    over = result_of(items_of(spread(-0.4, 0.1)), model="over")
    assert biascheck.assert_reduced(BEFORE, over, by=0.3).change == pytest.approx(-0.6)
    with pytest.raises(BiasAssertionError):
        biascheck.assert_reduced(BEFORE, result_of(items_of(spread(-1.5, 0.1))))


def test_a_negative_reduction_cannot_be_asked_for():
    with pytest.raises(UsageError, match="is negative; give 0 or a positive number"):
        biascheck.assert_reduced(BEFORE, AFTER, by=-0.1)


@pytest.mark.parametrize("after", [2.0, 1.9, 2.05])
def test_utility_within_the_margin_is_kept(after):
    biascheck.assert_utility_kept(loss(2.0, "before"), loss(after, "after"), margin=0.1)


def test_utility_beyond_the_margin_is_lost():
    with pytest.raises(BiasAssertionError) as failure:
        biascheck.assert_utility_kept(loss(2.0, "before"), loss(2.5, "after"), margin=0.1)
    assert "held-out loss on before → after × jobs: 2.00 → 2.50, utility is lost: the growth [" in str(failure.value)
    assert "does not lie below 0.10 (10 documents, seed 0)" in str(failure.value)


def test_utility_that_cannot_be_told_is_not_kept():
    noisy = result_of(items_of(spread(2.05, 0.8)), model="after", measure="held-out loss", unit="documents")
    with pytest.raises(BiasAssertionError, match="utility may be lost"):
        biascheck.assert_utility_kept(loss(2.0, "before"), noisy, margin=0.1)
