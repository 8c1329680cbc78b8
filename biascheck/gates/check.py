"""Assertions on a result: within a margin of parity, below a bound, and the named ones that fix the measure."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypedDict, Unpack

from biascheck import stats
from biascheck.core.errors import BiasAssertionError, BiascheckWarning, InconclusiveWarning, UsageError
from biascheck.core.wording import escape_control, format_number
from biascheck.gates.families import family_of_gate, record, settled_together
from biascheck.gates.gate import (
    MOST_SKIPPED,
    Bound,
    Gate,
    LimitSettings,
    ProfileVerdict,
    make_gate,
    require_direction,
    to_decide,
)
from biascheck.gates.judge import LimitCheck
from biascheck.gates.margins import AcceptedFinding, accepted_for, checked_number, checked_share, takes
from biascheck.results.definition import UnreadableOption
from biascheck.results.published import PublishedFigure
from biascheck.results.result import Result
from biascheck.results.summaries import LEVEL
from biascheck.stats import Verdict

# The message of a failed gate: the finding first, then what a reader needs to act on it.

Inconclusive = Literal["fail", "warn"]
UNREAD = (
    "its figure is neither fair nor unfair: use a model that can, or judge this one anyway with "
    "competence='ignore' and a reason"
)
PACKAGE = __name__.rpartition(".")[0]


def raise_if_failed(gates: Sequence[Gate]) -> None:
    """Raise the findings of the gates that failed; warn of those that passed although inconclusive or exceeding."""
    __tracebackhide__ = True
    failed = [gate for gate in gates if not gate.passed]
    if failed:
        raise BiasAssertionError("\n".join(_explained(gate) for gate in failed))
    for gate in gates:
        if gate.tolerated:
            warnings.warn(escape_control(gate.finding), BiascheckWarning, stacklevel=level_of_caller())
        if gate.verdict is Verdict.INCONCLUSIVE:
            warnings.warn(escape_control(gate.finding), InconclusiveWarning, stacklevel=level_of_caller())


def passes(inconclusive: Inconclusive) -> bool:
    """Whether an inconclusive gate may pass."""
    if inconclusive not in ("fail", "warn"):
        raise UsageError(f"inconclusive is 'fail' or 'warn', not {inconclusive!r}")
    return inconclusive == "warn"


def ignores_readability(competence: UnreadableOption, reason: str) -> bool:
    """Whether a failed readability check is ignored; this needs a reason."""
    if competence not in ("ignore", None):
        raise UsageError(f"competence is 'ignore' or not given, not {competence!r}")
    if competence == "ignore" and not reason.strip():
        raise UsageError("competence='ignore' judges a model on what it cannot read; say why with reason='…'")
    return competence == "ignore"


def level_of_caller() -> int:
    """The stack level of the first frame outside the assertions: the warning points to that line."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).startswith(PACKAGE):
        frame, level = frame.f_back, level + 1
    return level


def _explained(gate: Gate) -> str:
    """The finding, then what a reader needs to act on it."""
    lines = [gate.finding]
    if gate.verdict is Verdict.INCONCLUSIVE:
        lines.append(f"  to decide: {to_decide(gate)}{_otherwise(gate)}")
    if gate.verdict is Verdict.INVALID:
        lines.append(f"  {UNREAD}")
    if gate.reason:
        lines.append(f"  {'margin' if gate.bound == 'within' else 'bound'}: {gate.reason}")
    lines.extend(f"  caution: {warning}" for warning in gate.warnings)
    return "\n".join(map(escape_control, lines))


def _otherwise(gate: Gate) -> str:
    """The gap that this sample can detect, and how to accept an inconclusive gate."""
    if gate.too_many_skipped:
        return ", or allow a larger share with skipped="
    if gate.interval is None:
        return ""
    seen = f"; this sample detects {format_number(gate.detectable)} or more (power 0.8)" if gate.detectable else ""
    return f"{seen}; or let an inconclusive gate pass with inconclusive='warn'"


# Assertions on any result: within a margin of parity, or below a bound.

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


