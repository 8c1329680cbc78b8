"""The command and its parts."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from biascheck.cli.cache_command import cache_app
from biascheck.cli.calibrate_command import calibrate
from biascheck.cli.compare_command import compare
from biascheck.cli.data_command import data_app
from biascheck.cli.debias_command import debias
from biascheck.cli.doctor_command import doctor
from biascheck.cli.grid_command import grid
from biascheck.cli.init_command import init
from biascheck.cli.measures_command import measures
from biascheck.cli.models_command import models
from biascheck.cli.plan_command import plan
from biascheck.cli.reproduce_command import reproduce
from biascheck.cli.run_command import run
from biascheck.cli.stored_command import card, report
from biascheck.cli.trend_command import trend
from biascheck.errors import BiascheckError
from biascheck.release import __version__
from biascheck.wording import escape_control

__all__ = ["app", "main"]

app = typer.Typer(no_args_is_help=True, add_completion=False)
for command in (
    run,
    plan,
    init,
    report,
    compare,
    trend,
    card,
    measures,
    models,
    calibrate,
    debias,
    reproduce,
    grid,
    doctor,
):
    app.command()(command)
app.add_typer(cache_app, name="cache")
app.add_typer(data_app, name="data")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"biascheck {__version__}")
        raise typer.Exit


@app.callback()
def _biascheck(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Measure bias in language models, and gate on it. The gates themselves are run by pytest."""


def main() -> None:
    """Run the command; an error of ours is one line, not a traceback."""
    try:
        app()
    except BiascheckError as error:
        typer.secho(f"biascheck: {escape_control(str(error), lines=True)}", fg="red", err=True)
        sys.exit(2)
