"""Render stored results as a report or a model card; no model is needed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from biascheck.errors import BiascheckError, UsageError
from biascheck.release import require

if TYPE_CHECKING:
    from biascheck.gates.run import Run

__all__ = ["card", "report"]

Results = Annotated[Path, typer.Argument(help="JSON file written by pytest --bias-results")]


def report(results: Results, out: Annotated[Path | None, typer.Option(help="HTML file to write")] = None) -> None:
    """Render the HTML report of stored results; no model is needed."""
    from biascheck.gates.run_files import read_run
    from biascheck.report import write_report

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
    from biascheck.gates.run_files import read_run
    from biascheck.report.hub_card import hub_card_of

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

    from biascheck.report.eval_results import data_sets_named, eval_results_of

    if path is None or not given:
        raise UsageError("--eval-results FILE and --dataset ORG/NAME go together: an entry names a data set of the Hub")
    entries = eval_results_of(run, data_sets_named(given), model)
    return path, str(yaml.safe_dump(entries, allow_unicode=True, sort_keys=False))


def _write(path: Path, text: str, option: str) -> None:
    from biascheck.files import write_atomically

    try:
        write_atomically(path, text)
    except OSError as error:
        raise BiascheckError(f"{path} cannot be written ({error.strerror}); name another with {option}") from error
    typer.echo(f"written: {path}")
