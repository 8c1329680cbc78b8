"""The published data sets: list them, fetch them, and check that they are what was published."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from biascheck.errors import UsageError

if TYPE_CHECKING:
    from biascheck.corpora.fetching.data_sets import DataSet

__all__ = ["data_app"]

data_app = typer.Typer(help="List, fetch and verify the published data sets of the suites.", no_args_is_help=True)

Folder = Annotated[Path | None, typer.Option("--to", help="the data directory; BIASCHECK_DATA unless given")]


@data_app.command("list")
def list_() -> None:
    """List the data sets: what they are, their licence, their size and where they come from."""
    from biascheck.corpora.fetching.data_sets import data_sets

    rows = [("name", "what", "licence", "files", "size", "source")]
    for one in data_sets():
        size = f"{one.bytes / 1e6:.1f} MB"
        rows.append((one.name, one.title, one.licence, str(len(one.files)), size, f"{one.source} ({one.commit})"))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        typer.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


@data_app.command()
def fetch(
    names: Annotated[list[str], typer.Argument(help="data sets, or all")],
    to: Folder = None,
    accept_licence: Annotated[
        bool, typer.Option("--accept-licence", help="accept the licences that are shown, without being asked")
    ] = False,
    mirror: Annotated[
        str, typer.Option(help="another address, with {set} and {name}, or {source}, {commit} and {path}")
    ] = "",
) -> None:
    """Download data sets from their pinned addresses. Each licence is shown and must be accepted once."""
    from biascheck.cache.progress import progress
    from biascheck.corpora.fetching import downloads

    folder = _folder(to)
    for one in _chosen(names):
        if not downloads.accepted_licence(one, folder):
            typer.echo(f"{one.name}: {one.title}. Source: {one.source}. Licence: {one.licence}")
            if not accept_licence and not typer.confirm("Do you accept this licence?"):
                raise UsageError(f"{one.name} was not fetched: its licence was not accepted")
            downloads.accept_licence(one, folder)
        with progress(f"downloading {one.name}", one.bytes, unit="bytes") as advance:
            files = downloads.fetch(one, folder, mirror=mirror, tell=typer.echo, advance=advance)
        typer.echo(f"{one.name}: {len(files)} files in {folder / one.name}")
    typer.echo(f"use them with --bias-data {folder}")


@data_app.command()
def verify(
    names: Annotated[list[str] | None, typer.Argument(help="data sets; all that are there unless given")] = None,
    to: Folder = None,
) -> None:
    """Check that every file is the published one; a missing or changed file ends with exit code 1."""
    from biascheck.corpora.fetching import downloads

    folder = _folder(to)
    wrong = 0
    chosen = _chosen(names or ["all"])
    for one in chosen:
        states = downloads.verify(one, folder)
        if not names and all(state.state == "missing" for state in states):
            continue
        bad = [state for state in states if state.state != "as published"]
        wrong += len(bad)
        typer.echo(f"{one.name}: {len(states) - len(bad)} of {len(states)} files are as published")
        for state in bad:
            typer.echo(f"  {state.state}: {one.name}/{state.name}")
    if wrong:
        raise typer.Exit(1)


def _folder(to: Path | None) -> Path:
    from biascheck.corpora.datasets.data_directory import data_directory

    folder = data_directory(to)
    if folder is None:
        raise UsageError("no data directory is named; give --to DIR or set the environment variable BIASCHECK_DATA")
    return folder


def _chosen(names: list[str]) -> Sequence[DataSet]:
    from biascheck.corpora.fetching.data_sets import data_set, data_sets

    return data_sets() if names == ["all"] else [data_set(name) for name in names]
