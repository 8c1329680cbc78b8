"""What a test leaves in JUnit and in pytest-html about its gates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from biascheck.gates.outcome import FOUND_LATER
from biascheck.wording import escape_control

if TYPE_CHECKING:
    from collections.abc import Iterator

    from biascheck.gates.gate import Gate
    from biascheck.gates.run import Run
    from biascheck.gates.searches import Search
    from biascheck.results.comparison import Comparison

__all__ = ["extra_of", "properties_of", "properties_of_run"]


def properties_of(judged: Gate | Comparison | Search, number: int) -> list[tuple[str, object]]:
    """Facts for JUnit, numbered from the second judgement of a test on."""
    from biascheck.gates.gate import Gate
    from biascheck.gates.searches import Search

    suffix = "" if number == 1 else f"_{number}"
    if isinstance(judged, Search):
        facts = _of_search(judged)
    else:
        facts = _of_gate(judged) if isinstance(judged, Gate) else _of_comparison(judged)
    if not isinstance(judged, Search) and judged.interval is not None:
        facts |= {"bias_low": judged.interval.low, "bias_high": judged.interval.high}
    return [
        (f"{name}{suffix}", escape_control(value) if isinstance(value, str) else value) for name, value in facts.items()
    ]


def properties_of_run(run: Run) -> Iterator[tuple[str, str]]:
    """Facts for the whole JUnit file: the outcome, what was not tested, and the comparison with the baseline."""
    yield "bias_outcome", escape_control(run.headline)
    facts: dict[str, list[str]] = {}
    if (outcome := run.outcome) is not None:
        facts["not_tested"] = [f"{reason}: {', '.join(tests)}" for reason, tests in outcome.not_tested.items()]
        facts["found_later"] = [f"{test.test}: {test.reason}" for test in outcome.tests if test.reason == FOUND_LATER]
        facts["rerun"] = [f"{test.test}: {story}" for test in outcome.tests for story in test.earlier]
    if (found := run.baseline) is not None:
        facts["baseline"] = [f"{one.verdict}: {one.finding}" for one in found.comparisons]
        facts["baseline"] += [f"refused: {one.title}: {one.reason}" for one in found.refused]
        facts["baseline"] += [f"fewer items: {one.title}: {one.reason}" for one in found.shrunk]
    for name, texts in facts.items():
        yield from ((f"bias_{name}_{number}", escape_control(text)) for number, text in enumerate(texts, start=1))


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


def _of_search(search: Search) -> dict[str, object]:
    return {
        "bias_search": search.title,
        "bias_largest": search.largest,
        "bias_bound": search.bound,
        "bias_verdict": str(search.verdict),
        "bias_n": search.examples,
        "bias_seed": search.seed,
    }


def extra_of(judged: Gate | Comparison | Search) -> dict[str, Any]:
    """The finding as an extra of pytest-html: text, which that plugin escapes."""
    from pytest_html import extras

    found: dict[str, Any] = extras.text(escape_control(judged.finding), name=f"bias: {judged.verdict}")
    return found
