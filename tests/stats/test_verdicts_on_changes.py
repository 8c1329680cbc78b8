"""Four verdicts on a change, exactly one for each interval, and corrected for a family."""

import math

import pytest
from hypothesis import given, strategies as st

from biascheck.core.errors import UsageError
from biascheck.stats import Change, Interval, verdict_of_change, verdicts_of_changes

ends = st.floats(-10, 10)


def interval(low, high, level=0.95):
    return Interval(low, high, level, "by hand")


@pytest.mark.parametrize(
    ("low", "high", "tolerance", "verdict"),
    [
        (0.11, 0.3, 0.1, Change.REGRESSED),
        (0.10, 0.3, 0.1, Change.INCONCLUSIVE),
        (-0.1, 0.3, 0.1, Change.INCONCLUSIVE),
        (-0.1, 0.1, 0.1, Change.NO_WORSE),
        (-0.3, 0.0, 0.0, Change.NO_WORSE),
        (0.0, 0.0, 0.0, Change.NO_WORSE),
        (-0.3, -0.01, 0.0, Change.IMPROVED),
        (0.05, 0.08, 0.1, Change.NO_WORSE),
    ],
)
def test_each_verdict_has_its_region(low, high, tolerance, verdict):
    assert verdict_of_change(interval(low, high), tolerance) is verdict


@given(ends, ends, st.floats(0, 10))
def test_the_regions_are_exclusive_and_exhaustive(one, other, tolerance):
    low, high = min(one, other), max(one, other)
    regions = {
        Change.REGRESSED: low > tolerance,
        Change.IMPROVED: high < 0,
        Change.NO_WORSE: 0 <= high <= tolerance,
        Change.INCONCLUSIVE: low <= tolerance < high,
    }
    assert sum(regions.values()) == 1
    assert regions[verdict_of_change(interval(low, high), tolerance)]


def test_without_an_interval_nothing_is_claimed():
    assert verdict_of_change(None, 5.0) is Change.INCONCLUSIVE


@pytest.mark.parametrize("tolerance", [-0.1, math.nan, math.inf])
def test_a_tolerance_that_allows_nothing_sensible_is_refused(tolerance):
    with pytest.raises(UsageError, match="give 0 or a positive finite number"):
        verdict_of_change(interval(0, 1), tolerance)


def normal(centre, error):
    """The interval of a normal estimate at any level."""
    from scipy.special import ndtri

    def at(level):
        half = float(ndtri((1 + level) / 2)) * error
        return interval(centre - half, centre + half, level)

    return at


def test_holm_keeps_what_survives_and_demotes_the_rest():
    # two-sided p: 0.0001, 0.012, 0.04, 0.04; Holm's steps are 0.0125, 0.0167, 0.025, 0.05
    z = [3.9, 2.51, 2.05, -2.05]
    plain = [verdict_of_change(normal(value, 1)(0.95)) for value in z]
    assert plain == [Change.REGRESSED] * 3 + [Change.IMPROVED]
    assert verdicts_of_changes([normal(value, 1) for value in z]) == (
        Change.REGRESSED,
        Change.REGRESSED,
        Change.INCONCLUSIVE,
        Change.NO_WORSE,
    )


def test_each_change_has_its_own_tolerance():
    changes = [normal(1.0, 0.1)] * 3
    assert verdicts_of_changes(changes, [0.0, 1.0, 2.0]) == (Change.REGRESSED, Change.INCONCLUSIVE, Change.NO_WORSE)
    assert verdicts_of_changes(changes, 2.0) == (Change.NO_WORSE,) * 3


@pytest.mark.parametrize("tolerances", [[], [0.1, 0.1]])
def test_tolerances_for_other_changes_are_refused(tolerances):
    with pytest.raises(UsageError, match=f"{len(tolerances)} tolerances for 1 changes; give one for each"):
        verdicts_of_changes([normal(1.0, 0.1)], tolerances)


def test_one_change_is_judged_as_if_alone():
    assert verdicts_of_changes([normal(2.05, 1)]) == (Change.REGRESSED,)


def test_a_change_without_interval_counts_in_the_family():
    assert verdicts_of_changes([normal(2.05, 1), lambda _level: None]) == (Change.INCONCLUSIVE, Change.INCONCLUSIVE)
