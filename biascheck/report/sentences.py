"""Sentences of the report: verdicts, signs and sizes in plain words."""

from __future__ import annotations

from dataclasses import dataclass

from biascheck.report.embedding_words import EMBEDDING_SIGNS
from biascheck.results.result import Result
from biascheck.stats import Verdict
from biascheck.wording import figure

__all__ = ["ORDER", "Headline", "contrast_in_words", "statistic_name"]

ORDER = tuple(Verdict)
"""Verdicts in the order of the enumeration, the worst first."""
STATISTICS = {
    "mean": "mean gap",
    "share_positive": "share of positive gaps",
    "standardised_difference": "effect size d",
    "spearman": "Spearman's ρ",
    "pearson": "Pearson's r",
    "mean_absolute": "mean size of the gaps",
    "smaller_f1": "smaller F1 of the two groups",
    "difference": "difference of means",
    "ratio": "ratio of sums",
    "ratio_of_sides": "ratio of the two groups",
}

F1_FIGURES = {
    "skew": "The estimate has no direction: it is how much better one group's words are predicted than the other's, "
    "by F1, whatever the sentence suggests; zero is parity.",
    "stereotype": "The estimate has no direction: it is how much better words are predicted that follow the stereotype "
    "than words that go against it, by F1; zero is parity.",
    "smaller_f1": "The estimate is the F1 of the predicted group, for the group that fares worse; one is perfect.",
}


@dataclass(frozen=True)
class Headline:
    """The overall verdict, and what it counts."""

    verdict: str
    text: str
    detail: str


def contrast_in_words(result: Result) -> str:
    """What the sign of the estimate means."""
    if result.measure in EMBEDDING_SIGNS:
        return EMBEDDING_SIGNS[result.measure]
    first, second = result.contrast
    gap = f"A gap is {first} minus {second}: positive points towards {first}, negative towards {second}."
    if result.statistic == "mean":
        return f"{gap} The estimate is the mean gap; {figure(result.parity)} is parity."
    if result.statistic == "share_positive":
        return (
            f"{gap} The estimate is the share of attributes with a positive gap; {figure(result.parity)} is parity, "
            f"above it more attributes lean towards {first} than towards {second}."
        )
    if result.statistic == "standardised_difference":
        return (
            f"{gap} The estimate is set A minus set B in standard deviations of these gaps: positive means that "
            f"set A leans towards {first} more than set B does."
        )
    if result.statistic in ("spearman", "pearson"):
        return (
            f"{gap} The estimate is the correlation of these gaps with a real-world figure: negative means that "
            f"the gap moves towards {second} as the figure rises, zero that the gaps know nothing of it."
        )
    if result.statistic in ("skew", "stereotype", "smaller_f1"):
        return f"{gap} {F1_FIGURES[result.statistic]}"
    return f"{gap} {figure(result.parity)} is parity."


def statistic_name(statistic: str) -> str:
    """The name of a statistic as a reader knows it."""
    return STATISTICS.get(statistic, statistic.replace("_", " "))
