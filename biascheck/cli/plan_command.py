"""Say what a run would cost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from biascheck.cli.starter import FOLDER
from biascheck.release import suites_home

__all__ = ["plan"]


def plan(
    suites: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[SUITES]", help="tests to plan (default: bias/ here, else the suites of this package)"),
    ] = None,
    bias_model: Annotated[
        list[str] | None, typer.Option("--bias-model", help="model to plan for; default: that of pyproject.toml")
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option(help="any other option of pytest, such as --bias-dtype=float16")
    ] = None,
) -> None:
    """Say what measuring a model would cost: distinct inputs, tokens, memory, and time by a probe of two seconds.

    The same as pytest SUITES --bias-model MODEL --bias-plan. Nothing is judged and nothing is written. A served model
    gets a handshake and no other request.
    """
    import pytest

    chosen = suites or [Path(FOLDER) if Path(FOLDER).is_dir() else suites_home()]
    models = [part for name in bias_model or [] for part in ("--bias-model", name)]
    quiet = ("-qq", "-rN", "-p", "no:cacheprovider", "--no-header", "--disable-warnings")
    code = pytest.main([*map(str, chosen), *models, "--bias-plan", *quiet, *(option or [])])
    raise typer.Exit(int(code))
