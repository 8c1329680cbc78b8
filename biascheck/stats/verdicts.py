"""Verdicts from intervals: within, exceeds, inconclusive; for changes regressed, improved, no worse, inconclusive."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from biascheck.core.errors import ScoreError, UsageError

# An interval with its level and its method.


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval: from ``low`` to ``high``, both included.

    ``level`` is the nominal coverage (0.95), ``method`` names the procedure in words, for example
    "cluster bootstrap, BCa, 2000 resamples". ``caution`` says why it is wider than its data alone would make it,
    such as too few clusters to rule out skewness; empty if there is no reason.
    """

    low: float
    high: float
    level: float
    method: str
    caution: str = ""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high)):
            raise ScoreError(f"interval [{self.low}, {self.high}] is not finite; look for undefined scores")
        if self.low > self.high:
            raise ScoreError(f"interval [{self.low}, {self.high}] is upside down; give the lower bound first")
        if not 0 < self.level < 1:
            raise ScoreError(f"level {self.level} is not between 0 and 1; 95 % is level=0.95")

    def contains(self, x: float) -> bool:
        """Tell whether ``x`` lies in the interval, its ends included."""
        return self.low <= x <= self.high


class Verdict(StrEnum):
    """The outcome of a gate. Only WITHIN is a pass; INCONCLUSIVE calls for more data.

    INVALID means that the model cannot read what it was measured on, so that its score is neither fair nor unfair.
    No interval decides that: :func:`verdict_of` and its variants never return it.
    """

    EXCEEDS = "exceeds"
    INCONCLUSIVE = "inconclusive"
    INVALID = "invalid"
    WITHIN = "within"


def verdict_of(interval: Interval | None, margin: float, *, centre: float = 0.0) -> Verdict:
    """Compare an interval with the region ``centre ± margin``, its ends included.

    WITHIN: the whole interval lies inside. EXCEEDS: it lies wholly outside; an interval that touches
    the region is not outside. Otherwise, and without an interval, INCONCLUSIVE.
    """
    _require_margin(margin, centre)
    if interval is None:
        return Verdict.INCONCLUSIVE
    if centre - margin <= interval.low and interval.high <= centre + margin:
        return Verdict.WITHIN
    if interval.low > centre + margin or interval.high < centre - margin:
        return Verdict.EXCEEDS
    return Verdict.INCONCLUSIVE


def verdict_below(interval: Interval | None, bound: float) -> Verdict:
    """Compare an interval with an upper bound, for quantities that are only bad when large.

    WITHIN: the interval ends at or below ``bound``. EXCEEDS: it begins above. Else INCONCLUSIVE.
    """
    if not math.isfinite(bound):
        raise UsageError(f"bound {bound} judges nothing; give a finite number")
    if interval is None:
        return Verdict.INCONCLUSIVE
    if interval.high <= bound:
        return Verdict.WITHIN
    return Verdict.EXCEEDS if interval.low > bound else Verdict.INCONCLUSIVE


def _require_margin(margin: float, centre: float) -> None:
    if not (math.isfinite(margin) and margin > 0):
        raise UsageError(f"margin {margin} leaves no room for 'within'; give a finite number above 0")
    if not math.isfinite(centre):
        raise UsageError(f"centre {centre} is not finite; give the value that means no bias")


# Verdicts on a change for the worse: regressed, improved, no worse, or inconclusive.

IntervalAt: TypeAlias = "Callable[[float], Interval | None]"


class Change(StrEnum):
    """How a score that is bad when large has changed.

    INVALID means that a model cannot do the task, so that there is nothing to compare. No interval decides that:
    :func:`verdict_of_change` and its variants never return it.
    """

    REGRESSED = "regressed"
    INVALID = "invalid"
    INCONCLUSIVE = "inconclusive"
    NO_WORSE = "no worse"
    IMPROVED = "improved"


CLAIMS = (Change.REGRESSED, Change.IMPROVED)
# Fallback if a verdict does not survive the correction: an interval below 0 still ends below the tolerance.
WITHOUT_CORRECTION = {Change.REGRESSED: Change.INCONCLUSIVE, Change.IMPROVED: Change.NO_WORSE}


def verdict_of_change(interval: Interval | None, tolerance: float = 0.0) -> Change:
    """Compare the interval of a change with 0 and with the change for the worse that is tolerated.

    REGRESSED: the interval begins above ``tolerance``. IMPROVED: it ends below 0. NO_WORSE: it ends between 0 and
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


def verdicts_of_changes(
    intervals_at: Sequence[IntervalAt], tolerance: float | Sequence[float] = 0.0, *, level: float = 0.95
) -> tuple[Change, ...]:
    """Judge m changes together, so that chance alone raises any REGRESSED or IMPROVED with at most 1 − ``level``.

    ``tolerance`` is one number for all of them, or one for each where they are counted in different units. Holm's
    procedure on the intervals: step k of m uses level ``1 − (1 − level) / (m − k + 1)``. A change that is REGRESSED at
    ``level`` alone is INCONCLUSIVE, and one that is IMPROVED at ``level`` alone is NO_WORSE, which needs no
    correction: nothing is said to have become no worse unless every single change is.
    """
    if not 0 < level < 1:
        raise UsageError(f"level {level} is not between 0 and 1; 95 % is level=0.95")
    tolerances = tolerance if isinstance(tolerance, Sequence) else [tolerance] * len(intervals_at)
    if len(tolerances) != len(intervals_at):
        raise UsageError(f"{len(tolerances)} tolerances for {len(intervals_at)} changes; give one for each")

    def judged(number: int, at: float) -> Change:
        return verdict_of_change(intervals_at[number](at), tolerances[number])

    plain = [judged(number, level) for number in range(len(intervals_at))]
    claims = [number for number, found in enumerate(plain) if found in CLAIMS]
    levels = _step_levels(len(plain), level)
    kept = _step_down(claims, levels, lambda number, at: judged(number, at) is plain[number])
    return tuple(
        found if number in kept else WITHOUT_CORRECTION.get(found, found) for number, found in enumerate(plain)
    )


def _step_levels(m: int, level: float) -> list[float]:
    """The level of each step of Holm's procedure, from the strictest on; the last one is the plain level itself."""
    return [1 - (1 - level) / k for k in range(m, 1, -1)] + [level]


def _step_down(claims: Sequence[int], levels: Sequence[float], is_outside: Callable[[int, float], bool]) -> set[int]:
    first_step = {claim: bisect_left(levels, True, key=lambda at: is_outside(claim, at)) for claim in claims}
    kept: set[int] = set()
    for at, claim in zip(levels, sorted(claims, key=first_step.__getitem__), strict=False):
        if not is_outside(claim, at):
            break
        kept.add(claim)
    return kept
