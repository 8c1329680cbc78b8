"""The ``biascheck`` command: draw stored results again, list models, calibrate, look after the cache."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from biascheck.errors import BiascheckError, UsageError

__all__ = ["app", "main"]

app = typer.Typer(help="Bias checks for language models.", no_args_is_help=True, add_completion=False)
cache_app = typer.Typer(help="Results kept from earlier runs.", no_args_is_help=True)
app.add_typer(cache_app, name="cache")


def main() -> None:
    """Run the command; an error of ours is one line, not a traceback."""
    try:
        app()
    except BiascheckError as error:
        typer.secho(f"biascheck: {error}", fg="red", err=True)
        sys.exit(2)


@app.command()
def report(
    results: Annotated[Path, typer.Argument(help="JSON file written by pytest --bias-results")],
    out: Annotated[Path | None, typer.Option(help="HTML file to write")] = None,
) -> None:
    """Draw the HTML report of stored results; no model is needed."""
    from biascheck.report import write_html
    from biascheck.storage import read_results

    target = out or results.with_suffix(".html")
    stored, gates = read_results(results)
    try:
        write_html(target, stored, gates)
    except OSError as error:
        raise BiascheckError(f"{target} cannot be written ({error.strerror}); name another place with --out") from error
    typer.echo(f"written: {target}")


@app.command()
def models() -> None:
    """List the models that need no download."""
    from biascheck.models.loading import BUNDLED
    from biascheck.models.references import REFERENCES
    from biascheck.standards.references import BUNDLED_DOSES

    for name in BUNDLED:
        typer.echo(f"{name:32} bundled: written into the cache on first use")
    for name in BUNDLED_DOSES:
        typer.echo(f"{'reference:' + name:32} bundled: its bias is known by construction")
    typer.echo(f"{'reference:planted(dose=0.3)':32} any dose from 0 to 1: trained on first use, then cached")
    for name in REFERENCES:
        typer.echo(f"{'reference:' + name:32} built in memory")
    typer.echo("Any folder or hub id of a masked or causal language model works too.")


@app.command()
def calibrate(
    doses: Annotated[str, typer.Option(help="doses of the standards, with commas between them")] = "0,0.25,0.5,0.75,1",
    parity_models: Annotated[int, typer.Option("--models", min=0, help="parity models to train")] = 20,
    trials: Annotated[int, typer.Option(min=1, help="simulated data sets for each gate and true value")] = 500,
    margins: Annotated[Path | None, typer.Option(help="a suite's margins.toml")] = None,
    real: Annotated[str, typer.Option(help="model whose variance the simulated data have")] = "minilm-mlm",
    out: Annotated[Path, typer.Option(help="folder for calibration.json, .svg and .md")] = Path("docs"),
) -> None:
    """Hold the measures and gates against models whose bias is known; training them takes most of an hour, once."""
    from rich.console import Console

    from biascheck.loading import load
    from biascheck.standards.calibration import calibrate
    from biascheck.standards.calibration_page import rich_tables, write_calibration
    from biascheck.standards.suite_gates import read_limits

    suite = Path("suites/margins.toml")
    found = calibrate(
        _doses(doses),
        models=parity_models,
        trials=trials,
        limits=read_limits(margins or (suite if suite.is_file() else None)),
        real=(load(real, lazy=True), real),
        tell=lambda line: typer.echo(line, err=True),
    )
    Console().print(*rich_tables(found), sep="\n")
    for path in write_calibration(found, out):
        typer.echo(f"written: {path}")


def _doses(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"--doses {text!r} is not understood; write numbers from 0 to 1, as in 0,0.5,1") from None


@cache_app.command()
def info() -> None:
    """Tell where the cache is and how much it holds."""
    from biascheck.models.cache import results_cache

    found = results_cache().info()
    typer.echo(f"{found.folder}: {found.entries} results, {found.bytes / 1e6:.1f} MB")


@cache_app.command()
def clear(
    bundled_models: Annotated[
        bool, typer.Option("--models", help="also remove written copies of bundled models")
    ] = False,
) -> None:
    """Remove all cached results."""
    import shutil

    from biascheck.models.cache import cache_folder, results_cache

    typer.echo(f"removed {results_cache().clear()} results")
    if bundled_models:
        shutil.rmtree(cache_folder() / "models", ignore_errors=True)
        typer.echo("removed the written copies of bundled models; the next run writes them again")
