"""The mean size of gaps, whatever their sign."""

from __future__ import annotations

from dataclasses import replace

from biascheck.errors import UsageError
from biascheck.measures.derivation import derived_measure
from biascheck.results.result import Result

__all__ = ["absolute_gap"]


@derived_measure(
    "absolute gap",
    about="How large the gaps of another measure are on average, whatever their sign.",
    limits=(
        "Biased upwards: never below zero, and noise alone lifts it. Compare it before and after; for a bound use the "
        "typical gap, from which the noise is removed.",
        "It does not say which group the gaps favour.",
    ),
    statistic="mean_absolute",
    direction="upwards",
    plain="A single text typically differs by {by} between the groups, in one direction or the other; "
    "allowed: {allowed}.",
    sign="A gap is {first} minus {second}: positive points towards {first}, negative towards {second}. The estimate is "
    "the mean size of the gaps, whatever their sign; zero is parity.",
)
def absolute_gap(result: Result) -> Result:
    """The mean of |gap| over the items of a result whose figure is a mean gap.

    Gaps of both signs do not cancel here: nurses towards women and plumbers towards men are nothing on average, and
    much in size. It is biased upwards: a magnitude is never below zero, so noise alone lifts it, also at parity.
    Compare it before and after (after Bartl et al. 2020, §5); to keep it below a bound, use
    :func:`~biascheck.measures.typical_gap.typical_gap`.
    """
    if result.statistic not in ("mean", "mean_absolute"):
        raise UsageError(
            f"{result.title} is a {result.statistic.replace('_', ' ')}, not a mean of gaps, so its gaps have no mean "
            "size; pass the result of association, pronoun_gap or sentiment_delta"
        )
    options = {"of": result.measure, **result.provenance.options}
    return replace(result, provenance=replace(result.provenance, options=options))