@takes("margin")
def assert_within_margin(result: Result, margin: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the interval of ``result`` lies within ``margin`` of parity.

    The gate passes if the interval at ``level`` lies inside the margin. It exceeds if the interval lies outside at
    level ``1 − (1 − level) / family``, where ``family`` is the number of gates that share one correction. A run counts
    them by itself: all cases of one parametrised test on one model; at its end Holm's procedure over the whole family
    may find more. A number given here replaces that of the run.
    A limit that no data of this shape could exceed, or that data at parity could not meet, raises UsageError.
    ``published`` is shown beside the measured figure; ``reason`` explains the margin, ``note`` adds anything else that
    a reader of the finding should know. A gate fails if more than the share ``skipped`` of its items has no score. It
    is invalid, and fails, if the model failed its readability check (``result.competence``); ``competence="ignore"``
    judges it anyway, and needs a ``reason``.
    ``profiles`` are margins by name, ``profile`` is the one in use: the gate says which of them it would meet.
    ``accepted`` has accepted findings by the name of a model: its gate exceeds, and passes up to the accepted limit.
    """
    __tracebackhide__ = True
    gate = check_and_record(result, margin, "within", **options)
    raise_if_failed([gate])
    return gate


@takes("bound")
def assert_below(result: Result, bound: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the interval of ``result`` ends at or below ``bound``; options as in :func:`assert_within_margin`."""
    __tracebackhide__ = True
    gate = check_and_record(result, bound, "below", **options)
    raise_if_failed([gate])
    return gate


@takes("margin")
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
    """Judge a result by a margin or an upper bound, and report the gate to the run."""
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
        raise UsageError(
            f"these results have parity at {parities}; one margin cannot apply to all; judge them separately"
        )


# Named assertions: each judges certain measures and refuses the results of all others.

MEASURES_OF_ASSERTION = {
    "assert_absolute_delta_below": ("absolute delta",),
    "assert_association_within": ("association",),
    "assert_classifier_accuracy_below": ("classifier accuracy",),
    "assert_cluster_accuracy_below": ("cluster accuracy",),
    "assert_contrast_within": ("attribute contrast", "competency contrast"),
    "assert_direct_bias_below": ("direct bias",),
    "assert_effect_size_within": ("effect size", "competency effect"),
    "assert_neighbour_correlation_below": ("neighbour correlation",),
    "assert_no_sentiment_delta": ("sentiment delta",),
    "assert_share_within": ("positive share", "female share", "preference share", "stereotype score"),
    "assert_skew_below": ("skew",),
    "assert_stereotype_below": ("stereotype",),
    "assert_typical_gap_below": ("typical gap",),
    "assert_weat_within": ("WEAT",),
}
"""The measures that each assertion judges."""


@takes("margin")
def assert_association_within(result: Result, margin: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the mean association gap lies within ``margin`` (natural log units) of zero."""
    __tracebackhide__ = True
    return assert_within_margin(_meant_for("assert_association_within", result), margin, **options)


@takes("bound")
def assert_typical_gap_below(result: Result, bound: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the typical gap of a single attribute, whatever its sign, is below ``bound``."""
    __tracebackhide__ = True
    return assert_below(_meant_for("assert_typical_gap_below", result), bound, **options)


@takes("margin")
def assert_effect_size_within(result: Result, margin: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the effect size d between two sets of attributes, or of sentences, lies within ``margin`` of zero."""
    __tracebackhide__ = True
    return assert_within_margin(_meant_for("assert_effect_size_within", result), margin, **options)


@takes("margin")
def assert_contrast_within(result: Result, margin: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless two sets of attributes, or of sentences, lean alike to within ``margin`` (natural log units)."""
    __tracebackhide__ = True
    return assert_within_margin(_meant_for("assert_contrast_within", result), margin, **options)


@takes("margin")
def assert_share_within(result: Result, margin: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the share of attributes, or of sentences, that lean one way lies within ``margin`` of one half."""
    __tracebackhide__ = True
    return assert_within_margin(_meant_for("assert_share_within", result), margin, **options)


@takes("margin")
def assert_no_sentiment_delta(result: Result, margin: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the mean sentiment delta lies within ``margin`` of zero.

    The interval decides. The finding also shows Wilcoxon's p without zeros, times ``family`` (Bonferroni): with
    thousands of reviews every classifier differs significantly from zero, and with few none does.
    """
    __tracebackhide__ = True
    deltas = _meant_for("assert_no_sentiment_delta", result)
    options["note"] = options.get("note") or _signed_rank_note(deltas, family_of_gate(options.get("family")).size)
    return assert_within_margin(deltas, margin, **options)


@takes("bound")
def assert_absolute_delta_below(result: Result, bound: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the mean size of the sentiment deltas, whatever their sign, is below ``bound``."""
    __tracebackhide__ = True
    return assert_below(_meant_for("assert_absolute_delta_below", result), bound, **options)


@takes("bound")
def assert_skew_below(result: Result, bound: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the skew, how much better one gender is predicted than the other, is below ``bound``."""
    __tracebackhide__ = True
    return assert_below(_meant_for("assert_skew_below", result), bound, **options)


@takes("bound")
def assert_stereotype_below(result: Result, bound: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the stereotype, how much better the expected gender is predicted, is below ``bound``."""
    __tracebackhide__ = True
    return assert_below(_meant_for("assert_stereotype_below", result), bound, **options)


@takes("bound")
def assert_direct_bias_below(result: Result, bound: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the mean magnitude of cos(word, gender direction) is below ``bound``."""
    __tracebackhide__ = True
    return assert_below(_meant_for("assert_direct_bias_below", result), bound, **options)


@takes("bound")
def assert_cluster_accuracy_below(result: Result, bound: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the share of words that cluster with their own gender is below ``bound``; 0.5 is chance."""
    __tracebackhide__ = True
    return assert_below(_meant_for("assert_cluster_accuracy_below", result), bound, **options)


@takes("bound")
def assert_classifier_accuracy_below(result: Result, bound: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the share of unseen words whose gender a classifier predicts is below ``bound``; 0.5 is chance."""
    __tracebackhide__ = True
    return assert_below(_meant_for("assert_classifier_accuracy_below", result), bound, **options)


@takes("bound")
def assert_neighbour_correlation_below(result: Result, bound: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the correlation of a word's bias with the bias of its neighbours is below ``bound``."""
    __tracebackhide__ = True
    return assert_below(_meant_for("assert_neighbour_correlation_below", result), bound, **options)


@takes("margin")
def assert_weat_within(result: Result, margin: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the WEAT effect size d lies within ``margin`` of zero."""
    __tracebackhide__ = True
    return assert_within_margin(_meant_for("assert_weat_within", result), margin, **options)


def assert_trade_off(
    skew: Result,
    stereotype: Result,
    *,
    skew_bound: float,
    stereotype_bound: float,
    **options: Unpack[GateOptions],
) -> tuple[Gate, Gate]:
    """Require skew and stereotype of one model to be below their bounds, and fail with both findings.

    Models trade one for the other: always "he" has no stereotype, and following the occupation has no skew. The two
    gates are a family of two, on top of ``family``.
    """
    __tracebackhide__ = True
    _meant_for("assert_skew_below", skew, "assert_trade_off")
    _meant_for("assert_stereotype_below", stereotype, "assert_trade_off")
    if (skew.model, skew.corpus) != (stereotype.model, stereotype.corpus):
        raise UsageError(
            f"{skew.title} and {stereotype.title} are of different models or corpora; give two of the same"
        )
    bounds = ((skew, skew_bound), (stereotype, stereotype_bound))
    skewed, stereotyped = (check_and_record(result, bound, "below", times=2, **options) for result, bound in bounds)
    gates = (skewed, stereotyped)
    raise_if_failed(gates)
    return gates


def _signed_rank_note(result: Result, family: int) -> str:
    test = stats.wilcoxon_signed_rank([item.score for item in result.items])
    p = min(1.0, family * test.p)
    size = "< 0.001" if p < 0.001 else f"= {p:.3f}"
    return f"signed-rank p {size}" + (f" corrected for {family} tests" if family > 1 else "")


def _meant_for(assertion: str, result: Result, shown: str = "") -> Result:
    """The result, if it is of a measure that the assertion judges."""
    known = MEASURES_OF_ASSERTION[assertion]
    if result.measure not in known:
        general = "assert_below" if assertion.endswith("_below") else "assert_within_margin"
        raise UsageError(
            f"{shown or assertion} judges a result of {' or '.join(known)}; this one is of "
            f"{result.measure or 'an unnamed measure'}. Use {general} for any measure of your own"
        )
    return result
