"""Assertions that know which measure they judge, and refuse the result of another."""

from __future__ import annotations

from typing import Unpack

from biascheck import stats
from biascheck.errors import UsageError
from biascheck.gates.any_result import GateOptions, assert_below, assert_within_margin, held
from biascheck.gates.complaints import complain
from biascheck.gates.gate import Gate
from biascheck.results.result import Result

__all__ = [
    "assert_absolute_delta_below",
    "assert_association_within",
    "assert_classifier_accuracy_below",
    "assert_cluster_accuracy_below",
    "assert_direct_bias_below",
    "assert_effect_size_within",
    "assert_neighbour_correlation_below",
    "assert_no_sentiment_delta",
    "assert_share_within",
    "assert_skew_below",
    "assert_stereotype_below",
    "assert_trade_off",
    "assert_weat_within",
]


def assert_association_within(result: Result, margin: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the mean association gap lies within ``margin`` (natural log units) of zero."""
    __tracebackhide__ = True
    _require_statistic(result, "mean", "assert_association_within", "association(model, corpus)")
    return assert_within_margin(result, margin, **options)


def assert_effect_size_within(result: Result, margin: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the effect size d between two attribute sets lies within ``margin`` of zero."""
    __tracebackhide__ = True
    _require_statistic(result, "standardised_difference", "assert_effect_size_within", "effect_size(model, corpus)")
    return assert_within_margin(result, margin, **options)


def assert_share_within(result: Result, margin: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the share of attributes that lean to the first group lies within ``margin`` of one half."""
    __tracebackhide__ = True
    _require_statistic(result, "share_positive", "assert_share_within", "positive_share(model, corpus)")
    return assert_within_margin(result, margin, **options)


def assert_no_sentiment_delta(result: Result, margin: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the mean sentiment delta lies within ``margin`` of zero.

    The interval decides. The finding also tells Wilcoxon's p without zeros, times ``family`` (Bonferroni): with
    thousands of reviews any classifier differs significantly from none, and with few no one does.
    """
    __tracebackhide__ = True
    _require_statistic(result, "mean", "assert_no_sentiment_delta", "sentiment_delta(classifier, corpus)")
    options["note"] = options.get("note") or _signed_rank_note(result, options.get("family", 1))
    return assert_within_margin(result, margin, **options)


def assert_absolute_delta_below(result: Result, bound: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the mean size of the sentiment deltas, whatever their sign, is below ``bound``."""
    __tracebackhide__ = True
    source = "absolute_delta(sentiment_delta(classifier, corpus))"
    _require_statistic(result, "mean_absolute", "assert_absolute_delta_below", source, "assert_below")
    return assert_below(result, bound, **options)


def assert_skew_below(result: Result, bound: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the skew, how much better one gender is predicted than the other, is below ``bound``."""
    __tracebackhide__ = True
    _require_statistic(result, "skew", "assert_skew_below", "skew(model, corpus)", "assert_below")
    return assert_below(result, bound, **options)


def assert_stereotype_below(result: Result, bound: float, **options: Unpack[GateOptions]) -> Gate:
    """Fail unless the stereotype, how much better the expected gender is predicted, is below ``bound``."""
    __tracebackhide__ = True
    _require_statistic(result, "stereotype", "assert_stereotype_below", "stereotype(model, corpus)", "assert_below")
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
    _require_statistic(skew, "skew", "assert_trade_off", "skew(model, corpus)", "assert_below")
    _require_statistic(stereotype, "stereotype", "assert_trade_off", "stereotype(model, corpus)", "assert_below")
    if (skew.model, skew.corpus) != (stereotype.model, stereotype.corpus):
        raise UsageError(f"{skew.title} and {stereotype.title} are of different models or corpora; trade like for like")
    options["family"] = 2 * options.get("family", 1)
    gates = (held(skew, skew_bound, "below", **options), held(stereotype, stereotype_bound, "below", **options))
    complain(gates)
    return gates


def _signed_rank_note(result: Result, family: int) -> str:
    test = stats.wilcoxon_signed_rank([item.score for item in result.items])
    p = min(1.0, family * test.p)
    size = "< 0.001" if p < 0.001 else f"= {p:.3f}"
    return f"signed-rank p {size}" + (f" corrected for {family} tests" if family > 1 else "")


def _require_statistic(
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
