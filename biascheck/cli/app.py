"""The command and its parts."""

from __future__ import annotations

import sys

import typer

from biascheck.cli.cache_command import cache_app
from biascheck.cli.calibrate_command import calibrate
from biascheck.cli.compare_command import compare
from biascheck.cli.debias_command import debias
from biascheck.cli.init_command import init
from biascheck.cli.measures_command import measures
from biascheck.cli.models_command import models
from biascheck.cli.stored_command import card, report
from biascheck.errors import BiascheckError
from biascheck.wording import visible

__all__ = ["app", "main"]

app = typer.Typer(help="Bias checks for language models.", no_args_is_help=True, add_completion=False)
for command in (init, report, compare, card, measures, models, calibrate, debias):
    app.command()(command)
app.add_typer(cache_app, name="cache")


def main() -> None:
    """Run the command; an error of ours is one line, not a traceback."""
    try:
        app()
    except BiascheckError as error:
        typer.secho(f"biascheck: {visible(str(error), lines=True)}", fg="red", err=True)
        sys.exit(2)
