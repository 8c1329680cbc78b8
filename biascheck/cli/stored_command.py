"""Render stored results as a report or a model card; no model is needed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from biascheck.errors import BiascheckError

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
) -> None:
    """Write a fragment for a model card: metadata for the Hugging Face Hub, and a Markdown section."""
    from biascheck.files import write_atomically
    from biascheck.gates.run_files import read_run
    from biascheck.report.hub_card import card_of

    text = card_of(read_run(results), model)
    if out is None:
        typer.echo(text, nl=False)
        return
    try:
        write_atomically(out, text)
    except OSError as error:
        raise BiascheckError(f"{out} cannot be written ({error.strerror}); name another place with --out") from error
    typer.echo(f"written: {out}")
