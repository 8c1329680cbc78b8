"""Numbers as people read them, published figures with their sources, and text made safe to show."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

__all__ = ["Cited", "figure", "published_text", "signed", "visible"]

ROUNDING_NOISE = 1e-12

HIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, line and paragraph separators, marks that turn the direction of text, lone surrogates."""
HIDDEN_IN_LINES = re.compile(HIDDEN.pattern.replace(r"[\x00-\x1f", r"[\x00-\x09\x0b-\x1f"))


def figure(value: float) -> str:
    """Two decimals, or one significant digit where that would read as zero; a real minus sign."""
    if abs(value) < ROUNDING_NOISE:
        return "0.00"
    text = f"{value:.2f}" if abs(value) >= 0.005 else f"{value:.1g}"
    return text.replace("-", "−")


def signed(value: float) -> str:
    """Like :func:`figure`, with the sign always shown."""
    return figure(value) if value <= -ROUNDING_NOISE else f"+{figure(value)}"


class Cited(Protocol):
    """A published figure as this module writes it; see :class:`biascheck.results.published_figures.PublishedFigure`."""

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
        by_source.setdefault(_citation(item), []).append(item)
    return "; ".join(f"{', '.join(map(_number, group))} ({_with_errata(at, group)})" for at, group in by_source.items())


def _citation(item: Cited) -> str:
    """A named figure has its name in place of the model."""
    of_model = "" if item.name else ": ".join(filter(None, (item.model, item.note)))
    return ", ".join(filter(None, (item.source, item.table, of_model)))


def _number(item: Cited) -> str:
    number = f"{item.value:g}".replace("-", "−", 1 if item.value < 0 else 0)
    return f"{item.name} {number}" if item.name else number


def _with_errata(citation: str, group: Sequence[Cited]) -> str:
    errata = dict.fromkeys(item.erratum for item in group if item.erratum)
    return "; ".join([citation, *(f"erratum: {erratum}" for erratum in errata)])


def visible(text: str, *, lines: bool = False) -> str:
    """The text with every character that a screen would obey instead of show, written as its escape: ``\\x1b``.

    With ``lines=True`` newlines stay: for texts of our own that have several lines.
    """
    return (HIDDEN_IN_LINES if lines else HIDDEN).sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return {0x09: r"\t", 0x0A: r"\n", 0x0D: r"\r"}.get(code, f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")
