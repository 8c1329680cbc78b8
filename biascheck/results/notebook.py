"""A result as a notebook shows it: a small table that fits light and dark, without script and without requests."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from biascheck.wording import decimals_for, escape_control, format_number, interval_text, level_text

if TYPE_CHECKING:
    from biascheck.results.result import Result

__all__ = ["result_html"]

LEFT = 'style="text-align:left"'


def result_html(result: Result) -> str:
    """The figure with its interval, parity, size and the largest gaps; what is skipped or doubtful is said."""
    rows = "".join(
        f"<tr><th {LEFT}>{_cell(name)}</th><td {LEFT}>{_cell(text)}</td></tr>" for name, text in _rows(result)
    )
    return f"<table><caption {LEFT}><b>{_cell(result.title)}</b></caption><tbody>{rows}</tbody></table>"


def _rows(result: Result) -> Iterator[tuple[str, str]]:
    decimals = decimals_for(result.interval, result.estimate, (result.parity,))
    yield "estimate", format_number(result.estimate, decimals)
    if result.interval is None:
        yield "interval", "none: too few clusters"
    else:
        yield f"{level_text(result.interval.level)} interval", interval_text(result.interval, decimals)
    yield "parity", format_number(result.parity)
    if result.description.sign:
        first, second = result.contrast
        yield "sign", result.description.sign.replace("{first}", first).replace("{second}", second)
    if contributors := result.top_contributors(5):
        yield "largest", ", ".join(map(str, contributors))
    yield "size", f"{result.n:,} {result.unit}, {result.clusters:,} clusters, seed {result.seed}"
    yield from _doubts(result)


def _doubts(result: Result) -> Iterator[tuple[str, str]]:
    if result.skipped:
        yield "skipped", f"{len(result.skipped):,}, e.g. {result.skipped[0].reason}"
    if result.competence is not None and not result.competence.passed:
        yield "invalid", f"{result.model_label} {result.competence.lack}: {result.competence.finding}"
    for warning in result.warnings:
        yield "caution", warning


def _cell(text: str) -> str:
    return escape(escape_control(text))
