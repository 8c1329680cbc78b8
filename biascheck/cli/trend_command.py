"""Follow figures over stored runs; no model is needed."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from biascheck.errors import BiascheckError, UsageError
from biascheck.wording import escape_control, pluralize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from biascheck.gates.trends import Trend

__all__ = ["trend"]

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
        typer.Option("--fail-on-regression", help="exit with 1 if a figure regressed, or could not be compared"),
    ] = False,
    allow_other_runtime: Annotated[
        bool, typer.Option(help="compare figures of two runtimes: transformers, vLLM, llama.cpp")
    ] = False,
) -> None:
    """Show every figure over checkpoints or dates, and where it first got worse than in the first run."""
    from biascheck.cache.progress import progress
    from biascheck.gates.run_files import read_run
    from biascheck.gates.trends import dated, trends_of

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
        _write(report, trends)
    if fail_on_regression and (worse or unknown):
        raise typer.Exit(TREND_FAILED)


def _named(paths: list[Path]) -> dict[str, Path]:
    """The files by the shortest name that tells them apart."""
    if len({path.resolve() for path in paths}) < len(paths):
        raise UsageError("a file is named twice; give each run once")
    stems = [path.stem for path in paths]
    return {path.stem if stems.count(path.stem) == 1 else str(path.with_suffix("")): path for path in paths}


def _write(path: Path, trends: Sequence[Trend]) -> None:
    from biascheck.report.sections.trend_page import write_trend_html

    try:
        write_trend_html(path, trends)
    except OSError as error:
        raise BiascheckError(f"{path} cannot be written ({error.strerror}); name another place") from error
    typer.echo(f"written: {path}")
