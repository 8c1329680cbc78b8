"""The second page of a printed report: one line for each gate and comparison that needs a reader."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from biascheck.gates.gate import Gate
from biascheck.report.sections.gate_rows import STATES, state_of
from biascheck.report.sentences import ORDER
from biascheck.results.comparison import Comparison
from biascheck.stats import Change
from biascheck.wording import pluralize, verdict_text

__all__ = ["Printed", "PrintedBlock", "PrintedRow", "printed_comparisons", "printed_page"]

MOST_PRINTED_ROWS = 34
"""What fits onto one page, a line each."""
PRINTED_CHANGES = {
    Change.REGRESSED: "Worse than before",
    Change.INVALID: "Not to be compared: the model cannot do what is asked",
    Change.INCONCLUSIVE: "Not decided",
    Change.IMPROVED: "Better than before",
}


@dataclass(frozen=True)
class PrintedRow:
    """One judgement in a line."""

    verdict: str
    measure: str
    subject: str
    figures: str
    allowed: str


@dataclass(frozen=True)
class PrintedBlock:
    """The judgements of one state; what does not fit onto the page is counted."""

    title: str
    count: int
    rows: tuple[PrintedRow, ...]
    hidden: int


@dataclass(frozen=True)
class Printed:
    """What is printed beside the summary, and what is not."""

    blocks: tuple[PrintedBlock, ...]
    left_out: str


def printed_page(gates: Sequence[Gate], comparisons: Sequence[Comparison], caught: Collection[Gate]) -> Printed:
    """Gather what needs a reader; the most urgent gets the room."""
    found: dict[str, list[PrintedRow]] = {
        title: [_gate(gate) for gate in _ranked(gates) if state_of(gate, caught) == state]
        for state, title in STATES.items()
        if state != "within"
    }
    found["Worse than before"] = [_change(one) for one in comparisons if one.verdict is Change.REGRESSED]
    within = sum(state_of(gate, caught) == "within" for gate in gates)
    return Printed(_blocks(found), _left_out(within))


def printed_comparisons(comparisons: Sequence[Comparison]) -> Printed:
    """The same for a page that only compares: what got worse, then what is in doubt, then what got better."""
    ordered = sorted(comparisons, key=lambda one: -one.change)
    named = len({(one.model_before, one.model_after) for one in comparisons}) > 1  # else the headline names them
    found = {
        title: [_change(one, named=named) for one in ordered if one.verdict is verdict]
        for verdict, title in PRINTED_CHANGES.items()
    }
    return Printed(
        _blocks(found),
        "Not printed: what is no worse than before, charts, what moved word by word, the explanation of terms. They "
        "are in the file itself.",
    )


def _blocks(found: Mapping[str, Sequence[PrintedRow]]) -> tuple[PrintedBlock, ...]:
    """Blocks with as many rows as the page has room for."""
    blocks, room = [], MOST_PRINTED_ROWS
    for title, rows in found.items():
        if rows:
            blocks.append(PrintedBlock(title, len(rows), tuple(rows[:room]), len(rows[room:])))
            room = max(0, room - len(rows) - 2)
    return tuple(blocks)


def _left_out(within: int) -> str:
    inside = (
        f"{pluralize(within, 'gate')} within {'its margin' if within == 1 else 'their margins'}, " if within else ""
    )
    return (
        f"Not printed: {inside}what is no worse than before, charts, sentences, worst cases, facts about models, the "
        "explanation of terms. They are in the file itself; suites that are open on the screen are printed, too."
    )


def _ranked(gates: Sequence[Gate]) -> list[Gate]:
    return sorted(gates, key=lambda gate: ORDER.index(gate.verdict))


def _gate(gate: Gate) -> PrintedRow:
    return PrintedRow(
        verdict_text(gate.verdict, gate.passed),
        gate.measure,
        f"{gate.corpus} on {gate.model_label}",
        gate.measured,
        f"allowed {gate.allowed}",
    )


def _change(one: Comparison, *, named: bool = True) -> PrintedRow:
    subject = f"{one.corpus} on {one.models}" if named else " · ".join((one.corpus, *one.key.treatment))
    return PrintedRow(str(one.verdict), one.measure, subject, one.figures, one.moved_and_tolerated)
