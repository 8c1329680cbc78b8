"""Assertions on any result: within a margin of parity, or below a bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypedDict, Unpack

from biascheck.errors import UsageError
from biascheck.gates.accepted import AcceptedFinding, accepted_for
from biascheck.gates.checked_numbers import checked_number, checked_share
from biascheck.gates.complaints import Inconclusive, UnreadableOption, ignores_readability, passes, raise_if_failed
from biascheck.gates.directions import require_direction
from biascheck.gates.families import family_of_gate, settled_together
from biascheck.gates.gate import MOST_SKIPPED, Bound, Gate, LimitSettings, ProfileVerdict, make_gate
from biascheck.gates.judge import LimitCheck
from biascheck.gates.recording import record
from biascheck.results.published_figures import PublishedFigure
from biascheck.results.result import Result
from biascheck.results.summaries import LEVEL
from biascheck.stats import Verdict

__all__ = ["GateOptions", "assert_all_within", "assert_below", "assert_within_margin", "check_and_record"]

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
    competence: UnreadableOption
    profile: str
    profiles: Mapping[str, float]
    accepted: Mapping[str, AcceptedFinding]


def assert_within_margin(result: Result, margin: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the interval of ``result`` lies within ``margin`` of parity.

    The gate passes if the interval at ``level`` lies inside the margin. It exceeds if the interval lies outside at
    level ``1 − (1 − level) / family``, where ``family`` is the number of gates that are judged together. A run counts
    them by itself: all cases of one parametrised test on one model; at its end Holm's procedure over the whole family
    may find more. Stated here, the number replaces that of the run.
    A limit that no data of this shape could exceed, or data at parity could not keep, is refused with UsageError.
    ``published`` is shown beside the measured figure; ``reason`` says why the margin is what it is, ``note`` anything
    else that a reader of the finding should know. A gate fails when more than the share ``skipped`` of its items has
    no score, and it is invalid, which fails too, when the model cannot do what the
    measure asks (``result.competence``); ``competence="ignore"`` judges it all the same, and needs a ``reason``.
    ``profiles`` are margins by name, of which ``profile`` is the one given: the gate says which of them it would meet.
    ``accepted`` has findings by the name of a model: its gate exceeds, and passes up to the limit that was accepted.
    """
    __tracebackhide__ = True
    gate = check_and_record(result, margin, "within", **options)
    raise_if_failed([gate])
    return gate


def assert_below(result: Result, bound: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the interval of ``result`` ends at or below ``bound``; options as in :func:`assert_within_margin`."""
    __tracebackhide__ = True
    gate = check_and_record(result, bound, "below", **options)
    raise_if_failed([gate])
    return gate


def assert_all_within(
    results: Sequence[Result],
    margin: float,
    *,
    correction: Correction = "holm",
    **options: Unpack[GateOptions],
) -> tuple[Gate, ...]:
    """Judge several results as one family, corrected together, and fail with all findings at once."""
    __tracebackhide__ = True
    if not results:
        raise UsageError("no results to judge; missing data never passes")
    if correction not in ("holm", "bonferroni", "none"):
        raise UsageError(f"unknown correction {correction!r}; choose 'holm', 'bonferroni' or 'none'")
    _require_common_parity(results)
    times = 1 if correction == "none" else len(results)
    gates = tuple(check_limit(result, margin, "within", times=times, **options) for result in results)
    # without a name the run does not settle them by Holm at its end either
    gates = settled_together(gates) if correction == "holm" else tuple(replace(one, family_name="") for one in gates)
    for gate, result in zip(gates, results, strict=True):
        record(gate, result)
    raise_if_failed(gates)
    return gates


def check_and_record(
    result: Result, limit: float, bound: Bound, *, times: int = 1, **options: Unpack[GateOptions]
) -> Gate:
    """Judge a result by a margin or an upper bound, and tell who listens."""
    gate = check_limit(result, limit, bound, times=times, **options)
    record(gate, result)
    return gate


def check_limit(
    result: Result,
    limit: float,
    bound: Bound,
    *,
    times: int = 1,
    family: int | None = None,
    level: float = LEVEL,
    inconclusive: Inconclusive = "fail",
    published: Published = None,
    reason: str = "",
    note: str = "",
    skipped: float = MOST_SKIPPED,
    competence: UnreadableOption = None,
    profile: str = "",
    profiles: Mapping[str, float] | None = None,
    accepted: Mapping[str, AcceptedFinding] | None = None,
) -> Gate:
    """Judge a result by a margin or an upper bound; ``times`` as many gates are judged by the same test."""
    require_direction(result, bound)
    limit = checked_number(limit, "margin" if bound == "within" else "bound")
    check = LimitCheck(result, bound, checked_share(level, "level"), family_of_gate(family).times(times))
    verdict = check.verdict_of(limit)
    settings = LimitSettings(
        inconclusive_passes=passes(inconclusive),
        family=check.family.size,
        published=_listed(published),
        reason=reason,
        bound=bound,
        note=note,
        most_skipped=checked_share(skipped, "skipped"),
        ignore_readability=ignores_readability(competence, reason),
        family_name=check.family.name,
        outside_among=check.outside_among(limit),
        profile=profile,
        profiles=tuple(
            ProfileVerdict(name, value, check.verdict_of(checked_number(value, "margin")))
            for name, value in (profiles or {}).items()
        ),
        accepted=accepted_for(result.model_label, accepted, limit),
    )
    gate = make_gate(result, limit, check.interval, verdict, settings)
    if gate.verdict is not Verdict.INVALID and not gate.too_many_skipped:
        check.require_decidable(limit)
    return gate


def _listed(published: Published) -> Sequence[PublishedFigure]:
    if published is None:
        return ()
    listed = [published] if isinstance(published, PublishedFigure) else published
    if isinstance(listed, str) or not all(isinstance(one, PublishedFigure) for one in listed):
        raise UsageError("published= takes figures of bias_published, e.g. bias_published.get('kurita2019.skills')")
    return listed


def _require_common_parity(results: Sequence[Result]) -> None:
    parities = sorted({result.parity for result in results})
    if len(parities) > 1:
        raise UsageError(f"these results have parity at {parities}; one margin cannot hold them all, judge them apart")
