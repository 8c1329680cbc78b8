"""What an interval says about a margin: within, exceeds, or not enough to tell."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Literal, TypeAlias

from biascheck.errors import UsageError

if TYPE_CHECKING:
    from biascheck.stats.interval import Interval

__all__ = ["Verdict", "judge", "judge_below", "judge_family"]

IntervalAt: TypeAlias = "Callable[[float], Interval | None]"


class Verdict(StrEnum):
    """The outcome of a gate. Only WITHIN is a pass; INCONCLUSIVE asks for more data.

    INVALID says that the model cannot read what it was measured on, so that its figure is neither fair nor unfair.
    No interval decides that: :func:`judge` and its kin never return it.
    """

    EXCEEDS = "exceeds"
    INCONCLUSIVE = "inconclusive"
    INVALID = "invalid"
    WITHIN = "within"


def judge(interval: Interval | None, margin: float, *, centre: float = 0.0) -> Verdict:
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


def judge_below(interval: Interval | None, bound: float) -> Verdict:
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


def judge_family(
    intervals_at: Sequence[IntervalAt],
    margin: float | Sequence[float],
    *,
    level: float = 0.95,
    correction: Literal["holm", "bonferroni", "none"] = "holm",
    centre: float = 0.0,
) -> tuple[Verdict, ...]:
    """Judge m gates together, so that chance alone raises any EXCEEDS with at most 1 − ``level``.

    Each gate gives its interval at a level asked for; the intervals of one gate must be nested (the
    same resamples at every level). ``margin`` is one for all gates or one each. With α = 1 − level:

    - *holm*: step k of m uses level ``1 − α / (m − k + 1)``. A gate's place in the order is the first
      step, that is the largest level, at which its interval lies outside its margin. Going through
      the gates in this order, the k-th EXCEEDS if its interval at step k's level lies outside; the
      first that does not ends it. This is Holm's procedure on the p-values the intervals invert.
    - *bonferroni*: EXCEEDS if outside at level ``1 − α / m``.
    - *none*: every gate at ``level``.

    All other gates are judged at ``level``: WITHIN, or INCONCLUSIVE even if that interval lies
    outside. WITHIN needs no correction, because the family passes only if every gate does
    (intersection–union test). A gate without an interval counts in m and is INCONCLUSIVE.
    """
    margins = _margins(margin, len(intervals_at))
    if not 0 < level < 1:
        raise UsageError(f"level {level} is not between 0 and 1; 95 % is level=0.95")
    levels = step_levels(len(margins), level, correction)

    def verdict(gate: int, at: float) -> Verdict:
        return judge(intervals_at[gate](at), margins[gate], centre=centre)

    plain = [verdict(gate, level) for gate in range(len(margins))]
    candidates = [gate for gate, found in enumerate(plain) if found is Verdict.EXCEEDS]
    exceeding = step_down(candidates, levels, lambda gate, at: verdict(gate, at) is Verdict.EXCEEDS)
    return tuple(
        Verdict.INCONCLUSIVE if found is Verdict.EXCEEDS and gate not in exceeding else found
        for gate, found in enumerate(plain)
    )


def step_levels(m: int, level: float, correction: str) -> list[float]:
    """Return the level of each step, from the strictest on; constant where nothing steps down."""
    alpha = 1 - level
    if correction == "holm":
        # The last step asks for the plain level itself, not for 1 − (1 − level).
        return [1 - alpha / k for k in range(m, 1, -1)] + [level]
    if correction == "bonferroni":
        return [1 - alpha / m if m > 1 else level] * m
    if correction == "none":
        return [level] * m
    raise UsageError(f"unknown correction {correction!r}; choose 'holm', 'bonferroni' or 'none'")


def step_down(candidates: Sequence[int], levels: Sequence[float], outside: Callable[[int, float], bool]) -> set[int]:
    first_step = {gate: bisect_left(levels, True, key=lambda at: outside(gate, at)) for gate in candidates}
    exceeding: set[int] = set()
    for at, gate in zip(levels, sorted(candidates, key=first_step.__getitem__), strict=False):
        if not outside(gate, at):
            break
        exceeding.add(gate)
    return exceeding


def _margins(margin: float | Sequence[float], gates: int) -> list[float]:
    if gates == 0:
        raise UsageError("a family without gates judges nothing; give at least one interval")
    margins = list(margin) if isinstance(margin, Sequence) else [float(margin)] * gates
    if len(margins) != gates:
        raise UsageError(f"{len(margins)} margins for {gates} gates; give one margin, or one for each gate")
    return margins


def _require_margin(margin: float, centre: float) -> None:
    if not (math.isfinite(margin) and margin > 0):
        raise UsageError(f"margin {margin} leaves no room for 'within'; give a finite number above 0")
    if not math.isfinite(centre):
        raise UsageError(f"centre {centre} is not finite; give the value that means no bias")
