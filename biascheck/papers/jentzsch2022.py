"""Jentzsch & Turan 2022, Gender Bias in BERT: Tables 1 to 6, Figures 1 to 4, and the questions of §3."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Literal

from biascheck.core.errors import CapabilityError
from biascheck.corpora import Reviews, Rewriter, TermSet, as_coded, published_imdb, written_reviews
from biascheck.corpora.rewriting.terms import GENDERS, TERM_NAMES, TermName
from biascheck.measures.sentiment import corrected_rows
from biascheck.models.base import require_capability, scores_text
from biascheck.models.local.transformers import TransformersModel
from biascheck.papers.grid import (
    BATCHES,
    CELLS,
    CONDITIONS,
    FAMILY,
    MODELS,
    REVIEWS,
    GridRow,
    SentimentGrid,
    paper_grid,
    row_for,
)
from biascheck.papers.grid_results import FIGURES, QUESTIONS, comparisons, correlations_of
from biascheck.papers.paper import Absent, DrawnFigure, Paper, PaperTable, Setting, Shown, Value, Work
from biascheck.results.attachments import Table, TwoSided

# The classifiers behind the tables of Jentzsch & Turan (2022), trained and measured once for all tables.

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
    """The model under test, if the paper's procedure applies to it: a masked model or an encoder."""
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


RowScore = Callable[[GridRow], Value | float]

ABOUT = (
    "IMDB, 25,000 reviews to train on and 25,000 to measure; up to 20 epochs with early stopping, dropout 0.5, nothing "
    "frozen. As published: lower case without punctuation, the authors' term maps (jentzsch/term_maps.json in --data; "
    "without it our sets), a mix with twice the steps. Ours: the reviews as they are, our term sets, a mix with as "
    "many steps as the others. A model that is none of the seven has the row of its architecture. Below scale 1 the "
    "learning rate is up to ten times the paper's, and at most 128 tokens of a review are read."
)
PART_1, PART_2 = tuple(MODELS)[:3], tuple(MODELS)[3:]
ONE_MODEL = Absent("One base model has nothing to be compared with; biascheck grid takes several", "not applicable")
DRAWING = Absent("An illustration of the pipeline, without figures", "not applicable")


def _total(row: GridRow) -> Value:
    return Value(row.summary.total, row.result.interval, row.summary.test.p, row.summary.n)


NONZERO: Mapping[str, tuple[str, RowScore]] = {
    "absolute-nonzero": ("absolute bias", lambda row: row.summary.absolute_nonzero),
    "total-nonzero": ("total bias", lambda row: row.summary.total_nonzero),
}
ALL: Mapping[str, tuple[str, RowScore]] = {
    "absolute": ("absolute bias", lambda row: row.summary.absolute),
    "total": ("total bias", _total),
    "below": ("N<0", lambda row: Value(row.summary.n_negative, whole=True)),
    "zero": ("N=0", lambda row: Value(row.summary.n_zero, whole=True)),
    "above": ("N>0", lambda row: Value(row.summary.n_positive, whole=True)),
}
JENTZSCH_QUALITY: Mapping[str, tuple[str, RowScore]] = {
    "accuracy": ("accuracy", lambda row: row.quality.accuracy),
    "recall": ("recall", lambda row: row.quality.recall),
    "precision": ("precision", lambda row: row.quality.precision),
    "f1": ("F1", lambda row: row.quality.f1),
}


def biases_and_qualities(
    setting: Setting, models: Sequence[str], names: Sequence[str], figures: Mapping[str, tuple[str, RowScore]]
) -> Iterator[Shown]:
    """Every printed cell of these models; figures of ours in the row of the model under test."""
    for model in models:
        grids = grids_for(setting, model)
        for name in names:
            for kind, (column, figure) in figures.items():
                ours, theirs = (setting.tried(_figure, rows, name, figure) for rows in grids)
                printed = f"jentzsch2022.{kind}.{model}.{name}"
                yield setting.cell(
                    f"{model} {name}",
                    column,
                    ours=ours,
                    as_published=theirs,
                    published=printed,
                    note=_caution(grids[0], name),
                )


def _figure(rows: GridRows, name: str, figure: RowScore) -> Value | float:
    return figure(_named(rows, name))


def _named(rows: GridRows, name: str) -> GridRow:
    return next(row for row in rows if name in cells_of(row))


def _caution(rows: GridRows | Absent, name: str) -> str:
    """The deltas of a classifier that cannot tell good reviews from bad ones mean nothing."""
    check = None if isinstance(rows, Absent) else _named(rows, name).result.competence
    return "" if check is None or check.passed else f"Readability check failed: {check.finding}."


def biases(setting: Setting, models: Sequence[str]) -> Iterator[Shown]:
    """A part of Tables 3 and 4: biases over all reviews, counts, and stars as a number from 0 to 3."""
    yield from biases_and_qualities(setting, models, CELLS, ALL)
    for model in models:
        stars = [setting.tried(_stars, rows) for rows in grids_for(setting, model)]
        for name in CELLS:
            ours, theirs = (
                setting.tried(lambda found, name=name: Value(found[name], whole=True), one) for one in stars
            )
            printed = f"jentzsch2022.stars.{model}.{name}"
            yield setting.cell(f"{model} {name}", "stars", ours=ours, as_published=theirs, published=printed)


def _stars(rows: GridRows) -> dict[str, int]:
    """Wilcoxon's test, Bonferroni over 64."""
    table = corrected_rows([row.summary for row in rows], correction="bonferroni", family=FAMILY)
    return {cells_of(row)[0]: len(line.stars.strip("-")) for row, line in zip(rows, table, strict=True)}


