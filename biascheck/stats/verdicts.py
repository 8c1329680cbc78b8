"""What an interval says about a margin: within, exceeds, or not enough to tell."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import TYPE_CHECKING

from biascheck.errors import UsageError

if TYPE_CHECKING:
    from biascheck.stats.interval import Interval

__all__ = ["Verdict", "verdict_below", "verdict_of"]


class Verdict(StrEnum):
    """The outcome of a gate. Only WITHIN is a pass; INCONCLUSIVE asks for more data.

    INVALID says that the model cannot read what it was measured on, so that its figure is neither fair nor unfair.
    No interval decides that: :func:`verdict_of` and its kin never return it.
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
