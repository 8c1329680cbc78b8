"""Which models there are without a download."""

from __future__ import annotations

import typer

__all__ = ["models"]


def models() -> None:
    """List the models that need no download."""
    from biascheck.models.loading import BUNDLED
    from biascheck.models.references import REFERENCES
    from biascheck.standards.references import BUNDLED_DOSES

    for name in BUNDLED:
        typer.echo(f"{name:32} bundled: written into the cache on first use")
    for name in BUNDLED_DOSES:
        typer.echo(f"{'reference:' + name:32} bundled: its bias is known by construction")
    typer.echo(f"{'reference:planted(dose=0.3)':32} any dose from 0 to 1: trained on first use, then cached")
    for name in REFERENCES:
        typer.echo(f"{'reference:' + name:32} built in memory")
    typer.echo("Any folder or hub id of a masked or causal language model works too.")
