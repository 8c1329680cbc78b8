"""The cache folder: what is in it, and how to empty it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from biascheck.cache.inventory import KINDS, Clearance, Kind
from biascheck.errors import UsageError

__all__ = ["cache_app"]

cache_app = typer.Typer(help="Show or clear what earlier runs left in the cache.", no_args_is_help=True)

_ONE = {"scores": "chunk of scores", "staging": "unfinished file or folder", "other": "file of others"}
_MANY = {"scores": "chunks of scores", "staging": "unfinished files or folders", "other": "files of others"}


@cache_app.command()
def info() -> None:
    """Show where the cache is, how much it holds of each kind, and what is in use."""
    from biascheck.cache.document_cache import cache_folder
    from biascheck.cache.inventory import entries_in, in_use

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
    """Remove everything biascheck wrote there, trained checkpoints included, except what a running process works on."""
    from biascheck.cache import inventory
    from biascheck.cache.document_cache import cache_folder

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
        typer.echo(f"kept: {used.path.relative_to(folder)} is in use by {used.by}")


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
