"""Fine-tune a model on counterfactual text, and show what that changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from biascheck.errors import UsageError

if TYPE_CHECKING:
    from biascheck.corpora import Documents, NameMap
    from biascheck.debias import LanguageRecipe
    from biascheck.debias.language_checkpoints import LanguageModel
    from biascheck.results.comparison import Comparison

__all__ = ["debias"]


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

    from biascheck.cache.document_cache import caching, results_cache
    from biascheck.corpora import read_documents
    from biascheck.debias import checkpoint_folder, fine_tune, recipe_named, treated
    from biascheck.files import staged_folder
    from biascheck.model_specs import load

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
    """What the paper of the recipe's objective reports, before and after."""
    (_show_pronouns if recipe.objective == "pronouns" else _show_associations)(base, after, documents, recipe)


def _show_pronouns(base: LanguageModel, after: LanguageModel, documents: Documents, recipe: LanguageRecipe) -> None:
    """Names, skew and stereotype beside Manela's Tables 1 and 2, and the pronouns told wrongly on text kept aside."""
    from biascheck.debias import held_out
    from biascheck.measures import pronoun_error
    from biascheck.measures.tables.pronoun_table import pronoun_table, text_of_pronouns
    from biascheck.release import suites_home
    from biascheck.results.comparison import compare
    from biascheck.results.published_figures import PublishedFigures

    figures = PublishedFigures.read(suites_home() / "published.toml")
    trained_like = "BERT-A" if recipe.treatment == "cda" else "BERT-U"
    rows = pronoun_table(base, after, figures, trained_like)
    typer.echo(text_of_pronouns(rows))
    for warning in dict.fromkeys(warning for row in rows for warning in row.warnings):
        typer.echo(f"warning: {warning}")
    aside = held_out(documents, recipe)
    typer.echo(_growth(compare(pronoun_error(base, aside), pronoun_error(after, aside))))


def _show_associations(base: LanguageModel, after: LanguageModel, documents: Documents, recipe: LanguageRecipe) -> None:
    """Bartl's table where the language is English, the mean size of the gaps, and the loss on what was kept aside."""
    from biascheck.corpora import bec_pro
    from biascheck.debias import held_out
    from biascheck.measures import absolute_gap, association, held_out_loss, mitigation_table
    from biascheck.measures.tables.mitigation_table import text_of
    from biascheck.results.comparison import compare

    corpus = bec_pro(documents.language)
    before, later = association(base, corpus), association(after, corpus)
    if documents.language == "en":
        typer.echo(text_of(mitigation_table(before, later)))
    typer.echo(compare(absolute_gap(before), absolute_gap(later)).finding)
    if not recipe.validation:
        typer.echo(f"{recipe.name} keeps nothing aside, so that no loss is compared")
        return
    aside = held_out(documents, recipe)
    typer.echo(_growth(compare(held_out_loss(base, aside), held_out_loss(after, aside))))


def _growth(change: Comparison) -> str:
    """A loss has no groups and no parity: what it was, what it is, and the interval of the difference."""
    return f"{change.title}: {change.figures}, {change.moved} ({change.n:,} {change.unit})"
