"""Every phrase that terminal, report, Markdown and card share: numbers, intervals, verdicts, tallies, sources."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Protocol

ROUNDING_NOISE = 1e-12
FEWEST_DECIMALS, MOST_DECIMALS = 2, 6
SIZES = ("exceeds", "regressed", "invalid", "inconclusive", "within", "improved", "no worse")
"""Verdicts of gates and of comparisons, the worst first."""
ACCEPTABLE = ("exceeds", "invalid", "inconclusive")

INCONCLUSIVE = "Inconclusive"
NOT_COMPARABLE = "Not comparable"
CANNOT_DO_TASK = "the model cannot do the task"
"""Why a figure is invalid, in words for a reader who knows no statistics."""

HIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, line and paragraph separators, bidirectional overrides, lone surrogates."""
HIDDEN_IN_LINES = re.compile(HIDDEN.pattern.replace(r"[\x00-\x1f", r"[\x00-\x09\x0b-\x1f"))


class Ends(Protocol):
    """An interval as this module writes it."""

    @property
    def low(self) -> float:
        """Its lower end."""
        ...

    @property
    def high(self) -> float:
        """Its upper end."""
        ...


class Judgement(Protocol):
    """A gate or a comparison as this module counts it."""

    @property
    def verdict(self) -> object:
        """What was decided."""
        ...

    @property
    def passed(self) -> bool:
        """Whether it lets the run pass."""
        ...


def format_number(value: float, decimals: int = FEWEST_DECIMALS) -> str:
    """A number with this many decimals, or one significant digit where that would read as zero; a real minus sign."""
    if abs(value) < ROUNDING_NOISE:
        return f"{0:.{decimals}f}"
    text = f"{value:.{decimals}f}" if abs(value) >= 0.5 * 10**-decimals else f"{value:.1g}"
    return text.replace("-", "−")


def signed(value: float, decimals: int = FEWEST_DECIMALS) -> str:
    """Like :func:`format_number`, with the sign always shown."""
    return format_number(value, decimals) if value <= -ROUNDING_NOISE else f"+{format_number(value, decimals)}"


def decimals_for(interval: Ends | None, estimate: float, limits: Sequence[float] = ()) -> int:
    """The fewest decimals, two or more, at which numbers that differ also look different.

    An interval that ends just below a margin must not read as if it touched it, nor one that varies as if it did not.
    """
    ends = [] if interval is None else [interval.low, interval.high]
    apart = list(combinations(ends, 2)) + [(one, limit) for one in (estimate, *ends) for limit in limits]
    apart = [(a, b) for a, b in apart if abs(a - b) > ROUNDING_NOISE]
    for decimals in range(FEWEST_DECIMALS, MOST_DECIMALS):
        if all(f"{a:.{decimals}f}" != f"{b:.{decimals}f}" for a, b in apart):
            return decimals
    return FEWEST_DECIMALS if not apart else MOST_DECIMALS


def interval_text(interval: Ends | None, decimals: int = FEWEST_DECIMALS) -> str:
    """The ends of an interval: "[0.33, 0.49]"."""
    if interval is None:
        return "[no interval]"
    return f"[{format_number(interval.low, decimals)}, {format_number(interval.high, decimals)}]"


def level_text(level: float) -> str:
    """A level in per cent, with a decimal only where one is needed."""
    return f"{100 * level:.1f}".removesuffix(".0") + "\N{NO-BREAK SPACE}%"


def power_text(power: float) -> str:
    """A power with two decimals; never rounded up to 1."""
    return "> 0.99" if power > 0.99 else f"{power:.2f}"


def p_text(p: float) -> str:
    """A p-value with three decimals, or a bound."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def shortened(text: str, length: int) -> str:
    """Cut a text to a length, with an ellipsis."""
    return text if len(text) <= length else f"{text[: length - 1]}…"


def pluralize(count: int, noun: str, several: str = "") -> str:
    """A count with its noun: "1 gate", "1,200 gates"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {several or f'{noun}s'}"


def verdict_text(verdict: object, passed: bool) -> str:
    """A verdict; one that was allowed to pass although it is not within its margin is "accepted"."""
    return f"{verdict} (accepted)" if passed and str(verdict) in ACCEPTABLE else str(verdict)


def only_uncorrected_text(family: int, corrected_level: float) -> str:
    """Why a gate whose interval lies outside its margin is inconclusive all the same."""
    return f"inconclusive after correcting for {family} gates ({level_text(corrected_level)} interval)"


def tally(judged: Iterable[Judgement]) -> str:
    """Count the verdicts, the worst first: "3 exceed, 4 inconclusive (1 accepted), 18 within"."""
    listed = list(judged)
    counts = Counter(str(one.verdict) for one in listed)
    accepted = Counter(str(one.verdict) for one in listed if one.passed)
    words = []
    for verdict in SIZES:
        if count := counts[verdict]:
            word = "exceed" if verdict == "exceeds" and count > 1 else verdict
            note = verdict in ACCEPTABLE and accepted[verdict]
            words.append(f"{count:,} {word}" + (f" ({accepted[verdict]:,} accepted)" if note else ""))
    return ", ".join(words)


class Cited(Protocol):
    """A published figure as this module writes it; see :class:`biascheck.results.published.PublishedFigure`."""

    @property
    def value(self) -> float: ...  # noqa: D102
    @property
    def source(self) -> str: ...  # noqa: D102
    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def table(self) -> str: ...  # noqa: D102
    @property
    def model(self) -> str: ...  # noqa: D102
    @property
    def erratum(self) -> str: ...  # noqa: D102
    @property
    def note(self) -> str: ...  # noqa: D102


def published_text(figures: Sequence[Cited]) -> str:
    """Figures with their sources: "−0.89 (Kurita 2019, Table 3, BERT; erratum: …)", "ELMo 0.86, GloVe 0.98 (…)"."""
    by_source: dict[str, list[Cited]] = {}
    for item in figures:
        by_source.setdefault(citation(item), []).append(item)
    return "; ".join(
        f"{', '.join(map(published_number, group))} ({_with_errata(at, group)})" for at, group in by_source.items()
    )


def citation(item: Cited) -> str:
    """Where a figure is printed; a named figure shows its name in place of the model."""
    of_model = "" if item.name else ": ".join(filter(None, (item.model, item.note)))
    return ", ".join(filter(None, (item.source, item.table, of_model)))


def published_number(item: Cited) -> str:
    """A published figure as printed, with its name where it has one: "−0.89", "BERT-U 5e-05"."""
    return f"{item.name} {as_printed(item.value)}" if item.name else as_printed(item.value)


def as_printed(value: float) -> str:
    """A published number with all its printed digits: "−0.89", "5e-05"."""
    return f"{value:.15g}".replace("-", "−", 1 if value < 0 else 0)


def _with_errata(citation: str, group: Sequence[Cited]) -> str:
    errata = dict.fromkeys(item.erratum for item in group if item.erratum)
    return "; ".join([citation, *(f"erratum: {erratum}" for erratum in errata)])


def escape_control(text: str, *, lines: bool = False) -> str:
    """The text with every character that a terminal would interpret written as its escape: ``\\x1b``.

    ``lines=True`` keeps newlines, for biascheck's own texts of several lines.
    """
    return (HIDDEN_IN_LINES if lines else HIDDEN).sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return {0x09: r"\t", 0x0A: r"\n", 0x0D: r"\r"}.get(code, f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")
