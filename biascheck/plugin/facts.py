"""What a test leaves in JUnit and in pytest-html about its gates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from biascheck.gates.gate import Gate
    from biascheck.results.comparison import Comparison

__all__ = ["extra_of", "properties_of"]


def properties_of(judged: Gate | Comparison, number: int) -> list[tuple[str, object]]:
    """Facts for JUnit, numbered from the second judgement of a test on."""
    from biascheck.gates.gate import Gate

    suffix = "" if number == 1 else f"_{number}"
    facts = _of_gate(judged) if isinstance(judged, Gate) else _of_comparison(judged)
    if judged.interval is not None:
        facts |= {"bias_low": judged.interval.low, "bias_high": judged.interval.high}
    return [(f"{name}{suffix}", value) for name, value in facts.items()]


def _of_gate(gate: Gate) -> dict[str, object]:
    return {
        "bias_gate": gate.title,
        "bias_estimate": gate.estimate,
        "bias_margin": gate.margin,
        "bias_verdict": str(gate.verdict),
        "bias_n": gate.n,
        "bias_seed": gate.seed,
    }


def _of_comparison(comparison: Comparison) -> dict[str, object]:
    return {
        "bias_comparison": comparison.title,
        "bias_change": comparison.change,
        "bias_tolerance": comparison.tolerance,
        "bias_verdict": str(comparison.verdict),
        "bias_n": comparison.n,
        "bias_seed": comparison.seed,
    }


def extra_of(judged: Gate | Comparison) -> dict[str, Any]:
    """The finding as an extra of pytest-html: text, which that plugin escapes."""
    from pytest_html import extras

    found: dict[str, Any] = extras.text(judged.finding, name=f"bias: {judged.verdict}")
    return found
