"""Run the tables and figures of a paper on a model, beside what was printed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["reproduce"]


def reproduce(
    paper: Annotated[str, typer.Argument(help="basta2019, bartl2020, jentzsch2022, kurita2019 or manela2021")],
    model: Annotated[str, typer.Option(help="a folder, a Hub id, a bundled name, encoder:MODEL or vectors:FILE")],
    table: Annotated[
        list[str] | None, typer.Option(help="only this table: 3, 'figure 1', 'section 4'; repeat for several")
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="folder with the published data sets (default: $BIASCHECK_DATA)")
    ] = None,
    scale: Annotated[float, typer.Option(help="run on this fraction of data and epochs; every figure says so")] = 1.0,
    out: Annotated[Path | None, typer.Option(help="page to write; the figures go beside it as .json")] = None,
    seed: Annotated[int, typer.Option(min=0, help="seed of all draws")] = 0,
    estimate: Annotated[bool, typer.Option("--estimate", help="print how long it will take, and stop")] = False,
) -> None:
    """Reproduce a paper: its own procedure and ours, table by table, beside the printed figures.

    Run the same command again after an interruption: finished tables are kept, results and checkpoints come from the
    cache. Tables run one by one with --table gather on one page.
    """
    from biascheck.model_specs import load_any
    from biascheck.reproduce import Setting, default_place, paper_named, reproduce as run

    chosen = paper_named(paper)
    place_of_data = os.environ.get("BIASCHECK_DATA")
    folder = data or (Path(place_of_data) if place_of_data else None)
    setting = Setting(load_any(model, lazy=True), folder, scale, seed)
    place = out or default_place(chosen.name, setting.model_label, scale)
    found = run(chosen, setting, place, tables=table or (), estimate_only=estimate, say=typer.echo)
    if not estimate:
        typer.echo(found.counts)
        typer.echo(f"written: {place} and {place.with_suffix('.json')}")
