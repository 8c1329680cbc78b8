"""The ``biascheck`` command: draw stored results again, list models, look after the cache."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from biascheck.errors import BiascheckError

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

    for name in BUNDLED:
        typer.echo(f"{name:20} bundled: written into the cache on first use")
    for name in REFERENCES:
        typer.echo(f"{'reference:' + name:20} built in memory")
    typer.echo("Any folder or hub id of a masked or causal language model works too.")


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
