from __future__ import annotations

import math

import pytest
from hypothesis import given, strategies as st

from biascheck.core.errors import UsageError
from biascheck.stats import Interval, Verdict, verdict_below, verdict_of

WITHIN, EXCEEDS, INCONCLUSIVE = Verdict.WITHIN, Verdict.EXCEEDS, Verdict.INCONCLUSIVE


def interval(low: float, high: float) -> Interval:
    return Interval(low, high, 0.95, "by hand")


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (-0.1, 0.1, WITHIN),
        (-0.2, 0.2, WITHIN),  # the ends of the margin belong to it
        (0.1, 0.3, INCONCLUSIVE),
        (-0.3, 0.3, INCONCLUSIVE),
        (0.2, 0.3, INCONCLUSIVE),  # touching is not outside
        (-0.3, -0.2, INCONCLUSIVE),
        (0.21, 0.3, EXCEEDS),
        (-0.3, -0.21, EXCEEDS),
        (0.2, 0.2, WITHIN),
    ],
)
def test_an_interval_against_a_margin(low: float, high: float, expected: Verdict):
    assert verdict_of(interval(low, high), 0.2) is expected


def test_the_margin_lies_around_the_centre():
    assert verdict_of(interval(0.375, 0.625), 0.125, centre=0.5) is WITHIN
    assert verdict_of(interval(0.375, 0.626), 0.125, centre=0.5) is INCONCLUSIVE
    assert verdict_of(interval(0.626, 0.7), 0.125, centre=0.5) is EXCEEDS
    assert verdict_of(interval(-0.1, 0.1), 0.125, centre=0.5) is EXCEEDS


@given(st.floats(-5, 5), st.floats(0, 5), st.floats(0.01, 5))
def test_a_mirrored_interval_gets_the_same_verdict(low: float, width: float, margin: float):
    one = interval(low, low + width)
    found = verdict_of(one, margin)
    assert verdict_of(interval(-one.high, -one.low), margin) is found
    furthest = max(abs(one.low), abs(one.high))
    nearest = 0.0 if one.contains(0.0) else min(abs(one.low), abs(one.high))
    assert (found is WITHIN) == (furthest <= margin)
    assert (found is EXCEEDS) == (nearest > margin)


def test_no_interval_is_never_a_pass():
    assert verdict_of(None, 0.2) is INCONCLUSIVE
    assert verdict_below(None, 0.2) is INCONCLUSIVE


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.0, 0.2, WITHIN),
        (-9.0, 0.1, WITHIN),
        (0.1, 0.3, INCONCLUSIVE),
        (0.2, 0.3, INCONCLUSIVE),
        (0.21, 0.3, EXCEEDS),
    ],
)
def test_an_interval_against_an_upper_bound(low: float, high: float, expected: Verdict):
    assert verdict_below(interval(low, high), 0.2) is expected


@pytest.mark.parametrize("margin", [0.0, -1.0, math.nan, math.inf])
def test_a_margin_without_room_is_refused(margin: float):
    for one in (interval(0, 1), None):
        with pytest.raises(UsageError, match="margin"):
            verdict_of(one, margin)


def test_other_unusable_limits_are_refused():
    with pytest.raises(UsageError, match="centre"):
        verdict_of(interval(0, 1), 0.1, centre=math.nan)
    with pytest.raises(UsageError, match="bound"):
        verdict_below(interval(0, 1), math.inf)


def test_verdicts_are_words():
    assert [str(verdict) for verdict in Verdict] == ["exceeds", "inconclusive", "invalid", "within"]
