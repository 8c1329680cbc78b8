from __future__ import annotations

import dataclasses
import math

import pytest

from biascheck.core.errors import ScoreError
from biascheck.stats import Interval


def test_both_ends_belong_to_the_interval():
    interval = Interval(-1.0, 2.0, 0.95, "by hand")
    assert interval.contains(-1.0)
    assert interval.contains(2.0)
    assert not interval.contains(math.nextafter(2.0, 3.0))
    assert not interval.contains(math.nextafter(-1.0, -2.0))


@pytest.mark.parametrize(
    ("low", "high", "level", "reason"),
    [
        (math.nan, 1.0, 0.95, "not finite"),
        (0.0, math.inf, 0.95, "not finite"),
        (1.0, 0.0, 0.95, "upside down"),
        (0.0, 1.0, 95, "level=0.95"),
        (0.0, 1.0, 1.0, "level=0.95"),
        (0.0, 1.0, 0.0, "level=0.95"),
        (0.0, 1.0, math.nan, "level=0.95"),
    ],
)
def test_an_impossible_interval_is_refused(low: float, high: float, level: float, reason: str):
    with pytest.raises(ScoreError, match=reason):
        Interval(low, high, level, "by hand")


def test_a_single_point_is_an_interval():
    assert Interval(0.5, 0.5, 0.9, "degenerate").contains(0.5)


def test_an_interval_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Interval(0.0, 1.0, 0.95, "by hand").low = 0.5  # type: ignore[misc]
