"""Fine-tune sentiment classifiers on several base models under several conditions, and compare their deltas."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from biascheck.errors import UsageError

if TYPE_CHECKING:
    from biascheck.engines.engine_choice import EngineChoice
    from biascheck.studies import GridRow, SentimentGrid

__all__ = ["GridRequest", "fill_cache", "grid"]


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
    engine: Annotated[
        str, typer.Option(help="where classifiers are trained: local, ray, auto, HOST:PORT or ray://HOST:PORT")
    ] = "local",
    engine_actors: Annotated[int | None, typer.Option(help="classifiers at a time (default: as many as fit)")] = None,
    engine_cpus: Annotated[float, typer.Option(help="processors for each classifier")] = 1.0,
    engine_gpus: Annotated[float, typer.Option(help="GPUs for each classifier")] = 0.0,
    engine_threads: Annotated[int | None, typer.Option(help="threads of each (default: its processors)")] = None,
) -> None:
    """Run the experiment of Jentzsch & Turan (2022): base models × training conditions × term sets.

    Run the same command again after an interruption: classifiers and scores that are finished come from the cache. No
    text of a review is written, only ids and scores. On a cluster, each classifier is a task; all machines need the
    same cache (a shared folder, or an address such as s3://… in BIASCHECK_CACHE).
    """
    from biascheck.engines.engine_choice import EngineChoice
    from biascheck.reproduce.grid_page import write_grid_page
    from biascheck.studies import write_grid
    from biascheck.studies.paper_grid import layers_of

    if not 0 < scale <= 1:
        raise UsageError(f"a scale of {scale:g} is not possible; give one above 0 and up to 1, e.g. 0.02")
    choice = EngineChoice(engine, actors=engine_actors, cpus=engine_cpus, gpus=engine_gpus, threads=engine_threads)
    requested = GridRequest(
        models=tuple(model or ()),
        data=None if data is None else data.absolute(),
        conditions=tuple(condition or ()),
        scale=scale,
        maps=None if maps is None else maps.absolute(),
        further=further,
        ours=ours,
        seed=seed,
        device="cuda" if engine_gpus else None,
    )
    if not choice.is_local:
        _train_on(choice, requested)
    declared = replace(requested, device=None).declared()
    rows = []
    for row in declared.run():
        rows.append(row)
        typer.echo(_line(row))
    write_grid(out, rows)
    layers = {base.name: float(layers_of(base)) for base in declared.models}
    write_grid_page(out.with_suffix(".html"), rows, layers=layers, scale=scale, seed=seed)
    typer.echo(f"written: {out} and {out.with_suffix('.html')}")


@dataclass(frozen=True)
class GridRequest:
    """A grid as the command line names it: plain values, from which every process declares the same grid."""

    models: tuple[str, ...]
    data: Path | None
    conditions: tuple[str, ...]
    scale: float
    maps: Path | None
    further: bool = False
    ours: bool = False
    seed: int = 0
    device: str | None = None

    def declared(self) -> SentimentGrid:
        """The grid itself."""
        from biascheck.corpora import as_coded, published_imdb
        from biascheck.corpora.rewriting.terms import TERM_NAMES
        from biascheck.model_specs import load
        from biascheck.studies import MODELS, paper_grid
        from biascheck.studies.paper_grid import BATCHES, CONDITIONS, REVIEWS

        names = self.models or tuple(one.hub_id for one in MODELS.values())
        count = max(20, round(REVIEWS * self.scale))
        maps = self.maps
        return paper_grid(
            [load(name, lazy=True, device=self.device) for name in names],
            published_imdb(self.data, "train", limit=count),
            published_imdb(self.data, "test", limit=count),
            conditions=self.conditions or CONDITIONS,
            term_sets={} if maps is None else {name: as_coded(name, maps) for name in TERM_NAMES},
            batches=BATCHES if self.further else (),
            crossed=self.further,
            mix="as many" if self.ours else "doubled",
            clean=not self.ours,
            fraction=self.scale,
            seed=self.seed,
        )


def _train_on(choice: EngineChoice, requested: GridRequest) -> None:
    """Let the cluster train and measure every classifier once; what it finds is in the cache then."""
    from biascheck.engines.ray_tasks import run_tasks

    groups = requested.declared().by_classifier()
    finished = run_tasks(choice, fill_cache, [(requested, number) for number in range(len(groups))])
    for done, (number, found) in enumerate(finished, 1):
        if isinstance(found, Exception):
            raise found
        typer.echo(f"{done} of {len(groups)} classifiers: {groups[number][0].model}·{groups[number][0].condition}")


def fill_cache(task: tuple[GridRequest, int]) -> int:
    """Train the classifier of one group of cells, and measure them; the checkpoint and the rows go to the cache."""
    requested, number = task
    grid = requested.declared()
    return sum(1 for _ in grid.run(grid.by_classifier()[number]))


def _line(row: GridRow) -> str:
    """A cell in one line."""
    found, quality = row.summary, row.quality
    return (
        f"{row.cell}: total {found.total:+.4f}, absolute {found.absolute:.4f}, accuracy {quality.accuracy:.3f}, "
        f"F1 ({quality.of_class}) {quality.f1:.3f} on {quality.n:,} reviews"
    )
