"""The command and its parts."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from biascheck.cli.calibrate import calibrate
from biascheck.cli.data import cache_app, data_app
from biascheck.cli.doctor import doctor, measures, models
from biascheck.cli.experiments import debias, grid, reproduce
from biascheck.cli.init import init
from biascheck.cli.run import plan, run
from biascheck.cli.stored import card, compare, report, trend
from biascheck.core.errors import BiascheckError
from biascheck.core.release import __version__
from biascheck.core.wording import escape_control

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
