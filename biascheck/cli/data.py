"""``biascheck data`` and ``biascheck cache``: the published data sets, and what is in the cache folder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from biascheck.core.errors import UsageError
from biascheck.core.inventory import KINDS, Clearance, Kind

if TYPE_CHECKING:
    from biascheck.corpora.published import DataSet


# The published data sets: list them, fetch them, and check that they are what was published.

data_app = typer.Typer(help="List, fetch and verify the published data sets of the suites.", no_args_is_help=True)

Folder = Annotated[Path | None, typer.Option("--to", help="the data directory; BIASCHECK_DATA unless given")]


@data_app.command("list")
def list_() -> None:
    """List the data sets with their licence, size and source."""
    from biascheck.corpora.published import data_sets

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
        bool, typer.Option("--accept-licence", help="accept the shown licences without a prompt")
    ] = False,
    mirror: Annotated[
        str, typer.Option(help="another address, with {set} and {name}, or {source}, {commit} and {path}")
    ] = "",
) -> None:
    """Download data sets from their pinned addresses. Each licence is shown and must be accepted once."""
    from biascheck.core.progress import progress
    from biascheck.corpora import published as downloads

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
    names: Annotated[list[str] | None, typer.Argument(help="data sets; default: all in the folder")] = None,
    to: Folder = None,
) -> None:
    """Check that every file is the published one; exit with 1 if one is missing or changed."""
    from biascheck.corpora import published as downloads

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
    from biascheck.corpora.published import data_directory

    folder = data_directory(to)
    if folder is None:
        raise UsageError("no data directory is named; give --to DIR or set the environment variable BIASCHECK_DATA")
    return folder


def _chosen(names: list[str]) -> Sequence[DataSet]:
    from biascheck.corpora.published import data_set, data_sets

    return data_sets() if names == ["all"] else [data_set(name) for name in names]


# The cache folder: show and clear it.

cache_app = typer.Typer(help="Show or clear what earlier runs left in the cache.", no_args_is_help=True)

_ONE = {"scores": "chunk of scores", "staging": "unfinished file or folder", "other": "file of others"}
_MANY = {"scores": "chunks of scores", "staging": "unfinished files or folders", "other": "files of others"}


@cache_app.command()
def info() -> None:
    """Show the place of the cache, its size by kind, and the files in use."""
    from biascheck.core.inventory import entries_in, in_use
    from biascheck.core.store import cache_folder

    folder = cache_folder()
    found = [(entry.kind, entry.bytes) for entry in entries_in(folder)]
    typer.echo(f"{folder}: {_megabytes(size for _, size in found)}")
    for kind, sizes in _by_kind(found).items():
        typer.echo(f"  {_counted(kind, len(sizes))}, {_megabytes(sizes)}")
    for used in in_use(folder):
        typer.echo(f"in use: {used.path.relative_to(folder)} by {used.by}")


@cache_app.command()
def clear(
    only: Annotated[
        list[str] | None, typer.Option(help="remove only this kind, such as results or models; may be repeated")
    ] = None,
) -> None:
    """Remove everything biascheck wrote there, trained checkpoints included, except files in use by a process."""
    from biascheck.core import inventory
    from biascheck.core.store import cache_folder

    folder, kinds = cache_folder(), _kinds(only)
    try:
        cleared = inventory.clear(folder, kinds)
    except OSError as error:
        raise UsageError(f"{folder} cannot be cleared ({error}); make it writable, or remove it by hand") from error
    _tell(folder, cleared)
    others = sum(entry.kind == "other" for entry in inventory.entries_in(folder))
    if others:
        typer.echo(f"left alone: {_counted('other', others)}, which biascheck did not write")


def _kinds(only: list[str] | None) -> list[Kind]:
    unknown = [name for name in only or [] if name not in KINDS[:-1]]
    if unknown:
        raise UsageError(f"no kind {unknown[0]!r} in the cache; there are: {', '.join(KINDS[:-1])}")
    return [kind for kind in KINDS if not only or kind in only]


def _tell(folder: Path, cleared: Clearance) -> None:
    counted = ", ".join(_counted(kind, len(sizes)) for kind, sizes in _by_kind(cleared.removed).items())
    typer.echo(f"removed {counted or 'nothing'} ({_megabytes(size for _, size in cleared.removed)})")
    for used in cleared.kept:
        typer.echo(f"not removed: {used.path.relative_to(folder)} is in use by {used.by}")


def _by_kind(found: Iterable[tuple[Kind, int]]) -> dict[Kind, list[int]]:
    listed = list(found)
    sizes = {kind: [size for of, size in listed if of == kind] for kind in KINDS}
    return {kind: each for kind, each in sizes.items() if each}


def _counted(kind: Kind, count: int) -> str:
    if count == 1:
        return f"1 {_ONE.get(kind, kind.removesuffix('s'))}"
    return f"{count:,} {_MANY.get(kind, kind)}"


def _megabytes(sizes: Iterable[int]) -> str:
    return f"{sum(sizes) / 1e6:.1f} MB"
