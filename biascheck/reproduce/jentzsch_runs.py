"""The classifiers behind the tables of Jentzsch & Turan (2022), trained and measured once for all tables."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from biascheck.corpora import Reviews, Rewriter, TermSet, as_coded, published_imdb, written_reviews
from biascheck.corpora.rewriting.terms import GENDERS, TERM_NAMES, TermName
from biascheck.errors import CapabilityError
from biascheck.models.adapters.transformers import TransformersModel
from biascheck.models.capabilities import require_capability, scores_text
from biascheck.reproduce.cells import Absent
from biascheck.reproduce.setting import Setting
from biascheck.results.attachments import Table
from biascheck.studies import GridRow, SentimentGrid, paper_grid
from biascheck.studies.paper_grid import BATCHES, REVIEWS, row_for

__all__ = ["GridRows", "both_grids", "cells_of", "example", "family_row", "further_rows", "grids_for"]

GridRows = tuple[GridRow, ...]
Variant = Literal["ours", "as published"]
MAPS = ("jentzsch", "term_maps.json")
OTHER = Absent("Another base model; run reproduce with it", "not applicable")


def cells_of(row: GridRow) -> tuple[str, ...]:
    """The names that a row has in the paper's tables: original-pro in Tables 1 to 4, original in Tables 5 and 6."""
    if row.cell.condition.terms is None:
        return f"original-{row.cell.terms}", "original"
    return (f"{row.cell.condition.treatment}-{row.cell.condition.terms}",)


def family_row(setting: Setting) -> str:
    """The row of the model under test in the paper's tables: that of its architecture and size."""
    model = _base(setting).torch_model
    row = row_for(type(model).__name__, sum(weights.numel() for weights in model.parameters()))
    if row is None:
        raise CapabilityError(f"{setting.model.name} is a {type(model).__name__}; the paper has none of that family")
    return row


def grids_for(setting: Setting, model: str) -> tuple[GridRows | Absent, GridRows | Absent]:
    """The nine rows of a model of the paper, ours and as published: they are there for the model under test."""
    family = setting.tried(family_row, setting)
    if isinstance(family, Absent):
        return family, family
    return both_grids(setting) if model == family else (OTHER, OTHER)


def both_grids(setting: Setting) -> tuple[GridRows | Absent, GridRows | Absent]:
    """The nine rows of the model under test: ours, and as published."""
    return setting.tried(_rows, setting, "ours"), setting.tried(_rows, setting, "as published")


def further_rows(setting: Setting) -> GridRows:
    """As published, with further batch sizes, and each classifier measured with every term set."""
    return _rows(setting, "as published", further=True)


def example(seed: int) -> Table:
    """A review of ours about men and women, as it is and in both versions."""
    rewriter = Rewriter()
    found = [(item.text, [rewriter.to(item.text, gender) for gender in GENDERS]) for item in written_reviews()]
    mixed = [(text, versions) for text, versions in found if text not in versions]
    text, versions = mixed[seed % len(mixed)]
    return Table(columns=("version", "review"), rows=(("original", text), *zip(GENDERS, versions, strict=True)))


@lru_cache(maxsize=6)
def _rows(setting: Setting, variant: Variant, *, further: bool = False) -> GridRows:
    return tuple(_grid(setting, published=variant == "as published", further=further).run())


def _grid(setting: Setting, *, published: bool, further: bool) -> SentimentGrid:
    return paper_grid(
        [_base(setting)],
        _reviews(setting, "train"),
        _reviews(setting, "test"),
        term_sets=_maps(setting) if published else {},
        mix="doubled" if published else "as many",
        clean=published,
        crossed=further,
        batches=BATCHES if further else (),
        fraction=setting.scale,
        seed=setting.seed,
    )


def _base(setting: Setting) -> TransformersModel:
    """The model under test, if it is one that the paper's procedure can be asked of: a masked model or an encoder."""
    model = setting.model
    require_capability(model, ("fills masks", "embeds sentences"), "a classifier of the paper")
    if scores_text(model) or not isinstance(model, TransformersModel):
        raise CapabilityError(f"{model.name} is neither a masked model nor an encoder; the paper fine-tunes those")
    return model


def _reviews(setting: Setting, part: Literal["train", "test"]) -> Reviews:
    folder = setting.folder("imdb")
    unpacked = (folder / "train").is_dir() or (folder / "aclImdb").is_dir()
    return published_imdb(folder if unpacked else setting.data, part, limit=setting.scaled(REVIEWS, least=40))


def _maps(setting: Setting) -> dict[TermName, TermSet]:
    """The authors' maps, where the data folder has them."""
    file = None if setting.data is None else setting.data.joinpath(*MAPS)
    return {} if file is None or not file.is_file() else {name: as_coded(name, file) for name in TERM_NAMES}
