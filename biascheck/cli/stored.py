"""``biascheck report``, ``card``, ``compare`` and ``trend``: stored results; no model is needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from biascheck.core.errors import BiascheckError, UsageError
from biascheck.core.release import require
from biascheck.core.wording import escape_control, pluralize, tally

if TYPE_CHECKING:
    from rich.table import Table

    from biascheck.results.result import Result
    from biascheck.runs.baseline import Baseline, BaselineComparison
    from biascheck.runs.run import Run
    from biascheck.runs.trend import Trend


# Render stored results as a report or a model card; no model is needed.

Results = Annotated[Path, typer.Argument(help="JSON file written by pytest --bias-results")]


def report(results: Results, out: Annotated[Path | None, typer.Option(help="HTML file to write")] = None) -> None:
    """Render the HTML report of stored results; no model is needed."""
    from biascheck.report import write_report
    from biascheck.runs.file import read_run

    target = out or results.with_suffix(".html")
    run = read_run(results)
    try:
        write_report(target, run)
    except OSError as error:
        raise BiascheckError(f"{target} cannot be written ({error.strerror}); name another place with --out") from error
    typer.echo(f"written: {target}")


def card(
    results: Results,
    out: Annotated[Path | None, typer.Option(help="file to write (default: print the card)")] = None,
    model: Annotated[str | None, typer.Option(help="the model, if the file has results of several")] = None,
    eval_results: Annotated[
        Path | None, typer.Option("--eval-results", help="YAML file to write, as in .eval_results/bias.yaml")
    ] = None,
    dataset: Annotated[
        list[str] | None, typer.Option(help="data set of the Hub for --eval-results: ORG/NAME or CORPUS=ORG/NAME")
    ] = None,
) -> None:
    """Write a fragment for a model card: metadata for the Hugging Face Hub, and a Markdown section.

    With --eval-results, the file that the Hub reads from the folder .eval_results of a model is written as well.
    """
    from biascheck.report.cards import hub_card_of
    from biascheck.runs.file import read_run

    run = read_run(results)
    text = hub_card_of(run, model)
    if eval_results is not None or dataset:
        _write(*_eval_results(run, dataset or [], model, eval_results), "--eval-results")
    if out is not None:
        _write(out, text, "--out")
    elif eval_results is None:
        typer.echo(text, nl=False)


def _eval_results(run: Run, given: list[str], model: str | None, path: Path | None) -> tuple[Path, str]:
    require("--eval-results", "hub")
    import yaml

    from biascheck.report.cards import data_sets_named, eval_results_of

    if path is None or not given:
        raise UsageError("--eval-results FILE and --dataset ORG/NAME go together: an entry names a data set of the Hub")
    entries = eval_results_of(run, data_sets_named(given), model)
    return path, str(yaml.safe_dump(entries, allow_unicode=True, sort_keys=False))


def _write(path: Path, text: str, option: str) -> None:
    from biascheck.core.files import write_atomically

    try:
        write_atomically(path, text)
    except OSError as error:
        raise BiascheckError(f"{path} cannot be written ({error.strerror}); name another with {option}") from error
    typer.echo(f"written: {path}")


# Compare stored results: which moved away from parity?

FAILED = 1
COLOURS = {"regressed": "red", "invalid": "red", "inconclusive": "yellow", "no worse": "green", "improved": "green"}
ORDER = list(COLOURS)


class FailOn(StrEnum):
    """The verdicts that make the command fail; inconclusive includes regressed."""

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
    results that are not comparable.
    """
    from biascheck.runs.baseline import compare_with_baseline
    from biascheck.runs.file import read_run

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
    """Whether the command fails; a comparison without an interval or on fewer items counts as a regression."""
    if judgement.shrunk or not all(one.passed for one in judgement.comparisons):
        return True
    return fail_on is FailOn.INCONCLUSIVE and any(one.verdict == "inconclusive" for one in judgement.comparisons)


