"""Assertions on two results of the same questions: no regression, reduced bias, utility not lost."""

from __future__ import annotations

import warnings

from biascheck import stats
from biascheck.core.errors import BiasAssertionError, InconclusiveWarning, UsageError
from biascheck.core.wording import escape_control, format_number, interval_text
from biascheck.gates.check import Inconclusive, ignores_readability, level_of_caller, passes
from biascheck.gates.families import record
from biascheck.gates.margins import checked_number, checked_share
from biascheck.results.compare import Comparison, compare
from biascheck.results.definition import UnreadableOption
from biascheck.results.result import Result
from biascheck.results.summaries import LEVEL
from biascheck.stats import Change, Interval


def assert_no_regression(
    result: Result,
    baseline: Result,
    tolerance: float | None = None,
    *,
    level: float = LEVEL,
    inconclusive: Inconclusive = "warn",
    competence: UnreadableOption = None,
    reason: str = "",
) -> Comparison:
    """Fail if ``result`` has moved further from parity than ``baseline``, by more than ``tolerance``.

    The paired interval of the change is judged, see :func:`biascheck.compare`. Without a tolerance it is the smallest
    change that matters, as the measure states it. An inconclusive change is allowed with a warning, unless
    ``inconclusive="fail"``; one without an interval never passes. Nor does a model that fails its readability check,
    unless ``competence="ignore"`` with a reason.
    """
    __tracebackhide__ = True
    tolerated = None if tolerance is None else checked_number(tolerance, "tolerance")
    ignores_readability(competence, reason)
    level = checked_share(level, "level")
    comparison = compare(baseline, result, tolerance=tolerated, level=level, competence=competence)
    record(comparison, result)
    doubted = not passes(inconclusive) and comparison.verdict is Change.INCONCLUSIVE
    if doubted or not comparison.passed:
        raise BiasAssertionError(escape_control(comparison.finding))
    if comparison.verdict is Change.INCONCLUSIVE:
        warnings.warn(escape_control(comparison.finding), InconclusiveWarning, stacklevel=level_of_caller())
    return comparison


def assert_reduced(
    before: Result,
    after: Result,
    by: float = 0.0,
    *,
    level: float = LEVEL,
    competence: UnreadableOption = None,
    reason: str = "",
) -> Comparison:
    """Fail unless ``after`` lies closer to parity than ``before``, by more than ``by``.

    The paired interval of ``|after − parity| − |before − parity|`` must end below ``−by``, see
    :func:`biascheck.compare`. An inconclusive change fails: the reduction has to be shown. So does a checkpoint that
    fails its readability check, unless ``competence="ignore"`` with a reason: broken weights have no bias either.
    """
    __tracebackhide__ = True
    if checked_number(by, "by") < 0:
        raise UsageError(f"by={by} is negative; give 0 or a positive number")
    ignores_readability(competence, reason)
    level = checked_share(level, "level")
    comparison = compare(before, after, tolerance=0.0, level=level, competence=competence)
    record(comparison, after)
    interval = comparison.interval
    if comparison.verdict is Change.INVALID:
        raise BiasAssertionError(escape_control(comparison.finding))
    if interval is None or interval.high >= -by:
        asked = f"a reduction by more than {format_number(by)}" if by else "a reduction"
        raise BiasAssertionError(
            f"{escape_control(comparison.finding)}\n  {asked} was required, but {_shortfall(interval, by)}"
        )
    return comparison


def assert_utility_kept(before: Result, after: Result, margin: float, *, level: float = LEVEL) -> Comparison:
    """Fail unless a loss (held-out loss, pronoun error, task error) has grown by at most ``margin``.

    The paired interval of the growth must end at or below ``margin``: the burden of proof is on the model.
    """
    __tracebackhide__ = True
    margin = checked_number(margin, "margin")
    comparison = compare(before, after, tolerance=margin, level=checked_share(level, "level"))
    record(comparison, after)
    if comparison.verdict not in (Change.NO_WORSE, Change.IMPROVED):
        lost = "utility is lost" if comparison.verdict is Change.REGRESSED else "utility may be lost"
        grown = f"{format_number(comparison.before)} → {format_number(comparison.after)}"
        raise BiasAssertionError(
            f"{escape_control(comparison.title)}: {grown}, {lost}: the growth {interval_text(comparison.interval)} "
            f"does not lie below {format_number(margin)} "
            f"({comparison.n:,} {comparison.unit}, seed {comparison.seed})"
        )
    return comparison


def _shortfall(interval: Interval | None, by: float) -> str:
    if interval is None:
        return f"there are too few clusters for an interval; at least {stats.MINIMUM_CLUSTERS} are needed"
    if interval.low > -by:
        return f"the change lies above {format_number(-by)}"
    return f"the interval of the change {interval_text(interval)} reaches beyond {format_number(-by)}: add attributes"
