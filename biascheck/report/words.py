"""Sentences of the report: verdicts, signs and sizes in plain words."""

from __future__ import annotations

from dataclasses import dataclass

from biascheck.core.wording import decimals_for, escape_control, format_number, interval_text
from biascheck.results.definition import Description
from biascheck.results.result import Result
from biascheck.stats import Verdict

SPECIAL = {ord(character): f"&#{ord(character)};" for character in "|*_`[]()<>~@#\\&"}
ORDER = tuple(Verdict)
"""Verdicts in the order of the enumeration, the worst first."""
STATISTICS = {
    "mean": "mean gap",
    "share_positive": "share of positive gaps",
    "standardised_difference": "effect size d",
    "spearman": "Spearman's ρ",
    "pearson": "Pearson's r",
    "slope": "slope",
    "mean_absolute": "mean size of the gaps",
    "rms_gap": "typical size of a gap",
    "f1": "F1",
    "smaller_f1": "smaller F1 of the two groups",
    "difference": "difference of means",
    "ratio": "ratio of sums",
    "ratio_of_sides": "ratio of the two groups",
}


@dataclass(frozen=True)
class Headline:
    """The overall verdict, the counts behind it, and why it is not a pass."""

    verdict: str
    text: str
    detail: str
    reasons: tuple[str, ...] = ()


def contrast_in_words(result: Result) -> str:
    """The meaning of the sign of the estimate, in the measure's own words if it has any."""
    first, second = result.contrast
    if result.description.sign:
        return result.description.sign.replace("{first}", first).replace("{second}", second)
    return (
        f"A gap is {first} minus {second}: positive points towards {first}, negative towards {second}. "
        f"The estimate is the {statistic_name(result.statistic)}; {format_number(result.parity)} is parity."
    )


def measured_text(result: Result) -> tuple[str, str]:
    """The estimate and its interval, with enough digits to distinguish both ends from parity."""
    decimals = decimals_for(result.interval, result.estimate, (result.parity,))
    return format_number(result.estimate, decimals), interval_text(result.interval, decimals)


def direction_in_words(description: Description) -> str:
    """The bad direction of this measure, if it states one."""
    parity = format_number(description.parity)
    return {
        "from parity": f"{parity} is parity; the further from it, in either direction, the worse.",
        "upwards": f"{parity} is parity; the larger, the worse.",
        "unstated": "",
    }[description.direction]


def smallest_change_in_words(description: Description) -> str:
    """The smallest change of this measure that matters, and why, if it states one."""
    if description.smallest_change is None:
        return ""
    reason = f": {description.smallest_change_reason}" if description.smallest_change_reason else ""
    return f"The smallest change that matters is {description.smallest_change:g}{reason}."


def statistic_name(statistic: str) -> str:
    """The readable name of a statistic."""
    return STATISTICS.get(statistic, statistic.replace("_", " "))


def markdown_text(text: str) -> str:
    """Text that Markdown shows as it is: nothing in it becomes a table cell, a tag, a link or a mention."""
    return " ".join(escape_control(text).split()).translate(SPECIAL)
