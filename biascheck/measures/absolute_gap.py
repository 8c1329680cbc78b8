"""The mean size of gaps, whatever their sign."""

from __future__ import annotations

from dataclasses import replace

from biascheck.errors import UsageError
from biascheck.results.result import Result
from biascheck.results.summaries import summarise

__all__ = ["absolute_gap"]


def absolute_gap(result: Result) -> Result:
    """The mean of |gap| over the items of a result whose figure is a mean gap.

    Gaps of both signs do not cancel here: nurses towards women and plumbers towards men are nothing on average, and
    much in size. It is never below zero, noise alone lifts it, and it is only bad when large: hold it below a bound,
    or compare it before and after.
    """
    if result.statistic not in ("mean", "mean_absolute"):
        raise UsageError(
            f"{result.title} is a {result.statistic.replace('_', ' ')}, not a mean of gaps; nothing to size"
        )
    name = result.measure.removeprefix("absolute ")
    return summarise(replace(result, measure=f"absolute {name}", statistic="mean_absolute"))
