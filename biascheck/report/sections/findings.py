"""What a reader must know first: what failed for each model, what was accepted, and failures that a test expected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from biascheck.gates.deciding import to_decide
from biascheck.gates.gate import Gate
from biascheck.gates.run import Run
from biascheck.report.sections.gate_rows import Link
from biascheck.report.sections.plain_changes import plain_change
from biascheck.report.sections.plain_findings import SentenceExample, plain_example, plain_finding, plain_search
from biascheck.report.sentences import ORDER
from biascheck.results.comparison import Comparison
from biascheck.results.key import ResultKey
from biascheck.results.result import Result
from biascheck.stats import Verdict
from biascheck.wording import pluralize

__all__ = ["Finding", "Findings", "ModelFindings", "findings_of"]

MOST_OF_ONE_MODEL, MOST_OF_SEVERAL = 5, 3
MOST_MODELS = 3


@dataclass(frozen=True)
class Finding:
    """What a finding is about, the rest of its sentence, and where the page has more about it.

    ``plain`` says it in words that need no statistics; ``example`` is a sentence that shows it. ``model`` is empty
    where the finding is about no model.
    """

    title: str
    text: str
    anchor: str
    plain: str = ""
    example: SentenceExample | None = None
    model: str = ""


@dataclass(frozen=True)
class ModelFindings:
    """The findings of one model, the worst first; those beyond the first few are only counted."""

    model: str
    count: str
    shown: tuple[Finding, ...]
    hidden: int
    folded: bool


@dataclass(frozen=True)
class Findings:
    """Findings of one kind, model by model; what needs no action is folded."""

    heading: str
    count: str
    folded: bool
    models: tuple[ModelFindings, ...]


def findings_of(run: Run, links: Mapping[ResultKey, Link]) -> tuple[Findings, ...]:
    """The gates, comparisons and results that need a reader's attention; nothing where all is within its margin."""
    caught = run.caught
    results = {result.key: result for result in run.results}
    failed = [gate for gate in run.gates if not gate.passed and gate not in caught]
    accepted = [gate for gate in run.gates if gate.passed and gate.verdict is not Verdict.WITHIN]
    exceeding = [gate for gate in failed if gate.verdict is Verdict.EXCEEDS]
    in_doubt = [gate for gate in failed if gate.verdict not in (Verdict.EXCEEDS, Verdict.INVALID)]
    judged = [
        *_gates(exceeding, links, results),
        *_searches(run),
        *_comparisons(run.all_comparisons),
        *_baseline(run),
        *_gates(in_doubt, links, results),
        *_unread(failed, links),
    ]
    kinds = [
        ("What failed", "finding", judged, False),  # what was found, then what is not known
        ("Accepted", "gate", list(_gates(accepted, links, results)), True),
        ("Failed in a test that passes, and not counted", "gate", list(_gates(caught, links, results)), True),
    ]
    return tuple(_kind(*kind) for kind in kinds if kind[2])


def _kind(heading: str, noun: str, found: Sequence[Finding], folded: bool) -> Findings:
    models: dict[str, list[Finding]] = {}
    for finding in found:
        models.setdefault(finding.model, []).append(finding)
    most = MOST_OF_ONE_MODEL if len(models) == 1 else MOST_OF_SEVERAL
    return Findings(
        heading=heading,
        count=pluralize(len(found), noun),
        folded=folded,
        models=tuple(
            ModelFindings(
                model, pluralize(len(of), "finding"), tuple(of[:most]), len(of[most:]), folded=number >= MOST_MODELS
            )
            for number, (model, of) in enumerate(models.items())
        ),
    )


def _gates(
    gates: Sequence[Gate], links: Mapping[ResultKey, Link], results: Mapping[ResultKey, Result]
) -> Iterator[Finding]:
    for gate in _varied(sorted(gates, key=_order)):
        result = results.get(gate.key)
        plain = plain_finding(gate)
        yield Finding(
            title=gate.title,
            text=_figures(gate) if plain else replace(gate, published=()).finding.removeprefix(gate.title),
            anchor=links[gate.key].anchor if gate.key in links else "gates",
            plain=plain,
            example=None if result is None else plain_example(gate, result),
            model=gate.model,
        )


def _unread(gates: Sequence[Gate], links: Mapping[ResultKey, Link]) -> Iterator[Finding]:
    """What the model cannot do, once for each reason; gates that fail for the same one share a finding."""
    reasons: dict[tuple[str, str], list[Gate]] = {}
    for gate in sorted(gates, key=_order):
        if gate.verdict is Verdict.INVALID:
            reasons.setdefault((gate.model, gate.inability), []).append(gate)
    for (model, inability), of in reasons.items():
        measures = " and ".join(dict.fromkeys(gate.measure for gate in of))
        yield Finding(
            title=of[0].title,
            text=f" and {pluralize(len(of) - 1, 'more gate')}: invalid" if len(of) > 1 else ": invalid",
            anchor=links[of[0].key].anchor if of[0].key in links else "gates",
            plain=f"Nothing can be said about {measures}: {inability}.",
            model=model,
        )


def _figures(gate: Gate) -> str:
    decided = f"to decide: {needed}" if (needed := to_decide(gate)) else ""
    return "; ".join(filter(None, (f": {gate.measured}, allowed {gate.allowed}", gate.acceptance, decided)))


def _varied(gates: Sequence[Gate]) -> list[Gate]:
    """The worst gate of each measure and model first, then the second of each: five alike would hide the rest."""
    seen: Counter[tuple[Verdict, str, str]] = Counter()
    ranked: list[tuple[int, int, Gate]] = []
    for gate in gates:
        kind = (gate.verdict, gate.measure, gate.model)
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
        text = one.finding.removeprefix(one.title)
        yield Finding(one.title, text, "changes", plain=plain_change(one), model=one.model_after)


def _searches(run: Run) -> Iterator[Finding]:
    failed = [one for one in run.searches if not one.passed]
    for one in sorted(failed, key=lambda one: -one.largest):
        plain, example = plain_search(one)
        text = f": {one.measured}, allowed {one.allowed}; {one.share_text}"
        known = text if plain else one.finding.removeprefix(one.title)
        yield Finding(one.title, known, "worst-cases", plain=plain, example=example, model=one.model)


def _baseline(run: Run) -> Iterator[Finding]:
    if run.baseline is not None:
        for one in run.baseline.refused:
            yield Finding(one.title, f": cannot be compared with the baseline: {one.reason}", "changes")
        for one in run.baseline.shrunk:
            yield Finding(one.title, f": fewer items than the baseline: {one.reason}", "changes")
