from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from biascheck.core.errors import ScoreError, UsageError
from biascheck.stats import Interval, minimum_detectable_effect, power_at, standard_error_of

shares = st.floats(0.5, 0.999)


def test_the_textbook_figure():
    # 1.959964 + 0.841621
    assert minimum_detectable_effect(1.0) == pytest.approx(2.801585, abs=1e-6)
    assert minimum_detectable_effect(0.5, level=0.9, power=0.9) == pytest.approx((1.644854 + 1.281552) / 2, abs=1e-6)


@given(st.floats(1e-6, 1e6), shares, shares)
def test_power_at_the_detectable_effect_is_the_requested_power(se: float, level: float, power: float):
    effect = minimum_detectable_effect(se, level=level, power=power)
    wrong_direction = stats.norm.cdf(-effect / se - stats.norm.ppf((1 + level) / 2))
    assert power_at(effect, se, level) == pytest.approx(power + wrong_direction, abs=1e-9)


def test_power_without_effect_is_the_false_alarm_rate_and_grows_to_one():
    assert power_at(0.0, 2.0) == pytest.approx(0.05)
    assert power_at(1.0, 1.0) == power_at(-1.0, 1.0)
    found = [power_at(effect, 1.0) for effect in np.linspace(0, 8, 30)]
    assert np.all(np.diff(found) > 0)
    assert found[-1] == pytest.approx(1.0, abs=1e-6)


def test_power_by_simulation():
    draws = np.random.default_rng(3).normal(2.0, 1.0, 20_000)
    share = np.mean(np.abs(draws) > stats.norm.ppf(0.975))
    assert power_at(2.0, 1.0) == pytest.approx(share, abs=4 * math.sqrt(0.25 / 20_000))


@given(st.floats(-5, 5), st.floats(1e-3, 10), shares)
def test_the_standard_error_of_a_normal_interval_comes_back(centre: float, se: float, level: float):
    low, high = stats.norm.interval(level, centre, se)
    assert standard_error_of(Interval(low, high, level, "normal")) == pytest.approx(se, rel=1e-6)


def test_no_variation_supports_no_power_statement():
    flat = standard_error_of(Interval(1.0, 1.0, 0.95, "degenerate"))
    assert flat == 0.0
    for call in (lambda: minimum_detectable_effect(flat), lambda: power_at(1.0, flat)):
        with pytest.raises(ScoreError, match="above 0"):
            call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: minimum_detectable_effect(math.nan),
        lambda: minimum_detectable_effect(-1.0),
        lambda: power_at(math.inf, 1.0),
    ],
)
def test_undefined_numbers_are_refused(call):
    with pytest.raises(ScoreError):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: minimum_detectable_effect(1.0, level=95),
        lambda: minimum_detectable_effect(1.0, power=1.0),
        lambda: power_at(1.0, 1.0, level=0.0),
    ],
)
def test_levels_are_shares(call):
    with pytest.raises(UsageError, match="between 0 and 1"):
        call()
