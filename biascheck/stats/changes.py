"""What an interval says about a change for the worse: regressed, improved, no worse, or not enough to tell."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import TYPE_CHECKING

from biascheck.errors import UsageError
from biascheck.stats.verdicts import IntervalAt, step_down, step_levels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from biascheck.stats.interval import Interval

__all__ = ["Change", "judge_change", "judge_changes"]


class Change(StrEnum):
    """How a figure that is bad when large has changed."""

    REGRESSED = "regressed"
    INCONCLUSIVE = "inconclusive"
    NO_WORSE = "no worse"
    IMPROVED = "improved"


CLAIMS = (Change.REGRESSED, Change.IMPROVED)
# What is left of a claim that does not survive the correction: an interval below 0 still ends below the tolerance.
WITHOUT_CORRECTION = {Change.REGRESSED: Change.INCONCLUSIVE, Change.IMPROVED: Change.NO_WORSE}


def judge_change(interval: Interval | None, tolerance: float = 0.0) -> Change:
    """Compare the interval of a change with 0 and with the change for the worse that is tolerated.

    REGRESSED: the interval begins above ``tolerance``. IMPROVED: it ends below 0. NO_WORSE: it ends from 0 to
    ``tolerance``, both included. INCONCLUSIVE: it begins at or below ``tolerance`` and ends above, or there is none.
    As ``tolerance`` is not negative, every interval is exactly one of the four.
    """
    if not (math.isfinite(tolerance) and tolerance >= 0):
        raise UsageError(f"tolerance {tolerance} is not allowed; give 0 or a positive finite number")
    if interval is None:
        return Change.INCONCLUSIVE
    if interval.low > tolerance:
        return Change.REGRESSED
    if interval.high < 0:
        return Change.IMPROVED
    return Change.NO_WORSE if interval.high <= tolerance else Change.INCONCLUSIVE


def judge_changes(
    intervals_at: Sequence[IntervalAt], tolerance: float = 0.0, *, level: float = 0.95
) -> tuple[Change, ...]:
    """Judge m changes together, so that chance alone raises any REGRESSED or IMPROVED with at most 1 − ``level``.

    Holm's procedure on the intervals, as in :func:`biascheck.stats.judge_family`. A change that is REGRESSED at
    ``level`` alone is INCONCLUSIVE, and one that is IMPROVED at ``level`` alone is NO_WORSE, which needs no
    correction: that nothing became worse is claimed only where every single change says so.
    """
    if not 0 < level < 1:
        raise UsageError(f"level {level} is not between 0 and 1; 95 % is level=0.95")
    plain = [judge_change(interval_at(level), tolerance) for interval_at in intervals_at]
    claims = [number for number, found in enumerate(plain) if found in CLAIMS]
    kept = step_down(
        claims,
        step_levels(len(plain), level, "holm"),
        lambda number, at: judge_change(intervals_at[number](at), tolerance) is plain[number],
    )
    return tuple(
        found if number in kept else WITHOUT_CORRECTION.get(found, found) for number, found in enumerate(plain)
    )