def jentzsch_table_2(setting: Setting) -> Iterator[Shown]:
    """Pearson's correlations over classifiers: the paper's 63, here the nine of this model."""
    grids = both_grids(setting)
    found = [setting.tried(lambda rows: correlations_of([row.figures for row in rows])["matrix"], one) for one in grids]
    for i, row in enumerate(FIGURES):
        for j, column in enumerate(FIGURES[:i]):
            ours, theirs = (setting.tried(lambda matrix, i=i, j=j: matrix[i][j], one) for one in found)
            printed = f"jentzsch2022.correlation.{row}.{column}"
            note = "Over the nine classifiers of this model; printed over 63 of seven models."
            yield setting.cell(row, column, ours=ours, as_published=theirs, published=printed, note=note)


def jentzsch_figure_1(setting: Setting) -> Iterator[Shown]:
    """A review of ours in its male and its female version."""
    yield DrawnFigure(title="A review in both versions", content=example(setting.seed))


def jentzsch_figure_2(setting: Setting) -> Iterator[Shown]:
    """An illustration."""
    yield setting.cell("pipeline", ours=DRAWING)


def two_sided(setting: Setting, models: Sequence[str]) -> Iterator[Shown]:
    """Positive and negative biases of the model under test, if it is one of these."""
    for model in models:
        for variant, rows in zip(("ours", "as published"), grids_for(setting, model), strict=True):
            if isinstance(rows, Absent):
                yield setting.cell(model, variant, ours=rows)
            else:
                yield DrawnFigure(
                    title=f"{model}, {variant}", content=TwoSided(sides=tuple(row.summary.side for row in rows))
                )


def section_3(setting: Setting) -> Iterator[Shown]:
    """The research questions: differences of absolute bias, paired over reviews."""
    rows = setting.tried(further_rows, setting)
    for question, entry in QUESTIONS.items():
        several = question in ("base model", "size")
        found = ONE_MODEL if several else setting.tried(comparisons, rows, question, seed=setting.seed)
        if isinstance(found, Absent):
            yield setting.cell(entry.about, question, ours=found)
            continue
        for one in found:
            value = Value(one.difference, one.interval, one.p, len(rows[0].ids))
            note = f"Absolute bias {one.first:.4f} → {one.second:.4f}; p before correction for {len(found)} of them."
            yield setting.cell(one.name, question, ours=value, note=note)


def _work(read: int, **trained: int) -> Callable[[Setting], Work]:
    """The work of so many measured cells and classifiers; every cell reads two versions of a review."""

    def work(setting: Setting) -> Work:
        reviews, whole = setting.scaled(REVIEWS, least=40), setting.scale == 1
        epochs = setting.scaled(20, least=2)
        shared = tuple((grid, count * epochs * reviews) for grid, count in trained.items())
        return Work(read=2 * read * reviews, tokens=300 if whole else 128, shared=shared)

    return work


def _table(name: str, title: str, run: Callable[[Setting], Iterator[Shown]], about: str = "") -> PaperTable:
    return PaperTable(name, title, run, about=about, needs=("imdb", "jentzsch"))


PAPER = Paper(
    name="jentzsch2022",
    title="Jentzsch & Turan 2022, Gender Bias in BERT – Measuring and Analysing Biases through Sentiment Rating",
    link="https://aclanthology.org/2022.gebnlp-1.20",
    about=ABOUT,
    tables=(
        PaperTable(
            "table 1",
            "Absolute and total biases over the reviews whose delta is not zero",
            partial(biases_and_qualities, models=tuple(MODELS), names=CELLS, figures=NONZERO),
            about="All other tables are made of the classifiers that are trained here.",
            work=_work(25, ours=7, published=9),
            needs=("imdb", "jentzsch"),
        ),
        _table("table 2", "Correlations of biases and training details", jentzsch_table_2),
        _table("table 3", "Biases over all reviews, part 1", partial(biases, models=PART_1)),
        _table("table 4", "Biases over all reviews, part 2", partial(biases, models=PART_2)),
        _table(
            "table 5",
            "Test accuracy; recall, precision and F1 of the negative class, part 1",
            partial(biases_and_qualities, models=PART_1, names=CONDITIONS, figures=JENTZSCH_QUALITY),
        ),
        _table(
            "table 6",
            "Test accuracy; recall, precision and F1 of the negative class, part 2",
            partial(biases_and_qualities, models=PART_2, names=CONDITIONS, figures=JENTZSCH_QUALITY),
        ),
        PaperTable(
            "figure 1", "Example of masked samples", jentzsch_figure_1, about="A review of ours; the paper's is IMDB's."
        ),
        PaperTable("figure 2", "Experimental pipeline", jentzsch_figure_2),
        _table("figure 3", "Positive and negative biases of DistilBERT", partial(two_sided, models=PART_1[:1])),
        _table(
            "figure 4",
            "Positive and negative biases of the other models",
            partial(two_sided, models=(*PART_1[1:], *PART_2)),
            about="The printed panels are mislabelled: RoBERTa-base is drawn as RoBERTa large, among others.",
        ),
        PaperTable(
            "section 3",
            "The research questions: differences of absolute bias, paired over reviews",
            section_3,
            about="As published, once more with two further batch sizes; every classifier measured with all term sets.",
            work=_work(63, published=9, further=11),
            needs=("imdb", "jentzsch"),
        ),
    ),
)
