"""Assertions on any result: within a margin of parity, or below a bound."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict, Unpack

from biascheck import stats
from biascheck.errors import UsageError
from biascheck.gates.complaints import Inconclusive, complain, passes
from biascheck.gates.directions import require_direction
from biascheck.gates.gate import Gate, hold
from biascheck.gates.recording import record
from biascheck.results.result import Result
from biascheck.results.summaries import LEVEL
from biascheck.stats import Interval

__all__ = ["GateOptions", "assert_all_within", "assert_below", "assert_within_margin", "held"]

Correction = Literal["holm", "bonferroni", "none"]


class GateOptions(TypedDict, total=False):
    """The options that every assertion on one result takes; see :func:`assert_within_margin`."""

    family: int
    level: float
    inconclusive: Inconclusive
    published: str
    reason: str
    note: str


def assert_within_margin(result: Result, margin: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the interval of ``result`` lies within ``margin`` of parity.

    ``family`` is the number of gates this one is judged with: the interval is widened to level
    ``1 − (1 − level) / family`` (Bonferroni), so that each gate can be a test of its own.
    ``published`` is shown beside the measured figure; ``reason`` says why the margin is what it is, ``note`` anything
    else that a reader of the finding should know.
    """
    __tracebackhide__ = True
    gate = held(result, margin, "within", **options)
    complain([gate])
    return gate


def assert_below(result: Result, bound: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the interval of ``result`` ends at or below ``bound``; options as in :func:`assert_within_margin`."""
    __tracebackhide__ = True
    gate = held(result, bound, "below", **options)
    complain([gate])
    return gate


def assert_all_within(
    results: Sequence[Result],
    margin: float,
    *,
    correction: Correction = "holm",
    level: float = LEVEL,
    inconclusive: Inconclusive = "fail",
) -> tuple[Gate, ...]:
    """Judge several results as one family, corrected together, and fail with all findings at once."""
    __tracebackhide__ = True
    if not results:
        raise UsageError("no results to judge; no data is never a pass")
    for result in results:
        require_direction(result, "within")
    verdicts = stats.judge_family(
        [result.interval_at for result in results],
        margin,
        level=level,
        correction=correction,
        centre=_common_parity(results),
    )
    lenient = passes(inconclusive)
    gates = tuple(
        hold(result, margin, result.interval_at(level), verdict, inconclusive_passes=lenient, family=len(results))
        for result, verdict in zip(results, verdicts, strict=True)
    )
    for gate, result in zip(gates, results, strict=True):
        record(gate, result)
    complain(gates)
    return gates


def held(
    result: Result,
    limit: float,
    bound: Literal["within", "below"],
    *,
    family: int = 1,
    level: float = LEVEL,
    inconclusive: Inconclusive = "fail",
    published: str = "",
    reason: str = "",
    note: str = "",
) -> Gate:
    """Judge a result by a margin or an upper bound, and tell who listens."""
    require_direction(result, bound)
    interval = _interval(result, family, level)
    two_sided = bound == "within"
    gate = hold(
        result,
        limit,
        interval,
        stats.judge(interval, limit, centre=result.parity) if two_sided else stats.judge_below(interval, limit),
        inconclusive_passes=passes(inconclusive),
        family=family,
        published=published,
        reason=reason,
        bound=bound,
        note=note,
    )
    record(gate, result)
    return gate


def _interval(result: Result, family: int, level: float) -> Interval | None:
    if family < 1:
        raise UsageError(f"family is the number of gates judged together, at least 1, not {family}")
    return result.interval_at(1 - (1 - level) / family)


def _common_parity(results: Sequence[Result]) -> float:
    parities = sorted({result.parity for result in results})
    if len(parities) > 1:
        raise UsageError(f"these results have parity at {parities}; one margin cannot hold them all, judge them apart")
    return parities[0]
