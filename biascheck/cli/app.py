"""The command and its parts."""

from __future__ import annotations

import sys

import typer

from biascheck.cli.cache import cache_app
from biascheck.cli.calibrate import calibrate
from biascheck.cli.compare import compare
from biascheck.cli.debias import debias
from biascheck.cli.init import init
from biascheck.cli.models import models
from biascheck.cli.stored import card, report
from biascheck.errors import BiascheckError

__all__ = ["app", "main"]

app = typer.Typer(help="Bias checks for language models.", no_args_is_help=True, add_completion=False)
for command in (init, report, compare, card, models, calibrate, debias):
    app.command()(command)
app.add_typer(cache_app, name="cache")


def main() -> None:
    """Run the command; an error of ours is one line, not a traceback."""
    try:
        app()
    except BiascheckError as error:
        typer.secho(f"biascheck: {error}", fg="red", err=True)
        sys.exit(2)
