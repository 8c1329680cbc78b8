"""Fine-tune sentiment classifiers on several base models under several conditions, and compare their deltas."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from biascheck.errors import UsageError

if TYPE_CHECKING:
    from biascheck.studies import GridRow, SentimentGrid

__all__ = ["grid"]


def grid(
    model: Annotated[
        list[str] | None, typer.Option(help="base model; repeat for several (default: the paper's seven)")
    ] = None,
    data: Annotated[Path | None, typer.Option(help="folder with imdb/ (default: $BIASCHECK_DATA)")] = None,
    out: Annotated[Path, typer.Option(help="file for the scores; the page goes beside it as .html")] = Path("grid.npz"),
    condition: Annotated[
        list[str] | None, typer.Option(help="original, R-x or mix-x; repeat (default: the paper's seven)")
    ] = None,
    scale: Annotated[float, typer.Option(help="take this fraction of the reviews and epochs")] = 1.0,
    maps: Annotated[Path | None, typer.Option(help="term_maps.json of the authors (default: our term sets)")] = None,
    further: Annotated[bool, typer.Option("--further", help="also other batch sizes and crossed term sets")] = False,
    ours: Annotated[bool, typer.Option("--ours", help="reviews as they are, a mix with as many steps")] = False,
    seed: Annotated[int, typer.Option(min=0, help="seed of all draws")] = 0,
) -> None:
    """Run the experiment of Jentzsch & Turan (2022): base models × training conditions × term sets.

    Run the same command again after an interruption: classifiers and scores that are finished come from the cache. No
    text of a review is written, only ids and scores.
    """
    from biascheck.reproduce.grid_page import write_grid_page
    from biascheck.studies import write_grid
    from biascheck.studies.paper_grid import layers_of

    if not 0 < scale <= 1:
        raise UsageError(f"a scale of {scale:g} is not possible; give one above 0 and up to 1, e.g. 0.02")
    declared = _declared(model or (), data, condition, scale, maps, further=further, ours=ours, seed=seed)
    rows = []
    for row in declared.run():
        rows.append(row)
        typer.echo(_line(row))
    write_grid(out, rows)
    layers = {base.name: float(layers_of(base)) for base in declared.models}
    write_grid_page(out.with_suffix(".html"), rows, layers=layers, scale=scale, seed=seed)
    typer.echo(f"written: {out} and {out.with_suffix('.html')}")


def _declared(
    models: Sequence[str],
    data: Path | None,
    conditions: Sequence[str] | None,
    scale: float,
    maps: Path | None,
    *,
    further: bool,
    ours: bool,
    seed: int,
) -> SentimentGrid:
    from biascheck.corpora import as_coded, published_imdb
    from biascheck.corpora.rewriting.terms import TERM_NAMES
    from biascheck.model_specs import load
    from biascheck.studies import MODELS, paper_grid
    from biascheck.studies.paper_grid import BATCHES, CONDITIONS, REVIEWS

    names = models or [one.hub_id for one in MODELS.values()]
    count = max(20, round(REVIEWS * scale))
    return paper_grid(
        [load(name, lazy=True) for name in names],
        published_imdb(data, "train", limit=count),
        published_imdb(data, "test", limit=count),
        conditions=conditions or CONDITIONS,
        term_sets={} if maps is None else {name: as_coded(name, maps) for name in TERM_NAMES},
        batches=BATCHES if further else (),
        crossed=further,
        mix="as many" if ours else "doubled",
        clean=not ours,
        fraction=scale,
        seed=seed,
    )


def _line(row: GridRow) -> str:
    """A cell in one line."""
    found, quality = row.summary, row.quality
    return (
        f"{row.cell}: total {found.total:+.4f}, absolute {found.absolute:.4f}, accuracy {quality.accuracy:.3f}, "
        f"F1 ({quality.of_class}) {quality.f1:.3f} on {quality.n:,} reviews"
    )
