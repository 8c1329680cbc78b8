"""Assertions on any result: within a margin of parity, or below a bound."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict, Unpack

from biascheck import stats
from biascheck.errors import UsageError
from biascheck.gates.checked_numbers import checked_number, checked_share
from biascheck.gates.complaints import Incompetence, Inconclusive, complain, ignores_competence, passes
from biascheck.gates.directions import require_direction
from biascheck.gates.gate import MOST_SKIPPED, Bound, Gate, Judging, hold
from biascheck.gates.recording import record
from biascheck.results.published_figures import PublishedFigure
from biascheck.results.result import Result
from biascheck.results.summaries import LEVEL
from biascheck.stats import Interval

__all__ = ["GateOptions", "assert_all_within", "assert_below", "assert_within_margin", "held"]

Correction = Literal["holm", "bonferroni", "none"]
Published = PublishedFigure | Sequence[PublishedFigure] | None


class GateOptions(TypedDict, total=False):
    """The options that every assertion on one result takes; see :func:`assert_within_margin`."""

    family: int
    level: float
    inconclusive: Inconclusive
    published: Published
    reason: str
    note: str
    skipped: float
    competence: Incompetence


def assert_within_margin(result: Result, margin: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the interval of ``result`` lies within ``margin`` of parity.

    ``family`` is the number of gates this one is judged with: the interval is widened to level
    ``1 − (1 − level) / family`` (Bonferroni), so that each gate can be a test of its own.
    ``published`` is shown beside the measured figure; ``reason`` says why the margin is what it is, ``note`` anything
    else that a reader of the finding should know. A gate fails when more than the share ``skipped`` of its items has
    no score, and it is invalid, which fails too, when the model cannot do what the
    measure asks (``result.competence``); ``competence="ignore"`` judges it all the same, and needs a ``reason``.
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
    skipped: float = MOST_SKIPPED,
    competence: Incompetence = None,
    reason: str = "",
) -> tuple[Gate, ...]:
    """Judge several results as one family, corrected together, and fail with all findings at once."""
    __tracebackhide__ = True
    if not results:
        raise UsageError("no results to judge; missing data never passes")
    limit, level = checked_number(margin, "margin"), checked_share(level, "level")
    for result in results:
        require_direction(result, "within")
    verdicts = stats.judge_family(
        [result.interval_at for result in results],
        limit,
        level=level,
        correction=correction,
        centre=_common_parity(results),
    )
    how = Judging(
        inconclusive_passes=passes(inconclusive),
        family=len(results),
        reason=reason,
        most_skipped=checked_share(skipped, "skipped"),
        ignore_competence=ignores_competence(competence, reason),
    )
    gates = tuple(
        hold(result, limit, result.interval_at(level), verdict, how)
        for result, verdict in zip(results, verdicts, strict=True)
    )
    for gate, result in zip(gates, results, strict=True):
        record(gate, result)
    complain(gates)
    return gates


def held(
    result: Result,
    limit: float,
    bound: Bound,
    *,
    family: int = 1,
    level: float = LEVEL,
    inconclusive: Inconclusive = "fail",
    published: Published = None,
    reason: str = "",
    note: str = "",
    skipped: float = MOST_SKIPPED,
    competence: Incompetence = None,
) -> Gate:
    """Judge a result by a margin or an upper bound, and tell who listens."""
    require_direction(result, bound)
    limit = checked_number(limit, "margin" if bound == "within" else "bound")
    interval = _interval(result, family, checked_share(level, "level"))
    how = Judging(
        inconclusive_passes=passes(inconclusive),
        family=family,
        published=_listed(published),
        reason=reason,
        bound=bound,
        note=note,
        most_skipped=checked_share(skipped, "skipped"),
        ignore_competence=ignores_competence(competence, reason),
    )
    two_sided = bound == "within"
    verdict = stats.judge(interval, limit, centre=result.parity) if two_sided else stats.judge_below(interval, limit)
    gate = hold(result, limit, interval, verdict, how)
    record(gate, result)
    return gate


def _listed(published: Published) -> Sequence[PublishedFigure]:
    if published is None:
        return ()
    listed = [published] if isinstance(published, PublishedFigure) else published
    if isinstance(listed, str) or not all(isinstance(one, PublishedFigure) for one in listed):
        raise UsageError("published= takes figures of bias_published, e.g. bias_published.get('kurita2019.skills')")
    return listed


def _interval(result: Result, family: int, level: float) -> Interval | None:
    if not isinstance(family, int) or isinstance(family, bool) or family < 1:
        raise UsageError(f"family is the number of gates judged together, at least 1, not {family!r}")
    return result.interval_at(1 - (1 - level) / family)


def _common_parity(results: Sequence[Result]) -> float:
    parities = sorted({result.parity for result in results})
    if len(parities) > 1:
        raise UsageError(f"these results have parity at {parities}; one margin cannot hold them all, judge them apart")
    return parities[0]
