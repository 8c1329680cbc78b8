"""The terminal section: one line a gate, the worst first, and who drives it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from biascheck.figures import figure
from biascheck.stats import Verdict

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

    from biascheck.gates import Gate

__all__ = ["write_section"]

COLOURS = {Verdict.WITHIN: {"green": True}, Verdict.EXCEEDS: {"red": True}, Verdict.INCONCLUSIVE: {"yellow": True}}
ORDER = [Verdict.EXCEEDS, Verdict.INCONCLUSIVE, Verdict.WITHIN]


def write_section(terminal: TerminalReporter, gates: list[Gate], notes: list[str]) -> None:
    """Write the gates grouped by model, then cautions and files."""
    terminal.section("bias gates")
    for model in dict.fromkeys(gate.model for gate in gates):
        _write_model(terminal, model, [gate for gate in gates if gate.model == model])
    for caution in dict.fromkeys(warning for gate in gates for warning in gate.warnings):
        terminal.write_line(f"caution: {caution}", yellow=True)
    for note in notes:
        terminal.write_line(note)


def _write_model(terminal: TerminalReporter, model: str, gates: list[Gate]) -> None:
    counts = Counter(gate.verdict for gate in gates)
    tally = ", ".join(f"{counts[verdict]} {verdict}" for verdict in ORDER if counts[verdict])
    terminal.write_line(f"{model}: {tally}", bold=True)
    rows = [(gate, _columns(gate)) for gate in sorted(gates, key=lambda gate: ORDER.index(gate.verdict))]
    widths = [max(len(columns[i]) for _, columns in rows) for i in range(4)]
    for gate, columns in rows:
        cells = [cell.ljust(width) for cell, width in zip(columns, widths, strict=False)]
        terminal.write(f"  {cells[0]}", **COLOURS[gate.verdict])
        terminal.write_line(f"  {'  '.join([*cells[1:], *columns[4:]])}".rstrip())


def _columns(gate: Gate) -> list[str]:
    interval = (
        "no interval" if gate.interval is None else f"[{figure(gate.interval.low)}, {figure(gate.interval.high)}]"
    )
    largest = "" if gate.verdict is Verdict.WITHIN else ", ".join(gate.offenders)
    return [
        str(gate.verdict),
        f"{gate.measure} · {gate.corpus}",
        f"{figure(gate.estimate)} {interval}",
        gate.allowed,
        largest,
    ]
