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
        "Never below zero: noise alone lifts it, so compare it before and after, or with a model without bias.",
        "It does not say which group the gaps favour.",
    ),
    statistic="mean_absolute",
    direction="upwards",
    sign="A gap is {first} minus {second}: positive points towards {first}, negative towards {second}. The estimate is "
    "the mean size of the gaps, whatever their sign; zero is parity.",
)
def absolute_gap(result: Result) -> Result:
    """The mean of |gap| over the items of a result whose figure is a mean gap.

    Gaps of both signs do not cancel here: nurses towards women and plumbers towards men are nothing on average, and
    much in size. It is never below zero, noise alone lifts it, and it is only bad when large: keep it below a bound,
    or compare it before and after (after Bartl et al. 2020, §5).
    """
    if result.statistic not in ("mean", "mean_absolute"):
        raise UsageError(
            f"{result.title} is a {result.statistic.replace('_', ' ')}, not a mean of gaps, so its gaps have no mean "
            "size; pass the result of association, pronoun_gap or sentiment_delta"
        )
    options = {"of": result.measure, **result.provenance.options}
    return replace(result, provenance=replace(result.provenance, options=options))
