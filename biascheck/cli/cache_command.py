"""The cache of results."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["cache_app"]

cache_app = typer.Typer(help="Results kept from earlier runs.", no_args_is_help=True)


@cache_app.command()
def info() -> None:
    """Tell where the cache is and how much it holds."""
    from biascheck.cache.document_cache import results_cache

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

    from biascheck.cache.document_cache import cache_folder, results_cache

    typer.echo(f"removed {results_cache().clear()} results")
    if bundled_models:
        shutil.rmtree(cache_folder() / "models", ignore_errors=True)
        typer.echo("removed the written copies of bundled models; the next run writes them again")
