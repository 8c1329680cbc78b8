"""Sentences of the report: verdicts, signs and sizes in plain words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from biascheck.gates.gate import Gate
from biascheck.gates.run import Run
from biascheck.results.result import Result
from biascheck.stats import Interval, Verdict
from biascheck.wording import figure

__all__ = [
    "ORDER",
    "Headline",
    "contrast_in_words",
    "headline",
    "incomplete_text",
    "interval_text",
    "label_of",
    "level_text",
    "p_text",
    "power_text",
    "shortened",
    "statistic_name",
    "tally",
]

ORDER = (Verdict.EXCEEDS, Verdict.INCONCLUSIVE, Verdict.WITHIN)
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


@dataclass(frozen=True)
class Headline:
    """The overall verdict, and what it counts."""

    verdict: str
    text: str
    detail: str


def headline(gates: Sequence[Gate]) -> Headline:
    """Say how the gates went, the worst first. Without gates there is no verdict."""
    if not gates:
        return Headline("none", "No gates were judged", "This report shows measurements without a verdict.")
    counts = Counter(gate.verdict for gate in gates)
    worst = next(verdict for verdict in ORDER if counts[verdict])
    return Headline(str(worst), _headline_text(worst, counts, len(gates)), tally(gates))


def _headline_text(worst: Verdict, counts: Counter[Verdict], total: int) -> str:
    count = counts[worst]
    if worst is Verdict.EXCEEDS:
        return f"{count} of {_gates(total)} {'exceeds its' if count == 1 else 'exceed their'} margin"
    if worst is Verdict.INCONCLUSIVE:
        return f"No gate exceeds its margin, but {count} of {total} {'is' if count == 1 else 'are'} inconclusive"
    return "The only gate is within its margin" if total == 1 else f"All {_gates(total)} are within their margins"


def _gates(count: int) -> str:
    return "1 gate" if count == 1 else f"{count:,} gates"


def tally(gates: Sequence[Gate]) -> str:
    """Count the verdicts: "3 exceed, 4 inconclusive (1 accepted), 18 within"."""
    counts = Counter(gate.verdict for gate in gates)
    accepted = sum(gate.passed for gate in gates if gate.verdict is Verdict.INCONCLUSIVE)
    exceeds = "exceeds" if counts[Verdict.EXCEEDS] == 1 else "exceed"
    words = {
        Verdict.EXCEEDS: exceeds,
        Verdict.INCONCLUSIVE: f"inconclusive ({accepted:,} accepted)" if accepted else "inconclusive",
        Verdict.WITHIN: "within",
    }
    return ", ".join(f"{counts[verdict]:,} {words[verdict]}" for verdict in ORDER if counts[verdict])


def contrast_in_words(result: Result) -> str:
    """What the sign of the estimate means, in the measure's own words where it has any."""
    first, second = result.contrast
    if result.description.sign:
        return result.description.sign.replace("{first}", first).replace("{second}", second)
    return (
        f"A gap is {first} minus {second}: positive points towards {first}, negative towards {second}. "
        f"The estimate is the {statistic_name(result.statistic)}; {figure(result.parity)} is parity."
    )


def statistic_name(statistic: str) -> str:
    """The name of a statistic as a reader knows it."""
    return STATISTICS.get(statistic, statistic.replace("_", " "))


def interval_text(interval: Interval | None) -> str:
    """The ends of an interval."""
    return "no interval" if interval is None else f"[{figure(interval.low)}, {figure(interval.high)}]"


def level_text(level: float) -> str:
    """A level in per cent, with a decimal only where it says something."""
    return f"{100 * level:.1f}".removesuffix(".0") + "\N{NO-BREAK SPACE}%"


def incomplete_text(run: Run) -> str:
    """What an interrupted run did not do; nothing for one that came to its end."""
    if run.complete:
        return ""
    tests = "1 test" if run.not_run == 1 else f"{run.not_run:,} tests"
    return f"The run was interrupted: {tests} did not run, and what they measure is not in this report."


def label_of(corpus: str) -> str:
    """The name of a corpus with room for its labels to break a line."""
    return corpus.replace("·", " · ")


def power_text(power: float) -> str:
    """A power with two decimals; never a 1 that is not certain."""
    return "> 0.99" if power > 0.99 else f"{power:.2f}"


def p_text(p: float) -> str:
    """A p-value with three decimals, or a bound."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def shortened(text: str, length: int) -> str:
    """Cut a text to a length, and show that it was cut."""
    return text if len(text) <= length else f"{text[: length - 1]}…"
