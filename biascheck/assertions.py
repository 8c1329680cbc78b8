"""Assertions on results. They see results only, so a stored one can be judged again without a model.

Every assertion compares an **interval** with a **margin**. The gate passes when the interval lies inside
``parity ± margin``, fails when it lies outside, and is inconclusive when it straddles the edge. An
inconclusive gate fails too unless ``inconclusive="warn"``; a result with too few clusters for an
interval never passes. A p-value decides nothing. A figure that is only bad when large, such as a skew, is held
below a **bound** in the same manner.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from typing import Literal, TypedDict, Unpack

from biascheck import stats
from biascheck.comparison import Comparison, compare
from biascheck.errors import BiasAssertionError, InconclusiveWarning, UsageError
from biascheck.figures import figure
from biascheck.gates import Gate, hold
from biascheck.recording import record
from biascheck.results import Result
from biascheck.stats import Change, Interval, Verdict
from biascheck.summaries import LEVEL

__all__ = [
    "assert_absolute_delta_below",
    "assert_all_within",
    "assert_association_within",
    "assert_below",
    "assert_classifier_accuracy_below",
    "assert_cluster_accuracy_below",
    "assert_direct_bias_below",
    "assert_effect_size_within",
    "assert_neighbour_correlation_below",
    "assert_no_regression",
    "assert_no_sentiment_delta",
    "assert_reduced",
    "assert_share_within",
    "assert_skew_below",
    "assert_stereotype_below",
    "assert_trade_off",
    "assert_utility_kept",
    "assert_weat_within",
    "assert_within_margin",
]

Inconclusive = Literal["fail", "warn"]
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
    gate = _held(result, margin, "within", **options)
    _complain([gate])
    return gate


def assert_below(result: Result, bound: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the interval of ``result`` ends at or below ``bound``; options as in :func:`assert_within_margin`."""
    __tracebackhide__ = True
    gate = _held(result, bound, "below", **options)
    _complain([gate])
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
    verdicts = stats.judge_family(
        [result.interval_at for result in results],
        margin,
        level=level,
        correction=correction,
        centre=_common_parity(results),
    )
    lenient = _passes(inconclusive)
    gates = tuple(
        hold(result, margin, result.interval_at(level), verdict, inconclusive_passes=lenient, family=len(results))
        for result, verdict in zip(results, verdicts, strict=True)
    )
    for gate, result in zip(gates, results, strict=True):
        record(gate, result)
    _complain(gates)
    return gates


