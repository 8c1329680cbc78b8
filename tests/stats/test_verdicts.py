from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from biascheck.errors import UsageError
from biascheck.stats import Interval, Verdict, holm, judge, judge_below, judge_family

WITHIN, EXCEEDS, INCONCLUSIVE = Verdict.WITHIN, Verdict.EXCEEDS, Verdict.INCONCLUSIVE


def interval(low: float, high: float) -> Interval:
    return Interval(low, high, 0.95, "by hand")


def normal(estimate: float, se: float = 1.0) -> Callable[[float], Interval]:
    """The interval of a normal estimate at any level."""

    def at(level: float) -> Interval:
        low, high = stats.norm.interval(level, estimate, se)
        return Interval(float(low), float(high), level, "normal")

    return at


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
    assert judge(interval(low, high), 0.2) is expected


def test_the_margin_lies_around_the_centre():
    assert judge(interval(0.375, 0.625), 0.125, centre=0.5) is WITHIN
    assert judge(interval(0.375, 0.626), 0.125, centre=0.5) is INCONCLUSIVE
    assert judge(interval(0.626, 0.7), 0.125, centre=0.5) is EXCEEDS
    assert judge(interval(-0.1, 0.1), 0.125, centre=0.5) is EXCEEDS


@given(st.floats(-5, 5), st.floats(0, 5), st.floats(0.01, 5))
def test_a_mirrored_interval_gets_the_same_verdict(low: float, width: float, margin: float):
    one = interval(low, low + width)
    found = judge(one, margin)
    assert judge(interval(-one.high, -one.low), margin) is found
    furthest = max(abs(one.low), abs(one.high))
    nearest = 0.0 if one.contains(0.0) else min(abs(one.low), abs(one.high))
    assert (found is WITHIN) == (furthest <= margin)
    assert (found is EXCEEDS) == (nearest > margin)


def test_no_interval_is_never_a_pass():
    assert judge(None, 0.2) is INCONCLUSIVE
    assert judge_below(None, 0.2) is INCONCLUSIVE


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
    assert judge_below(interval(low, high), 0.2) is expected


@pytest.mark.parametrize("margin", [0.0, -1.0, math.nan, math.inf])
def test_a_margin_without_room_is_refused(margin: float):
    for one in (interval(0, 1), None):
        with pytest.raises(UsageError, match="margin"):
            judge(one, margin)


def test_other_unusable_limits_are_refused():
    with pytest.raises(UsageError, match="centre"):
        judge(interval(0, 1), 0.1, centre=math.nan)
    with pytest.raises(UsageError, match="bound"):
        judge_below(interval(0, 1), math.inf)


def test_verdicts_are_words():
    assert [str(verdict) for verdict in Verdict] == ["exceeds", "inconclusive", "invalid", "within"]


def test_holm_by_hand():
    # Distances beyond the margin 1 in standard errors; Holm's limits for m = 3 are 2.394, 2.241, 1.960.
    gates = [normal(1 + 2.1), normal(1 + 2.5), normal(-1 - 2.3)]
    assert judge_family(gates, 1.0) == (EXCEEDS, EXCEEDS, EXCEEDS)
    assert judge_family(gates, 1.0, correction="bonferroni") == (INCONCLUSIVE, EXCEEDS, INCONCLUSIVE)
    stopped = [normal(1 + 2.1), normal(1 + 2.35), normal(-1 - 2.3)]  # none reaches the first limit
    assert judge_family(stopped, 1.0) == (INCONCLUSIVE,) * 3
    assert judge_family(stopped, 1.0, correction="none") == (EXCEEDS,) * 3
    broken = [normal(1 + 2.1), normal(1 + 2.5), normal(-1 - 2.2)]  # the second fails, so the third may not
    assert judge_family(broken, 1.0) == (INCONCLUSIVE, EXCEEDS, INCONCLUSIVE)


def test_within_is_judged_at_the_plain_level():
    gates = [normal(0.0, 0.5), normal(0.0, 0.52), normal(9.0)]
    assert judge_family(gates, 1.0) == (WITHIN, INCONCLUSIVE, EXCEEDS)  # 1.96 · 0.52 > 1


