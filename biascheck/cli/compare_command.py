"""Compare stored results: which moved away from parity?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from biascheck.errors import BiascheckError, UsageError
from biascheck.wording import escape_control, pluralize, tally

if TYPE_CHECKING:
    from rich.table import Table

    from biascheck.results.baselines import Baseline, BaselineComparison
    from biascheck.results.result import Result

__all__ = ["compare"]

FAILED = 1
COLOURS = {"regressed": "red", "invalid": "red", "inconclusive": "yellow", "no worse": "green", "improved": "green"}
ORDER = list(COLOURS)


class FailOn(StrEnum):
    """What makes the command fail; an inconclusive comparison is less than a regressed one."""

    REGRESSED = "regressed"
    INCONCLUSIVE = "inconclusive"


def compare(
    before: Annotated[Path, typer.Argument(help="results or baseline to compare with")],
    after: Annotated[list[Path], typer.Argument(help="later results; each is compared with the first file")],
    fail_on: Annotated[
        FailOn | None,
        typer.Option(
            help="exit with 1 if a result regressed or has no interval; inconclusive: also if one is inconclusive"
        ),
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option(min=0.0, help="how much further from parity a result may be; default: what its measure states"),
    ] = None,
    allow_other_runtime: Annotated[
        bool, typer.Option(help="compare results of two runtimes: transformers, vLLM, llama.cpp")
    ] = False,
    require_all: Annotated[
        bool,
        typer.Option("--require-all", help="exit with 1 if a result of the first file is in none of the later ones"),
    ] = False,
    markdown: Annotated[Path | None, typer.Option(help="also write the comparison as Markdown")] = None,
    report: Annotated[Path | None, typer.Option(help="also write the comparison as an HTML report")] = None,
) -> None:
    """Compare stored results with later ones; no model is needed.

    Exit codes: 0 success, 1 what --fail-on or --require-all names was found, 2 a usage error, an unreadable file, or
    results that cannot be compared.
    """
    from biascheck.gates.run_files import read_run
    from biascheck.results.baselines import compare_with_baseline

    results = [result for path in after for result in read_run(path).results]
    baseline = _baseline(before)
    judgement = compare_with_baseline(baseline, results, tolerance=tolerance, any_runtime=allow_other_runtime)
    _show(judgement)
    for path, write in ((markdown, _write_markdown), (report, _write_report)):
        if path is not None:
            _written(path, write, judgement)
    _refuse(judgement, baseline.entries, results)
    if (require_all and judgement.unused) or (fail_on is not None and _failed(judgement, fail_on)):
        raise typer.Exit(FAILED)


def _failed(judgement: BaselineComparison, fail_on: FailOn) -> bool:
    """A comparison without an interval, and a result on less than before, fail like a regression."""
    if judgement.shrunk or not all(one.passed for one in judgement.comparisons):
        return True
    return fail_on is FailOn.INCONCLUSIVE and any(one.verdict == "inconclusive" for one in judgement.comparisons)


def _baseline(path: Path) -> Baseline:
    """What to compare with: a file of results or a baseline."""
    from biascheck.gates.run_files import read_run
    from biascheck.results.baseline_files import read_baseline
    from biascheck.results.baselines import Baseline
    from biascheck.results.file_kinds import BASELINE, kind_of

    return read_baseline(path) if kind_of(path)[0] == BASELINE else Baseline(read_run(path).results)


def _show(judgement: BaselineComparison) -> None:
    from rich.console import Console

    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=10_000, no_color=True)
    with console.capture() as captured:
        console.print(_table(judgement))
    typer.echo("\n".join(line.rstrip() for line in captured.get().splitlines()))
    typer.echo(tally(judgement.comparisons) or "nothing compared")
    for finding in judgement.shrunk:
        typer.echo(escape_control(f"fewer items: {finding.title}: {finding.reason}"))
    for title in judgement.new:
        typer.echo(f"only after: {escape_control(title)}")
    for title in judgement.unused:
        typer.echo(f"only before: {escape_control(title)}")


def _table(judgement: BaselineComparison) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for heading in ("verdict", "measure · corpus", "models", "before → after", "change", "moved most"):
        table.add_column(heading)
    for one in sorted(judgement.comparisons, key=lambda one: ORDER.index(one.verdict)):
        cells = (
            f"{one.measure} · {one.corpus}",
            one.models,
            one.figures,
            one.moved_and_tolerated,
            ", ".join(map(str, one.moves[:3])) if one.change else "",
        )
        table.add_row(
            Text(str(one.verdict), style=COLOURS[one.verdict]), *(Text(escape_control(cell)) for cell in cells)
        )
    return table


def _write_markdown(path: Path, judgement: BaselineComparison) -> None:
    from biascheck.files import write_atomically
    from biascheck.report.markdown import comparison_table

    write_atomically(path, comparison_table(judgement))


def _write_report(path: Path, judgement: BaselineComparison) -> None:
    from biascheck.report import write_comparison_html

    write_comparison_html(path, judgement)


def _written(path: Path, write: Callable[[Path, BaselineComparison], None], judgement: BaselineComparison) -> None:
    try:
        write(path, judgement)
    except OSError as error:
        raise BiascheckError(f"{path} cannot be written ({error.strerror}); name another place") from error
    typer.echo(f"written: {path}")


def _refuse(judgement: BaselineComparison, before: Sequence[Result], after: Sequence[Result]) -> None:
    """Fail where results cannot be compared, or where the files have none in common."""
    if judgement.refused:
        listed = "\n".join(f"  {refusal.title}: {refusal.reason}" for refusal in judgement.refused)
        raise UsageError(f"{pluralize(len(judgement.refused), 'result')} cannot be compared:\n{listed}")
    if not judgement.comparisons:
        raise UsageError(f"the files have no result in common; {_remedy(before, after)}")


def _remedy(before: Sequence[Result], after: Sequence[Result]) -> str:
    """What to compare instead, where only the treatment of the models tells the questions apart."""
    treated = {(one.measure, one.corpus, one.slice): one.treatment for one in before}
    for one in after:
        known = treated.get((one.measure, one.corpus, one.slice))
        if known is not None and known != one.treatment:
            first, second = ("·".join(treatment) or "as it comes" for treatment in (known, one.treatment))
            return f"one model is treated otherwise ({first}, and {second}); compare runs with the same --bias-framing"
    return "compare runs of the same suites"