def assert_association_within(result: Result, margin: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the mean association gap lies within ``margin`` (natural log units) of zero."""
    __tracebackhide__ = True
    _require(result, "mean", "assert_association_within", "association(model, corpus)")
    return assert_within_margin(result, margin, **options)


def assert_effect_size_within(result: Result, margin: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the effect size d between two attribute sets lies within ``margin`` of zero."""
    __tracebackhide__ = True
    _require(result, "standardised_difference", "assert_effect_size_within", "effect_size(model, corpus)")
    return assert_within_margin(result, margin, **options)


def assert_share_within(result: Result, margin: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the share of attributes that lean to the first group lies within ``margin`` of one half."""
    __tracebackhide__ = True
    _require(result, "share_positive", "assert_share_within", "positive_share(model, corpus)")
    return assert_within_margin(result, margin, **options)


def assert_no_sentiment_delta(result: Result, margin: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the mean sentiment delta lies within ``margin`` of zero.

    The interval decides. The finding also tells Wilcoxon's p without zeros, times ``family`` (Bonferroni): with
    thousands of reviews any classifier differs significantly from none, and with few no one does.
    """
    __tracebackhide__ = True
    _require(result, "mean", "assert_no_sentiment_delta", "sentiment_delta(classifier, corpus)")
    options["note"] = options.get("note") or _signed_rank_note(result, options.get("family", 1))
    return assert_within_margin(result, margin, **options)


def assert_absolute_delta_below(result: Result, bound: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the mean size of the sentiment deltas, whatever their sign, is below ``bound``."""
    __tracebackhide__ = True
    source = "absolute_delta(sentiment_delta(classifier, corpus))"
    _require(result, "mean_absolute", "assert_absolute_delta_below", source, "assert_below")
    return assert_below(result, bound, **options)


def assert_skew_below(result: Result, bound: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the skew, how much better one gender is predicted than the other, is below ``bound``."""
    __tracebackhide__ = True
    _require(result, "skew", "assert_skew_below", "skew(model, corpus)", "assert_below")
    return assert_below(result, bound, **options)


def assert_stereotype_below(result: Result, bound: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the stereotype, how much better the expected gender is predicted, is below ``bound``."""
    __tracebackhide__ = True
    _require(result, "stereotype", "assert_stereotype_below", "stereotype(model, corpus)", "assert_below")
    return assert_below(result, bound, **options)


def assert_direct_bias_below(result: Result, bound: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the mean magnitude of cos(word, gender direction) is below ``bound``."""
    __tracebackhide__ = True
    _require_measure(result, "direct bias", "assert_direct_bias_below", "direct_bias(model, lexicon)")
    return assert_below(result, bound, **options)


def assert_cluster_accuracy_below(result: Result, bound: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the share of words that cluster with their own gender is below ``bound``; 0.5 is chance."""
    __tracebackhide__ = True
    _require_measure(result, "cluster accuracy", "assert_cluster_accuracy_below", "cluster_accuracy(model, lexicon)")
    return assert_below(result, bound, **options)


def assert_classifier_accuracy_below(result: Result, bound: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the share of unseen words whose gender a classifier tells is below ``bound``; 0.5 is chance."""
    __tracebackhide__ = True
    source = "classifier_accuracy(model, lexicon)"
    _require_measure(result, "classifier accuracy", "assert_classifier_accuracy_below", source)
    return assert_below(result, bound, **options)


def assert_neighbour_correlation_below(result: Result, bound: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the correlation of a word's bias with the bias of its neighbours is below ``bound``."""
    __tracebackhide__ = True
    source = "neighbour_correlation(model, lexicon)"
    _require_measure(result, "neighbour correlation", "assert_neighbour_correlation_below", source)
    return assert_below(result, bound, **options)


def assert_weat_within(result: Result, margin: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the WEAT effect size d lies within ``margin`` of zero."""
    __tracebackhide__ = True
    _require_measure(result, "WEAT", "assert_weat_within", "weat(model, test)", "assert_within_margin")
    return assert_within_margin(result, margin, **options)


def assert_trade_off(
    skew: Result,
    stereotype: Result,
    *,
    skew_bound: float,
    stereotype_bound: float,
    **options: Unpack[GateOptions],
) -> tuple[Gate, Gate]:
    """Hold skew and stereotype of one model below their bounds at once, and fail with both findings.

    Models buy the one with the other: always "he" has no stereotype, and following the occupation has no skew. The
    two gates are a family of two, on top of ``family``.
    """
    __tracebackhide__ = True
    _require(skew, "skew", "assert_trade_off", "skew(model, corpus)", "assert_below")
    _require(stereotype, "stereotype", "assert_trade_off", "stereotype(model, corpus)", "assert_below")
    if (skew.model, skew.corpus) != (stereotype.model, stereotype.corpus):
        raise UsageError(f"{skew.title} and {stereotype.title} are of different models or corpora; trade like for like")
    options["family"] = 2 * options.get("family", 1)
    gates = (_held(skew, skew_bound, "below", **options), _held(stereotype, stereotype_bound, "below", **options))
    _complain(gates)
    return gates


def assert_no_regression(
    result: Result,
    baseline: Result,
    tolerance: float = 0.0,
    *,
    level: float = LEVEL,
    inconclusive: Inconclusive = "warn",
) -> Comparison:
    """Fail if ``result`` has moved further from parity than ``baseline``, by more than ``tolerance``.

    The paired interval of the change is judged, see :func:`biascheck.compare`. A change that cannot be told is
    allowed with a warning, unless ``inconclusive="fail"``; one without an interval never passes.
    """
    __tracebackhide__ = True
    comparison = compare(baseline, result, tolerance=tolerance, level=level)
    record(comparison, result)
    allowed = _passes(inconclusive) and comparison.interval is not None
    if comparison.verdict is Change.REGRESSED or (comparison.verdict is Change.INCONCLUSIVE and not allowed):
        raise BiasAssertionError(comparison.finding)
    if comparison.verdict is Change.INCONCLUSIVE:
        warnings.warn(comparison.finding, InconclusiveWarning, stacklevel=_level_of_caller())
    return comparison


def assert_reduced(before: Result, after: Result, by: float = 0.0, *, level: float = LEVEL) -> Comparison:
    """Fail unless ``after`` lies closer to parity than ``before``, by more than ``by``.

    The paired interval of ``|after − parity| − |before − parity|`` must end below ``−by``, see
    :func:`biascheck.compare`. A change that cannot be told from ``by`` fails: a mitigation has to be shown.
    """
    __tracebackhide__ = True
    if not by >= 0:
        raise UsageError(f"by={by} is no reduction to ask for; give 0 or a number above")
    comparison = compare(before, after, level=level)
    record(comparison, after)
    interval = comparison.interval
    if interval is None or interval.high >= -by:
        asked = f"a reduction by more than {figure(by)}" if by else "a reduction"
        raise BiasAssertionError(f"{comparison.finding}\n  {asked} was to be shown, and {_shortfall(interval, by)}")
    return comparison


def assert_utility_kept(before: Result, after: Result, margin: float, *, level: float = LEVEL) -> Comparison:
    """Fail unless a loss (held-out loss, pronoun error, task error) has grown by ``margin`` at most.

    The paired interval of the growth must end at or below ``margin``: a model that cannot be shown to have kept what
    it knew has not passed.
    """
    __tracebackhide__ = True
    comparison = compare(before, after, tolerance=margin, level=level)
    record(comparison, after)
    if comparison.verdict not in (Change.NO_WORSE, Change.IMPROVED):
        lost = "utility is lost" if comparison.verdict is Change.REGRESSED else "utility may be lost"
        grown = f"{figure(comparison.before)} → {figure(comparison.after)}"
        raise BiasAssertionError(
            f"{comparison.measure} on {comparison.model_before} → {comparison.model_after} × {comparison.corpus}: "
            f"{grown}, {lost}: the growth {_in_brackets(comparison.interval)} does not lie below {figure(margin)} "
            f"({comparison.n:,} {comparison.unit}, seed {comparison.seed})"
        )
    return comparison


def _shortfall(interval: Interval | None, by: float) -> str:
    if interval is None:
        return f"there are too few clusters for an interval; at least {stats.MINIMUM_CLUSTERS} are needed"
    if interval.low > -by:
        return f"the change lies above {figure(-by)}"
    return f"the interval of the change {_in_brackets(interval)} reaches beyond {figure(-by)}: add attributes"


def _in_brackets(interval: Interval | None) -> str:
    return "[no interval]" if interval is None else f"[{figure(interval.low)}, {figure(interval.high)}]"


def _held(
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
    interval = _interval(result, family, level)
    two_sided = bound == "within"
    gate = hold(
        result,
        limit,
        interval,
        stats.judge(interval, limit, centre=result.parity) if two_sided else stats.judge_below(interval, limit),
        inconclusive_passes=_passes(inconclusive),
        family=family,
        published=published,
        reason=reason,
        bound=bound,
        note=note,
    )
    record(gate, result)
    return gate


def _signed_rank_note(result: Result, family: int) -> str:
    test = stats.wilcoxon_signed_rank([item.score for item in result.items])
    p = min(1.0, family * test.p)
    size = "< 0.001" if p < 0.001 else f"= {p:.3f}"
    return f"signed-rank p {size}" + (f" corrected for {family} tests" if family > 1 else "")


def _interval(result: Result, family: int, level: float) -> Interval | None:
    if family < 1:
        raise UsageError(f"family is the number of gates judged together, at least 1, not {family}")
    return result.interval_at(1 - (1 - level) / family)


def _passes(inconclusive: Inconclusive) -> bool:
    if inconclusive not in ("fail", "warn"):
        raise UsageError(f"inconclusive is 'fail' or 'warn', not {inconclusive!r}")
    return inconclusive == "warn"


def _require(
    result: Result, statistic: str, assertion: str, source: str, instead: str = "assert_within_margin"
) -> None:
    if result.statistic != statistic:
        raise UsageError(
            f"{assertion} judges a {statistic.replace('_', ' ')} as {source} gives it; this result is a "
            f"{result.statistic.replace('_', ' ')} ({result.measure}). Use {instead} for any result"
        )


def _require_measure(result: Result, measure: str, assertion: str, source: str, instead: str = "assert_below") -> None:
    if result.measure != measure:
        raise UsageError(
            f"{assertion} judges a {measure} as {source} gives it; this result is a {result.measure}. "
            f"Use {instead} for any result"
        )


def _common_parity(results: Sequence[Result]) -> float:
    parities = sorted({result.parity for result in results})
    if len(parities) > 1:
        raise UsageError(f"these results have parity at {parities}; one margin cannot hold them all, judge them apart")
    return parities[0]


def _complain(gates: Sequence[Gate]) -> None:
    __tracebackhide__ = True
    failed = [gate for gate in gates if not gate.passed]
    if failed:
        raise BiasAssertionError("\n".join(_explained(gate) for gate in failed))
    for gate in gates:
        if gate.verdict is Verdict.INCONCLUSIVE:
            warnings.warn(gate.finding, InconclusiveWarning, stacklevel=_level_of_caller())


def _level_of_caller() -> int:
    """How far up the first frame outside this module is: the warning belongs to that line."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals is globals():
        frame, level = frame.f_back, level + 1
    return level


def _explained(gate: Gate) -> str:
    """The finding, then what a reader needs to act on it."""
    lines = [gate.finding]
    if gate.verdict is Verdict.INCONCLUSIVE:
        lines.append(f"  {_doubt(gate)}")
    if gate.reason:
        lines.append(f"  {'margin' if gate.bound == 'within' else 'bound'}: {gate.reason}")
    lines.extend(f"  caution: {warning}" for warning in gate.warnings)
    return "\n".join(lines)


def _doubt(gate: Gate) -> str:
    """Why nothing can be said, and what would help."""
    if gate.interval is None:
        return f"{gate.clusters} attributes are too few for an interval; at least {stats.MINIMUM_CLUSTERS} are needed"
    if gate.bound == "below":
        return "the interval straddles the bound: add sentences, or accept the doubt with inconclusive='warn'"
    if stats.judge(gate.interval, gate.margin, centre=gate.parity) is Verdict.EXCEEDS:
        return (
            f"the interval lies outside the margin if judged alone, but not once corrected for {gate.family} gates: "
            "add attributes, or accept the doubt with inconclusive='warn'"
        )
    return (
        f"the interval straddles the margin; this sample finds gaps of {figure(gate.detectable or 0.0)} or more "
        "(power 0.8): add attributes, or accept the doubt with inconclusive='warn'"
    )
