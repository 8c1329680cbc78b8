"""``biascheck debias``, ``grid`` and ``reproduce``: fine-tuned models, whole grids, the tables of a paper."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from biascheck.core.errors import UsageError

if TYPE_CHECKING:
    from biascheck.corpora import Documents, NameMap
    from biascheck.mitigation import LanguageRecipe
    from biascheck.mitigation.language import LanguageModel
    from biascheck.models.scoring.engine_choice import EngineChoice
    from biascheck.papers import GridRow, SentimentGrid
    from biascheck.results.compare import Comparison


# Fine-tune a model on counterfactual text, and show the changes.


def debias(
    model: Annotated[str, typer.Argument(help="a folder, a Hub id, a bundled name or reference:NAME")],
    text: Annotated[Path, typer.Option(help="text to train on: one per line, or a .tsv or .csv with a column Text")],
    out: Annotated[Path, typer.Option(help="folder to write the checkpoint to")],
    recipe: Annotated[str, typer.Option(help="name of the recipe")] = "lora",
    names: Annotated[Path | None, typer.Option(help="JSON file of name pairs (default: our own)")] = None,
    language: Annotated[str, typer.Option(help="language of the text: en or de")] = "en",
) -> None:
    """Fine-tune a language model by a recipe, and print how bias and loss changed.

    Run the same command again after an interruption: it resumes. Once finished, the checkpoint is taken from the cache.
    """
    import shutil

    from biascheck.core.files import staged_folder
    from biascheck.core.store import caching, results_cache
    from biascheck.corpora import read_documents
    from biascheck.loading import load
    from biascheck.mitigation import checkpoint_folder, fine_tune, recipe_named, treated

    if out.exists():
        raise UsageError(f"{out} exists; name another folder with --out, or remove it")
    chosen, documents, name_map = recipe_named(recipe), read_documents(text, language=language), _names(names)
    base = load(model, lazy=True)
    typer.echo(treated(documents, chosen, name_map=name_map).changes)
    after = fine_tune(base, documents, chosen, name_map=name_map)
    folder = checkpoint_folder(base, documents, chosen, name_map)
    with staged_folder(out) as staging:
        shutil.copytree(folder, staging, dirs_exist_ok=True)
    with caching(results_cache()):
        _show(base, after, documents, chosen)
    typer.echo(f"written: {out}")


def _names(path: Path | None) -> NameMap | None:
    from biascheck.corpora import published_names

    return None if path is None else published_names(path)


def _show(base: LanguageModel, after: LanguageModel, documents: Documents, recipe: LanguageRecipe) -> None:
    """The figures of the recipe's paper, before and after."""
    (_show_pronouns if recipe.objective == "pronouns" else _show_associations)(base, after, documents, recipe)


def _show_pronouns(base: LanguageModel, after: LanguageModel, documents: Documents, recipe: LanguageRecipe) -> None:
    """Names, skew and stereotype beside Manela's Tables 1 and 2, and the pronoun error on held-out text."""
    from biascheck.core.release import suites_home
    from biascheck.measures import pronoun_error
    from biascheck.measures.tables import pronoun_table, text_of_pronouns
    from biascheck.mitigation import held_out
    from biascheck.results.compare import compare
    from biascheck.results.published import PublishedFigures

    figures = PublishedFigures.read(suites_home() / "published.toml")
    trained_like = "BERT-A" if recipe.treatment == "cda" else "BERT-U"
    rows = pronoun_table(base, after, figures, trained_like)
    typer.echo(text_of_pronouns(rows))
    for warning in dict.fromkeys(warning for row in rows for warning in row.warnings):
        typer.echo(f"warning: {warning}")
    aside = held_out(documents, recipe)
    typer.echo(_growth(compare(pronoun_error(base, aside), pronoun_error(after, aside))))


def _show_associations(base: LanguageModel, after: LanguageModel, documents: Documents, recipe: LanguageRecipe) -> None:
    """Bartl's table where the language is English, the mean size of the gaps, and the held-out loss."""
    from biascheck.corpora import bec_pro
    from biascheck.measures import absolute_gap, association, held_out_loss, mitigation_table
    from biascheck.measures.tables import text_of
    from biascheck.mitigation import held_out
    from biascheck.results.compare import compare

    corpus = bec_pro(documents.language)
    before, later = association(base, corpus), association(after, corpus)
    if documents.language == "en":
        typer.echo(text_of(mitigation_table(before, later)))
    typer.echo(compare(absolute_gap(before), absolute_gap(later)).finding)
    if not recipe.validation:
        typer.echo(f"{recipe.name} has no held-out text, so that no loss is compared")
        return
    aside = held_out(documents, recipe)
    typer.echo(_growth(compare(held_out_loss(base, aside), held_out_loss(after, aside))))


def _growth(change: Comparison) -> str:
    """A change of loss, which has no groups and no parity: before, after, and the interval of the difference."""
    return f"{change.title}: {change.figures}, {change.moved} ({change.n:,} {change.unit})"


# Fine-tune sentiment classifiers on several base models under several conditions, and compare their deltas.


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
    from biascheck.models.scoring.engine_choice import EngineChoice
    from biascheck.papers import write_grid
    from biascheck.papers.grid import layers_of
    from biascheck.papers.page import write_grid_page

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
        from biascheck.loading import load
        from biascheck.papers import MODELS, paper_grid
        from biascheck.papers.grid import BATCHES, CONDITIONS, REVIEWS

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
    """Train and measure every classifier once on the cluster; its results go to the cache."""
    from biascheck.models.scoring.ray import run_tasks

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


# Run the tables and figures of a paper on a model, beside the printed ones.


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
    from biascheck.loading import load_any
    from biascheck.papers import Setting, default_place, paper_named, reproduce as run

    chosen = paper_named(paper)
    place_of_data = os.environ.get("BIASCHECK_DATA")
    folder = data or (Path(place_of_data) if place_of_data else None)
    setting = Setting(load_any(model, lazy=True), folder, scale, seed)
    place = out or default_place(chosen.name, setting.model_label, scale)
    found = run(chosen, setting, place, tables=table or (), estimate_only=estimate, say=typer.echo)
    if not estimate:
        typer.echo(found.counts)
        typer.echo(f"written: {place} and {place.with_suffix('.json')}")
