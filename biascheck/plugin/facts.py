"""What a test leaves in JUnit and in pytest-html about its gates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from biascheck.wording import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from biascheck.gates.gate import Gate
    from biascheck.gates.run import Run
    from biascheck.results.comparison import Comparison

__all__ = ["extra_of", "properties_of", "properties_of_run"]


def properties_of(judged: Gate | Comparison, number: int) -> list[tuple[str, object]]:
    """Facts for JUnit, numbered from the second judgement of a test on."""
    from biascheck.gates.gate import Gate

    suffix = "" if number == 1 else f"_{number}"
    facts = _of_gate(judged) if isinstance(judged, Gate) else _of_comparison(judged)
    if judged.interval is not None:
        facts |= {"bias_low": judged.interval.low, "bias_high": judged.interval.high}
    return [(f"{name}{suffix}", visible(value) if isinstance(value, str) else value) for name, value in facts.items()]


def properties_of_run(run: Run) -> Iterator[tuple[str, str]]:
    """Facts for the whole JUnit file: the outcome, what was not tested, and the comparison with the baseline."""
    yield "bias_outcome", visible(run.headline)
    if run.outcome is not None:
        for number, (reason, tests) in enumerate(run.outcome.not_tested.items(), start=1):
            yield f"bias_not_tested_{number}", visible(f"{reason}: {', '.join(tests)}")
    if run.baseline is not None:
        for number, one in enumerate(run.baseline.comparisons, start=1):
            yield f"bias_baseline_{number}", visible(f"{one.verdict}: {one.finding}")


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

    found: dict[str, Any] = extras.text(visible(judged.finding), name=f"bias: {judged.verdict}")
    return found
