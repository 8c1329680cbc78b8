"""Start a project with bias gates."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from biascheck.cli.starter import (
    GITLAB,
    GITLAB_ROOT,
    FileOutcome,
    chosen_suites,
    next_steps,
    starter_files,
    write_starter,
)
from biascheck.errors import BiascheckError

__all__ = ["init"]


class Ci(StrEnum):
    """For which CI a workflow is written."""

    GITHUB = "github"
    GITLAB = "gitlab"
    BOTH = "both"
    NONE = "none"


def init(
    folder: Annotated[Path, typer.Argument(metavar="[DIR]", help="the project; bias/ is written into it")] = Path(),
    suites: Annotated[str, typer.Option(help="suites, separated by commas, or all")] = "all",
    ci: Annotated[Ci, typer.Option(help="the CI system to write a workflow for")] = Ci.GITHUB,
    model: Annotated[str, typer.Option(help="the model that CI measures: a folder or a Hub id")] = "./checkpoint",
    force: Annotated[bool, typer.Option("--force", help="overwrite files that you have edited")] = False,
) -> None:
    """Write a folder bias/ with suites, margins and a test of your own, and a workflow for CI.

    Run it again after an upgrade: files that you have not edited are refreshed, edited ones are kept unless you agree.
    """
    chosen = chosen_suites(suites)
    systems = {Ci.BOTH: ["github", "gitlab"], Ci.NONE: []}.get(ci, [str(ci)])
    files = starter_files(chosen, systems, model)
    if foreign := _foreign_gitlab(folder, files):
        del files[GITLAB_ROOT]
    try:
        outcomes = write_starter(folder, files, lambda name: force or _agreed(name))
    except OSError as error:
        raise BiascheckError(f"{folder} cannot be written ({error.strerror}); name another folder") from error
    _tell(outcomes)
    if foreign:
        typer.echo(f"add to your {GITLAB_ROOT}:\n  include:\n    - local: {GITLAB}")
    typer.echo("next:")
    for step in next_steps(folder, systems, model):
        typer.echo(f"  {step}")


def _foreign_gitlab(folder: Path, files: dict[str, str]) -> bool:
    """A .gitlab-ci.yml of the user's own is never ours to change."""
    path = folder / GITLAB_ROOT
    return GITLAB_ROOT in files and path.exists() and path.read_text(encoding="utf-8") != files[GITLAB_ROOT]


def _agreed(name: str) -> bool:
    return sys.stdin.isatty() and typer.confirm(f"{name} was edited. Overwrite it?", default=False)


def _tell(outcomes: dict[str, FileOutcome]) -> None:
    for outcome in FileOutcome:
        names = [name for name, found in outcomes.items() if found is outcome]
        if outcome is FileOutcome.UNCHANGED and names:
            typer.echo(f"{outcome}: {len(names)} files")
            continue
        for name in names:
            typer.echo(f"{outcome}: {name}")
    if FileOutcome.KEPT in outcomes.values():
        typer.echo("--force overwrites edited files")