def _baseline(path: Path) -> Baseline:
    """What to compare with: a file of results or a baseline."""
    from biascheck.results.codec import BASELINE, kind_of
    from biascheck.runs.baseline import Baseline, read_baseline
    from biascheck.runs.file import read_run

    return read_baseline(path) if kind_of(path) == BASELINE else Baseline(read_run(path).results)


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
    from biascheck.core.files import write_atomically
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
    """Fail if results are not comparable, or if the files have none in common."""
    if judgement.refused:
        listed = "\n".join(f"  {refusal.title}: {refusal.reason}" for refusal in judgement.refused)
        raise UsageError(f"{pluralize(len(judgement.refused), 'result')} not comparable:\n{listed}")
    if not judgement.comparisons:
        raise UsageError(f"the files have no result in common; {_remedy(before, after)}")


def _remedy(before: Sequence[Result], after: Sequence[Result]) -> str:
    """What to compare instead, if the questions differ only in the treatment of the models."""
    treated = {(one.measure, one.corpus, one.slice): one.treatment for one in before}
    for one in after:
        known = treated.get((one.measure, one.corpus, one.slice))
        if known is not None and known != one.treatment:
            first, second = ("·".join(treatment) or "as it comes" for treatment in (known, one.treatment))
            return (
                f"the models are treated differently ({first}, and {second}); compare runs with the same --bias-framing"
            )
    return "compare runs of the same suites"


# Follow figures over stored runs; no model is needed.

TREND_FAILED = 1


def trend(
    results: Annotated[list[Path], typer.Argument(help="JSON files written by pytest --bias-results")],
    report: Annotated[Path | None, typer.Option(help="HTML page to write")] = None,
    as_given: Annotated[bool, typer.Option("--as-given", help="in the order of the files, not of dates")] = False,
    tolerance: Annotated[
        float | None, typer.Option(min=0.0, help="how much further from parity a figure may be than at first")
    ] = None,
    fail_on_regression: Annotated[
        bool,
        typer.Option("--fail-on-regression", help="exit with 1 if a figure regressed, or is not comparable"),
    ] = False,
    allow_other_runtime: Annotated[
        bool, typer.Option(help="compare figures of two runtimes: transformers, vLLM, llama.cpp")
    ] = False,
) -> None:
    """Show every figure over checkpoints or dates, and where it first got worse than in the first run."""
    from biascheck.core.progress import progress
    from biascheck.runs.file import read_run
    from biascheck.runs.trend import dated, trends_of

    named = _named(results)
    runs = {}
    with progress("reading results", total=len(named), unit="files") as advance:
        for name, path in named.items():
            runs[name] = read_run(path)
            advance(1)
    comparing = partial(progress, "comparing", unit="figures")
    ordered = runs if as_given else dated(runs)
    trends = trends_of(ordered, tolerance=tolerance, any_runtime=allow_other_runtime, watching=comparing)
    if not trends:
        raise UsageError("no two of the files answer the same question; give results of the same suites")
    worse = [(one.title, point) for one in trends if (point := one.first_regression) is not None]
    typer.echo(f"{pluralize(len(trends), 'figure')} over {pluralize(len(runs), 'run')}: {len(worse)} regressed")
    for title, point in worse:
        moved = "" if point.change is None else f"{point.change.figures}, {point.change.moved_and_tolerated}"
        typer.echo(escape_control(f"  {title}: first worse in {point.label}: {moved}"))
    unknown = [(one.title, point) for one in trends for point in one.uncompared]
    for title, point in unknown:
        typer.echo(escape_control(f"  {title}: not compared in {point.label}: {point.uncompared}"))
    if report is not None:
        _write_trend(report, trends)
    if fail_on_regression and (worse or unknown):
        raise typer.Exit(TREND_FAILED)


def _named(paths: list[Path]) -> dict[str, Path]:
    """The files by their shortest distinct names."""
    if len({path.resolve() for path in paths}) < len(paths):
        raise UsageError("a file is named twice; give each run once")
    stems = [path.stem for path in paths]
    return {path.stem if stems.count(path.stem) == 1 else str(path.with_suffix("")): path for path in paths}


def _write_trend(path: Path, trends: Sequence[Trend]) -> None:
    from biascheck.report.trend_page import write_trend_html

    try:
        write_trend_html(path, trends)
    except OSError as error:
        raise BiascheckError(f"{path} cannot be written ({error.strerror}); name another place") from error
    typer.echo(f"written: {path}")
