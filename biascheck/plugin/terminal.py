"""The terminal section: the verdict first, what needs a look in full, the rest counted by suite.

Everything is laid out by rich: in colour and as wide as the terminal where there is one, as plain lines that are never
broken in the log of a CI.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import StringIO
from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from biascheck.core.secrets import in_use
from biascheck.core.wording import escape_control, format_number, pluralize, tally, verdict_text
from biascheck.gates.gate import beside
from biascheck.gates.search import tally_of_searches
from biascheck.runs.outcome import MOST_OF_ONE_REASON
from biascheck.stats import Change, Verdict

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

    from biascheck.gates.gate import Gate
    from biascheck.gates.search import Search
    from biascheck.plugin.baseline import RunBaseline
    from biascheck.results.compare import Comparison
    from biascheck.runs.baseline import BaselineComparison
    from biascheck.runs.outcome import RunOutcome
    from biascheck.runs.run import Run

GATES = (Verdict.EXCEEDS, Verdict.INVALID, Verdict.INCONCLUSIVE, Verdict.WITHIN)
CHANGES = (Change.REGRESSED, Change.INVALID, Change.INCONCLUSIVE, Change.IMPROVED, Change.NO_WORSE)
COLOURS = {
    "exceeds": "red",
    "invalid": "red",
    "regressed": "red",
    "refused": "red",
    "fewer items": "red",
    "crashed": "red",
    "judged nothing": "red",
    "rerun": "yellow",
    "inconclusive (accepted)": "yellow",
    "exceeds (accepted)": "yellow",
    "inconclusive": "yellow",
    "within": "green",
    "found": "red",
    "not searched": "red",
    "none found": "green",
    "improved": "green",
    "no worse": "green",
}
UNBROKEN = 10_000
MOST_NAMES = 5


def write_section(terminal: TerminalReporter, run: Run, baseline: RunBaseline, notes: Sequence[str]) -> None:
    """Write the outcome, then the gates, the baseline, what was not tested, cautions and files."""
    from biascheck.plugin.outputs import short

    terminal.section("bias gates")
    page = _TerminalPage(terminal)
    verbose = terminal.verbosity > 0
    page.line(run.headline, "bold green" if run.passed else "bold red")
    if run.outcome is not None:
        _write_unfinished(page, run.outcome, verbose)
    models: dict[str, list[Gate]] = {}
    for gate in run.gates:
        models.setdefault(gate.model, []).append(gate)
    for model, gates in models.items():
        _write_model(page, model, gates, verbose)
    if run.caught:
        page.line(
            f"{pluralize(len(run.caught), 'failing gate')} caught by a test that passes, and not counted", "yellow"
        )
    _write_searches(page, run.searches, verbose)
    _write_comparisons(page, "compared by tests", run.comparisons, verbose)
    if run.baseline is not None:
        measured = ", ".join(baseline.read().models)
        _write_judgement(page, f"against {short(baseline.path)} ({measured})", run.baseline, verbose)
    if run.outcome is not None:
        _write_not_tested(page, run.outcome, verbose)
    for caution in dict.fromkeys(warning for gate in run.gates for warning in gate.warnings):
        # what is wrong comes before the colon, what follows from it after
        page.line(f"caution: {caution if verbose else caution.partition(': ')[0]}", "yellow")
    for note in notes:
        page.line(note)
    terminal.write(page.text())


def _write_unfinished(page: _TerminalPage, outcome: RunOutcome, verbose: bool) -> None:
    """Tests that should have judged something and did not, and attempts that were made again."""
    page.table(outcome.stuck(None if verbose else MOST_OF_ONE_REASON))
    rerun = [test for test in outcome.tests if test.earlier]
    page.table(
        ("rerun", test.test, f"attempt {n}: {story}") for test in rerun for n, story in enumerate(test.earlier, 1)
    )


def _write_not_tested(page: _TerminalPage, outcome: RunOutcome, verbose: bool) -> None:
    for reason, tests in outcome.not_tested.items():
        names = f": {', '.join(tests)}" if verbose else ""
        page.line(f"not tested ({pluralize(len(tests), 'test')}): {reason}{names}", "yellow")


class _TerminalPage:
    """Lines and tables, as the terminal can show them."""

    def __init__(self, terminal: TerminalReporter) -> None:
        self._buffer = StringIO()
        coloured = terminal.hasmarkup
        self._console = Console(
            file=self._buffer,
            force_terminal=coloured,
            no_color=not coloured,
            width=terminal._tw.fullwidth if coloured else UNBROKEN,
            highlight=False,
            legacy_windows=False,
        )

    def line(self, text: str, style: str = "") -> None:
        self._console.print(_shown(text, style))

    def table(self, rows: Iterable[Sequence[str]]) -> None:
        """Rows with aligned columns; the first cell, a verdict, may have a colour of its own."""
        listed = list(rows)
        if not listed:
            return
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
        for number in range(max(map(len, listed))):
            table.add_column(overflow="fold", no_wrap=number == 0)
        for first, *others in listed:
            table.add_row(_shown(first, COLOURS.get(first, "")), *map(_shown, others))
        self._console.print(Padding(table, (0, 0, 0, 2)))

    def text(self) -> str:
        return "".join(f"{line.rstrip()}\n" for line in self._buffer.getvalue().splitlines())


def _shown(text: str, style: str = "") -> Text:
    """Text that cannot move the cursor, change colours or begin a line of its own."""
    return Text(escape_control(in_use().masked(text)), style=style)


def _write_model(page: _TerminalPage, model: str, gates: Sequence[Gate], verbose: bool) -> None:
    failed = sum(not gate.passed for gate in gates)
    passed = (
        f"{failed} of {pluralize(len(gates), 'gate')} failed" if failed else f"{pluralize(len(gates), 'gate')} passed"
    )
    page.line(f"{model}: {passed} ({tally(gates)})", "bold red" if failed else "bold green")
    ordered = sorted(gates, key=lambda gate: (gate.passed, GATES.index(gate.verdict)))
    page.table(_gate_row(gate) for gate in ordered if verbose or gate.verdict is not Verdict.WITHIN)
    suites: dict[str, list[Gate]] = {}
    for gate in gates:
        suites.setdefault(_suite(gate.test), []).append(gate)
    if len(suites) > 1:
        page.table((suite, pluralize(len(own), "gate"), tally(own)) for suite, own in sorted(suites.items()))


def _write_searches(page: _TerminalPage, searches: Sequence[Search], verbose: bool) -> None:
    """Each search with its worst cases: a search that passed says in how many examples it found none."""
    if not searches:
        return
    failed = any(not one.passed for one in searches)
    page.line(f"searches for worst cases: {tally_of_searches(searches)}", "bold red" if failed else "bold green")
    for one in sorted(searches, key=lambda one: (one.passed, one.model, one.strategy, one.test)):
        if one.cases:
            page.line(f"  found in {one.examples:,} examples of {one.strategy} ({one.figure}, {one.model}):", "red")
            page.table((format_number(case.gap), case.both, case.reason, case.change) for case in one.cases)
            page.line(f"  {one.scope}")
        elif verbose or not one.passed:
            page.table([(str(one.verdict), one.finding)])
        else:
            subject = f"{one.figure} · {one.strategy} · {one.model}"
            page.table([(str(one.verdict), subject, f"in {one.examples:,} examples", one.measured, one.allowed)])
        if one.cases or (one.passed and not verbose):
            for note in one.memory_notes:
                page.line(f"  {note}")


def _suite(test: str) -> str:
    """The folder of a test, or its file where that has none."""
    *folders, file = test.partition("::")[0].split("/")
    return folders[-1] if folders else file


def _gate_row(gate: Gate) -> list[str]:
    largest = "" if gate.verdict is Verdict.WITHIN else ", ".join(gate.offenders)
    verdict = verdict_text(gate.verdict, gate.passed)
    return [verdict, _subject(gate), gate.measured, gate.allowed, "; ".join(filter(None, (largest, beside(gate))))]


def _subject(judged: Gate | Comparison) -> str:
    """What was measured; a treated model is named by its treatment."""
    return " · ".join((judged.measure, judged.corpus, *judged.key.treatment))


def _write_judgement(page: _TerminalPage, title: str, judgement: BaselineComparison, verbose: bool) -> None:
    if not judgement.passed:
        title = f"FAILED {title}"
    _write_comparisons(page, title, judgement.comparisons, verbose, failed=not judgement.passed)
    page.table(("refused", f"{refusal.title}: {refusal.reason}") for refusal in judgement.refused)
    page.table(("fewer items", f"{finding.title}: {finding.reason}") for finding in judgement.shrunk)
    if judgement.refused:
        page.line("  measure anew with --bias-update-baseline if the change was meant")
    if judgement.new:
        page.line(f"  not in the baseline: {_named(judgement.new, verbose)}; add with --bias-update-baseline")
    if judgement.unused:
        page.line(f"  in the baseline, not measured: {_named(judgement.unused, verbose)}")


def _write_comparisons(
    page: _TerminalPage, title: str, comparisons: Sequence[Comparison], verbose: bool, *, failed: bool = False
) -> None:
    if not comparisons and not failed:
        return
    page.line(f"{title}: {tally(comparisons) or 'nothing could be compared'}", "bold red" if failed else "bold")
    ordered = sorted(comparisons, key=lambda one: CHANGES.index(one.verdict))
    page.table(_change_row(one) for one in ordered if verbose or not one.passed)


def _change_row(one: Comparison) -> list[str]:
    moved = ", ".join(map(str, one.moves[:3])) if one.verdict is Change.REGRESSED else ""
    return [
        verdict_text(one.verdict, one.passed),
        _subject(one),
        one.figures,
        one.moved_and_tolerated,
        f"moved most: {moved}" if moved else "",
    ]


def _named(names: Sequence[str], verbose: bool) -> str:
    shown = names if verbose or len(names) <= MOST_NAMES else names[:MOST_NAMES]
    rest = len(names) - len(shown)
    return f"{len(names)} ({'; '.join(shown)}{f'; … and {rest} more, -v names all' if rest else ''})"
