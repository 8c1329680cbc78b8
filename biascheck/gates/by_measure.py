"""Assertions that know which measures they judge, and refuse the results of all others."""

from __future__ import annotations

from typing import Unpack

from biascheck import stats
from biascheck.errors import UsageError
from biascheck.gates.any_result import GateOptions, assert_below, assert_within_margin, check_and_record
from biascheck.gates.complaints import raise_if_failed
from biascheck.gates.families import family_of_gate
from biascheck.gates.gate import Gate
from biascheck.results.result import Result

__all__ = [
    "MEASURES_OF_ASSERTION",
    "assert_absolute_delta_below",
    "assert_association_within",
    "assert_classifier_accuracy_below",
    "assert_cluster_accuracy_below",
    "assert_contrast_within",
    "assert_direct_bias_below",
    "assert_effect_size_within",
    "assert_neighbour_correlation_below",
    "assert_no_sentiment_delta",
    "assert_share_within",
    "assert_skew_below",
    "assert_stereotype_below",
    "assert_trade_off",
    "assert_typical_gap_below",
    "assert_weat_within",
]

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


def assert_association_within(result: Result, margin: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the mean association gap lies within ``margin`` (natural log units) of zero."""
    __tracebackhide__ = True
    return assert_within_margin(_meant_for("assert_association_within", result), margin, **options)


def assert_typical_gap_below(result: Result, bound: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the typical gap of a single attribute, whatever its sign, is below ``bound``."""
    __tracebackhide__ = True
    return assert_below(_meant_for("assert_typical_gap_below", result), bound, **options)


def assert_effect_size_within(result: Result, margin: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the effect size d between two sets of attributes, or of sentences, lies within ``margin`` of zero."""
    __tracebackhide__ = True
    return assert_within_margin(_meant_for("assert_effect_size_within", result), margin, **options)


def assert_contrast_within(result: Result, margin: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless two sets of attributes, or of sentences, lean alike to within ``margin`` (natural log units)."""
    __tracebackhide__ = True
    return assert_within_margin(_meant_for("assert_contrast_within", result), margin, **options)


def assert_share_within(result: Result, margin: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the share of attributes, or of sentences, that lean one way lies within ``margin`` of one half."""
    __tracebackhide__ = True
    return assert_within_margin(_meant_for("assert_share_within", result), margin, **options)


def assert_no_sentiment_delta(result: Result, margin: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the mean sentiment delta lies within ``margin`` of zero.

    The interval decides. The finding also shows Wilcoxon's p without zeros, times ``family`` (Bonferroni): with
    thousands of reviews any classifier differs significantly from none, and with few no one does.
    """
    __tracebackhide__ = True
    deltas = _meant_for("assert_no_sentiment_delta", result)
    options["note"] = options.get("note") or _signed_rank_note(deltas, family_of_gate(options.get("family")).size)
    return assert_within_margin(deltas, margin, **options)


def assert_absolute_delta_below(result: Result, bound: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the mean size of the sentiment deltas, whatever their sign, is below ``bound``."""
    __tracebackhide__ = True
    return assert_below(_meant_for("assert_absolute_delta_below", result), bound, **options)


def assert_skew_below(result: Result, bound: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the skew, how much better one gender is predicted than the other, is below ``bound``."""
    __tracebackhide__ = True
    return assert_below(_meant_for("assert_skew_below", result), bound, **options)


def assert_stereotype_below(result: Result, bound: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the stereotype, how much better the expected gender is predicted, is below ``bound``."""
    __tracebackhide__ = True
    return assert_below(_meant_for("assert_stereotype_below", result), bound, **options)


def assert_direct_bias_below(result: Result, bound: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the mean magnitude of cos(word, gender direction) is below ``bound``."""
    __tracebackhide__ = True
    return assert_below(_meant_for("assert_direct_bias_below", result), bound, **options)


def assert_cluster_accuracy_below(result: Result, bound: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the share of words that cluster with their own gender is below ``bound``; 0.5 is chance."""
    __tracebackhide__ = True
    return assert_below(_meant_for("assert_cluster_accuracy_below", result), bound, **options)


def assert_classifier_accuracy_below(result: Result, bound: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the share of unseen words whose gender a classifier predicts is below ``bound``; 0.5 is chance."""
    __tracebackhide__ = True
    return assert_below(_meant_for("assert_classifier_accuracy_below", result), bound, **options)


def assert_neighbour_correlation_below(result: Result, bound: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the correlation of a word's bias with the bias of its neighbours is below ``bound``."""
    __tracebackhide__ = True
    return assert_below(_meant_for("assert_neighbour_correlation_below", result), bound, **options)


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
    """Keep skew and stereotype of one model below their bounds at once, and fail with both findings.

    Models buy the one with the other: always "he" has no stereotype, and following the occupation has no skew. The
    two gates are a family of two, on top of ``family``.
    """
    __tracebackhide__ = True
    _meant_for("assert_skew_below", skew, "assert_trade_off")
    _meant_for("assert_stereotype_below", stereotype, "assert_trade_off")
    if (skew.model, skew.corpus) != (stereotype.model, stereotype.corpus):
        raise UsageError(f"{skew.title} and {stereotype.title} are of different models or corpora; trade like for like")
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