distances = st.lists(st.floats(-6, 6), min_size=1, max_size=9)


@given(distances, st.sampled_from([0.8, 0.95, 0.99]))
def test_the_family_is_holm_on_the_p_values_the_intervals_invert(estimates: list[float], level: float):
    margin = 1.0
    p = [2 * float(stats.norm.sf(abs(estimate) - margin)) if abs(estimate) > margin else 1.0 for estimate in estimates]
    adjusted = holm(p)
    found = judge_family([normal(estimate) for estimate in estimates], margin, level=level)
    for verdict, value in zip(found, adjusted, strict=True):
        if abs(value - (1 - level)) > 1e-9:
            assert (verdict is EXCEEDS) == (value < 1 - level)


@given(distances, st.randoms(use_true_random=False))
def test_the_order_of_gates_does_not_matter_and_corrections_only_withdraw(estimates: list[float], random):
    places = list(range(len(estimates)))
    random.shuffle(places)
    gates = [normal(estimate) for estimate in estimates]
    found = {name: judge_family(gates, 1.0, correction=name) for name in ("none", "holm", "bonferroni")}
    shuffled = judge_family([gates[place] for place in places], 1.0)
    assert shuffled == tuple(found["holm"][place] for place in places)
    exceeding = {name: {i for i, v in enumerate(vs) if v is EXCEEDS} for name, vs in found.items()}
    assert exceeding["bonferroni"] <= exceeding["holm"] <= exceeding["none"]
    within = [{i for i, v in enumerate(vs) if v is WITHIN} for vs in found.values()]
    assert within[0] == within[1] == within[2]


def test_one_gate_is_judged_as_it_would_be_alone():
    for estimate in (0.0, 1.0, 2.9, 3.0, 5.0):
        for correction in ("holm", "bonferroni", "none"):
            found = judge_family([normal(estimate)], 1.0, correction=correction)
            assert found == (judge(normal(estimate)(0.95), 1.0),)


def test_margins_and_centre_belong_to_the_gates():
    gates = [normal(0.5, 0.01), normal(0.7, 0.01)]
    assert judge_family(gates, [0.1, 0.3], centre=0.5) == (WITHIN, WITHIN)
    assert judge_family(gates, (0.1, 0.1), centre=0.5) == (WITHIN, EXCEEDS)
    with pytest.raises(UsageError, match="3 margins for 2 gates"):
        judge_family(gates, [0.1, 0.2, 0.3])


def test_a_gate_without_an_interval_is_inconclusive_and_still_counts():
    near = normal(1 + 2.0)  # outside at 95 %, not at 97.5 %
    assert judge_family([near], 1.0) == (EXCEEDS,)
    assert judge_family([near, lambda _: None], 1.0) == (INCONCLUSIVE, INCONCLUSIVE)


def test_false_alarms_of_the_family_keep_to_the_level():
    # Ten true values on the edge of their margin: every EXCEEDS is a false alarm. Alone, each gate gives
    # one in 2.5 % of the runs; ten uncorrected ones give one in 1 - 0.975^10 = 22 %.
    generator = np.random.default_rng(12)
    simulations = 300
    alarms = {"holm": 0, "none": 0}
    for estimates in generator.normal(1.0, size=(simulations, 10)):
        gates = [normal(estimate) for estimate in estimates]
        for correction in alarms:
            alarms[correction] += EXCEEDS in judge_family(gates, 1.0, correction=correction)
    assert alarms["holm"] <= stats.binom.ppf(0.999, simulations, 0.05)
    assert alarms["none"] > stats.binom.ppf(0.999, simulations, 0.05)


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        ({"intervals_at": []}, "at least one"),
        ({"correction": "fdr"}, "'holm', 'bonferroni' or 'none'"),
        ({"level": 95}, "level=0.95"),
        ({"margin": 0.0}, "above 0"),
    ],
)
def test_wrong_use_names_the_remedy(arguments: dict, remedy: str):
    call = {"intervals_at": [normal(0.0)], "margin": 1.0} | arguments
    with pytest.raises(UsageError, match=remedy):
        judge_family(**call)
