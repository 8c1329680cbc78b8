"""What a reader must know first: what failed, what was accepted, and failures that a test expected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from biascheck.gates.gate import Gate
from biascheck.gates.run import Run
from biascheck.report.sections.gate_rows import Link
from biascheck.report.sections.plain_findings import Example, plain_example, plain_finding
from biascheck.report.sentences import ORDER
from biascheck.results.comparison import Comparison
from biascheck.results.key import ResultKey
from biascheck.results.result import Result
from biascheck.stats import Verdict

__all__ = ["Finding", "Findings", "findings_of"]

MOST_FINDINGS = 6


@dataclass(frozen=True)
class Finding:
    """What a finding is about, the rest of its sentence, and where the page has more about it.

    ``plain`` says it in words that need no statistics, where the measure has any; ``example`` is a sentence that shows
    it.
    """

    title: str
    text: str
    anchor: str
    plain: str = ""
    example: Example | None = None


@dataclass(frozen=True)
class Findings:
    """Findings of one kind, the worst first; those beyond the first few are only counted."""

    heading: str
    shown: tuple[Finding, ...]
    hidden: int


def findings_of(run: Run, links: Mapping[ResultKey, Link]) -> tuple[Findings, ...]:
    """The gates, comparisons and results that need a reader's attention; nothing where all is within its margin."""
    caught = run.caught
    results = {result.key: result for result in run.results}
    failed = [gate for gate in run.gates if not gate.passed and gate not in caught]
    accepted = [gate for gate in run.gates if gate.passed and gate.verdict is not Verdict.WITHIN]
    kinds = {
        "What failed": [
            *_gates(failed, links, results),
            *_searches(run),
            *_comparisons(run.all_comparisons),
            *_baseline(run),
        ],
        "Accepted": list(_gates(accepted, links, results)),
        "Failed in a test that passes, and not counted": list(_gates(caught, links, results)),
    }
    return tuple(
        Findings(heading, tuple(found[:MOST_FINDINGS]), len(found[MOST_FINDINGS:]))
        for heading, found in kinds.items()
        if found
    )


def _gates(
    gates: Sequence[Gate], links: Mapping[ResultKey, Link], results: Mapping[ResultKey, Result]
) -> Iterator[Finding]:
    for gate in _varied(sorted(gates, key=_order)):
        result = results.get(gate.key)
        yield Finding(
            title=gate.title,
            text=replace(gate, published=()).finding.removeprefix(gate.title),
            anchor=links[gate.key].anchor if gate.key in links else "gates",
            plain=plain_finding(gate),
            example=None if result is None else plain_example(gate, result),
        )


def _varied(gates: Sequence[Gate]) -> list[Gate]:
    """The worst gate of each measure and model first, then the second of each: six alike would hide the rest."""
    seen: Counter[tuple[Verdict, str, str]] = Counter()
    ranked: list[tuple[int, int, Gate]] = []
    for gate in gates:
        kind = (gate.verdict, gate.measure, gate.model_label)
        ranked.append((ORDER.index(gate.verdict), seen[kind], gate))
        seen[kind] += 1
    return [gate for _, _, gate in sorted(ranked, key=lambda entry: entry[:2])]


def _order(gate: Gate) -> tuple[int, float, str, str, str]:
    """The worst first: by verdict, then by how many margins away from parity."""
    margins = abs(gate.estimate - gate.parity) / (abs(gate.margin) or 1.0)
    return ORDER.index(gate.verdict), -margins, gate.title, gate.key.digest, gate.test


def _comparisons(comparisons: Sequence[Comparison]) -> Iterator[Finding]:
    failed = [one for one in comparisons if not one.passed]
    for one in sorted(failed, key=lambda one: (-one.change, one.title, one.key.digest)):
        yield Finding(one.title, one.finding.removeprefix(one.title), "changes")


def _searches(run: Run) -> Iterator[Finding]:
    for one in run.searches:
        if not one.passed:
            yield Finding(one.title, one.finding.removeprefix(one.title), "worst-cases")


def _baseline(run: Run) -> Iterator[Finding]:
    if run.baseline is not None:
        for one in run.baseline.refused:
            yield Finding(one.title, f": cannot be compared with the baseline: {one.reason}", "changes")
        for one in run.baseline.shrunk:
            yield Finding(one.title, f": fewer items than the baseline: {one.reason}", "changes")
