"""Base models × training conditions × term sets: the experiment of Jentzsch & Turan (2022), and its cells on disk."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from biascheck.core.errors import ResultError, ScoreError, UsageError
from biascheck.core.files import write_atomically
from biascheck.core.identity import package_code, sha256_of
from biascheck.core.shared_storage import fetched_file, publish
from biascheck.core.store import cache_folder, caching, digest_of
from biascheck.corpora.corpus import Corpus
from biascheck.corpora.reviews import Reviews, cleaned_reviews, review_pairs
from biascheck.corpora.rewriting.terms import TERM_NAMES, TermName, TermSet
from biascheck.measures.sentiment import DeltaSummary, sentiment_delta, summary_of
from biascheck.mitigation.classifier import Quality, fine_tune_classifier, quality_of
from biascheck.mitigation.conditions import Condition
from biascheck.mitigation.recipes import ClassifierRecipe
from biascheck.models.local.classifier import TransformersClassifier
from biascheck.models.local.transformers import TransformersModel
from biascheck.results.codec import result_from_dict, result_to_dict
from biascheck.results.result import Result
from biascheck.stats import Sample

# Measured cells of a grid in compact form: two columns of numbers for each, in one file for the whole grid.
#
# A result keeps an object with excerpts for every review; 63 classifiers on 25,000 reviews are 1.6 million of
# them. Here a cell keeps its deltas (exactly) and the ratings of the male versions (to seven digits); ids are
# kept once for all.

GRID_FORMAT = "biascheck sentiment grid 1"
FACTS = "facts"


@dataclass(frozen=True)
class GridCell:
    """One classifier and the term set it is measured with; ``batch`` is 0 for the batch size of the recipe."""

    model: str
    condition: Condition
    terms: TermName
    batch: int = 0

    def __str__(self) -> str:
        size = f"·batch {self.batch}" if self.batch else ""
        return f"{self.model}·{self.condition}{size}×{self.terms}"

    @property
    def matched(self) -> bool:
        """Whether the classifier was trained with the term set it is measured with, as all those of the paper."""
        return self.condition.terms in (None, self.terms)


@dataclass(frozen=True, eq=False)
class GridRow:
    """A measured cell: its deltas, and how good the classifier is on test reviews under its own condition.

    ``result`` has the figures of the deltas without their items.
    """

    cell: GridCell
    result: Result
    quality: Quality
    ids: tuple[str, ...]
    deltas: NDArray[np.float64]
    ratings: NDArray[np.float32]

    @classmethod
    def of(cls, cell: GridCell, result: Result, quality: Quality) -> GridRow:
        """The part of a ``sentiment_delta`` result that the grid needs."""
        items, first = result.items, result.contrast[0]
        return cls(
            cell,
            replace(result, items=()),
            quality,
            tuple(item.id for item in items),
            np.array([item.score for item in items]),
            np.array([item.groups[first] for item in items], dtype=np.float32),
        )

    @cached_property
    def summary(self) -> DeltaSummary:
        """Counts, total and absolute bias, and Wilcoxon's test: a row of the paper's Tables 3 and 4."""
        return summary_of(self.deltas, str(self.cell))

    @property
    def sample(self) -> Sample:
        """The deltas as the statistics take them; a review is its own cluster."""
        return Sample(self.deltas, self.ids)

    @property
    def figures(self) -> tuple[float, ...]:
        """Absolute bias, total bias, accuracy and F1, biases over non-zero reviews as in the paper's Table 1."""
        summary = self.summary
        return summary.absolute_nonzero, summary.total_nonzero, self.quality.accuracy, self.quality.f1


def write_grid(path: Path, rows: Sequence[GridRow]) -> None:
    """Write rows to one ``.npz`` file, whole or not at all. No text of a review is in it."""
    if not rows:
        raise ScoreError("a grid without rows; run it first")
    columns = list(dict.fromkeys(row.ids for row in rows))
    facts = {"format": GRID_FORMAT, "rows": [_facts(row, columns.index(row.ids)) for row in rows]}
    arrays: dict[str, Any] = {FACTS: np.frombuffer(json.dumps(facts, allow_nan=False).encode(), dtype=np.uint8)}
    arrays |= {f"ids {n}": np.array(ids) for n, ids in enumerate(columns)}
    for n, row in enumerate(rows):
        arrays |= {f"deltas {n}": row.deltas, f"ratings {n}": row.ratings}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    write_atomically(path, buffer.getvalue())


def read_grid(path: Path) -> tuple[GridRow, ...]:
    """Read rows back; nothing in the file is executed."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            facts = json.loads(arrays[FACTS].tobytes())
            if facts.get("format") != GRID_FORMAT:
                raise ResultError(
                    f"{path} has the format {facts.get('format')!r}, not {GRID_FORMAT!r}; run the grid again"
                )
            ids: dict[int, tuple[str, ...]] = {}
            for entry in facts["rows"]:
                ids.setdefault(entry["ids"], tuple(arrays[f"ids {entry['ids']}"].tolist()))
            return tuple(
                _row(entry, ids[entry["ids"]], arrays[f"deltas {n}"], arrays[f"ratings {n}"])
                for n, entry in enumerate(facts["rows"])
            )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, EOFError, zipfile.BadZipFile) as error:
        raise ResultError(f"{path} is not a file of a grid, or is damaged ({error}); run the grid again") from error


def _facts(row: GridRow, ids: int) -> dict[str, Any]:
    cell = row.cell
    condition = {"treatment": cell.condition.treatment, "terms": cell.condition.terms, "name": str(cell.condition)}
    return {
        "model": cell.model,
        "condition": condition,
        "terms": cell.terms,
        "batch": cell.batch,
        "quality": asdict(row.quality),
        "result": result_to_dict(row.result),
        "ids": ids,
    }


def _row(entry: dict[str, Any], ids: tuple[str, ...], deltas: Any, ratings: Any) -> GridRow:
    if not len(ids) == deltas.size == ratings.size:
        raise ValueError("its columns differ in length")
    condition = Condition(entry["condition"]["treatment"], entry["condition"]["terms"])
    cell = GridCell(entry["model"], condition, entry["terms"], entry["batch"])
    return GridRow(cell, result_from_dict(entry["result"]), Quality(**entry["quality"]), ids, deltas, ratings)


# Base models × training conditions × term sets: the 63 classifiers of Jentzsch & Turan (2022), or a few of
# them.

DEFAULT_TERMS: tuple[TermName, ...] = ("all",)
MixSteps = Literal["as many", "doubled"]
FOLDER = "grids"


@dataclass(frozen=True)
class SentimentGrid:
    """One declaration of the whole experiment.

    The original condition is measured with every term set that occurs, R-x and mix-x with their own, as in the paper;
    with ``crossed`` they too are measured with every set. In a mix every review is there twice: ``mix`` says whether
    it is trained for exactly as many steps as the others, or for twice as many, as in the paper. ``clean`` puts reviews
    in lower case and takes out punctuation. ``term_sets`` are other sets under our names, such as the maps of the paper
    (:func:`biascheck.corpora.as_coded`). ``recipes`` are for single models, by name; ``batches`` are further batch
    sizes with which every classifier is trained once more. Running again goes on where it stopped: checkpoints and the
    columns of each cell come from the cache.
    """

    models: Sequence[TransformersModel]
    conditions: Sequence[str]
    train: Reviews
    test: Reviews
    recipe: ClassifierRecipe
    seed: int = 0
    mix: MixSteps = "as many"
    clean: bool = False
    crossed: bool = False
    term_sets: Mapping[TermName, TermSet] = field(default_factory=dict)
    recipes: Mapping[str, ClassifierRecipe] = field(default_factory=dict)
    batches: Sequence[int] = ()

    def __post_init__(self) -> None:
        if not self.models or not self.conditions:
            raise UsageError("a grid needs at least one model and one condition")
        if self.mix not in get_args(MixSteps):
            raise UsageError(f"mix is one of {', '.join(get_args(MixSteps))}, not {self.mix!r}")
        if self.clean:
            object.__setattr__(self, "train", cleaned_reviews(self.train))
            object.__setattr__(self, "test", cleaned_reviews(self.test))
        _ = list(self.cells())

    def cells(self) -> Iterator[GridCell]:
        """Every classifier with every term set it is measured with, in order."""
        conditions = [Condition.named(name) for name in self.conditions]
        sets = tuple(dict.fromkeys(c.terms for c in conditions if c.terms is not None)) or DEFAULT_TERMS
        for model in self.models:
            for condition in conditions:
                own = condition.with_terms(self.term_sets)
                measured = sets if condition.terms is None or self.crossed else (condition.terms,)
                for batch in (0, *(size for size in self.batches if size != self.recipe_of(model.name).batch)):
                    yield from (GridCell(model.name, own, terms, batch) for terms in measured)

    def recipe_of(self, model: str) -> ClassifierRecipe:
        """The recipe for a model, by its name."""
        return self.recipes.get(model, self.recipe)

    def by_classifier(self) -> list[tuple[GridCell, ...]]:
        """The cells of each classifier, which can be measured independently of all others."""
        found: dict[tuple[str, str, int], list[GridCell]] = {}
        for cell in self.cells():
            found.setdefault((cell.model, str(cell.condition), cell.batch), []).append(cell)
        return [tuple(cells) for cells in found.values()]

    def run(self, cells: Iterable[GridCell] | None = None) -> Iterator[GridRow]:
        """Train, rate and test, cell by cell; all of them unless some are given."""
        bases = {model.name: model for model in self.models}
        corpora = lru_cache(maxsize=len(TERM_NAMES))(self._pairs)
        for cell in self.cells() if cells is None else cells:
            yield self._row(cell, self.classifier(bases[cell.model], cell), corpora(cell.terms))

    def classifier(self, base: TransformersModel, cell: GridCell) -> TransformersClassifier:
        """The classifier of one cell, fine-tuned or from the cache."""
        recipe = self.recipe_of(cell.model)
        recipe = replace(recipe, batch=cell.batch) if cell.batch else recipe
        recipe = cell.condition.steps_kept(recipe) if self.mix == "as many" else recipe
        return fine_tune_classifier(base, cell.condition.apply(self.train), recipe, treatment=str(cell.condition))

    def _pairs(self, terms: TermName) -> Corpus:
        return review_pairs(self.test, self.term_sets.get(terms, terms))

    def _row(self, cell: GridCell, classifier: TransformersClassifier, corpus: Corpus) -> GridRow:
        """From the cache, or measured: its columns are kept there instead of a result with every review."""
        facts = [str(cell), classifier.fingerprint, corpus.fingerprint, self.test.fingerprint, self.seed]
        place = cache_folder() / FOLDER / f"{digest_of([*facts, package_code(), sha256_of(Path(__file__))])}.npz"
        if (kept := _cached_row(place)) is not None:
            return replace(kept, cell=cell)
        with caching(None):
            result = sentiment_delta(classifier, corpus, seed=self.seed)
        # The test reviews are treated like the training data (paper, A.3).
        row = GridRow.of(cell, result, quality_of(classifier, cell.condition.apply(self.test)))
        write_grid(place, [row])
        publish(place)
        return row


def _cached_row(place: Path) -> GridRow | None:
    try:
        return read_grid(place)[0] if fetched_file(place).exists() else None
    except ResultError:  # damaged: measured again
        return None


# The experiment of Jentzsch & Turan (2022) as a preset: seven base models, seven conditions, 63 classifiers.

CONDITIONS = ("original", *(f"{treatment}-{terms}" for treatment in ("R", "mix") for terms in ("pro", "weat", "all")))
CELLS = tuple(f"{treatment}-{terms}" for terms in ("pro", "weat", "all") for treatment in ("original", "R", "mix"))
"""The nine cells of each model, in the order of Tables 1, 3 and 4."""
FAMILY = 64
"""The tests that the paper corrects for (Bonferroni): its 63 classifiers and one more."""
REVIEWS = 25_000
BATCHES = (32, 16, 8)
PAPER_RECIPE = ClassifierRecipe(
    epochs=20,
    batch=32,
    learning_rate=2e-5,
    warmup=0.0,
    weight_decay=0.0,
    patience=3,
    freeze_embeddings=False,
    frozen_layers=0,
    dropout=0.5,
    pieces=512,
)


@dataclass(frozen=True)
class PaperModel:
    """A base model of the paper: its row in the tables, its Hub id, and how it was trained.

    The paper gives ranges: batches of 32 or 16 "depending on the model size", learning rates "between 2e-5 and 5e-6".
    Here the base sizes take the first of each, the large ones the second. The schedule and the patience of the early
    stopping are not given: ours are a linear fall and three epochs.
    """

    row: str
    hub_id: str
    family: str
    layers: int
    large: bool = False

    @property
    def recipe(self) -> ClassifierRecipe:
        """The recipe for this model."""
        return replace(PAPER_RECIPE, batch=16, learning_rate=5e-6) if self.large else PAPER_RECIPE


MODELS: Mapping[str, PaperModel] = MappingProxyType(
    {
        model.row: model
        for model in (
            PaperModel("DistilBERT", "distilbert-base-uncased", "distilbert", 6),
            PaperModel("BERT-base", "bert-base-uncased", "bert", 12),
            PaperModel("BERT-large", "bert-large-uncased", "bert", 24, large=True),
            PaperModel("RoBERTa-base", "roberta-base", "roberta", 12),
            PaperModel("RoBERTa-large", "roberta-large", "roberta", 24, large=True),
            PaperModel("ALBERT-base", "albert-base-v2", "albert", 12),
            PaperModel("ALBERT-large", "albert-large-v2", "albert", 24, large=True),
        )
    }
)
"""The seven base models by their rows."""
LARGE_FROM = {"bert": 200e6, "roberta": 200e6, "albert": 15e6}
"""Parameters from which a model counts as the large one of its family."""
_ARCHITECTURE = re.compile(r"(DistilBert|Roberta|Albert|Bert)(?=For|Model)")


def paper_grid(
    models: Sequence[TransformersModel],
    train: Reviews,
    test: Reviews,
    *,
    conditions: Sequence[str] = CONDITIONS,
    term_sets: Mapping[TermName, TermSet] | None = None,
    batches: Sequence[int] = (),
    crossed: bool = False,
    mix: MixSteps = "doubled",
    clean: bool = True,
    fraction: float = 1.0,
    seed: int = 0,
) -> SentimentGrid:
    """The paper's grid: reviews cleaned, nothing frozen, a mix with twice the steps, 20 epochs with early stopping.

    ``train`` and ``test`` are the 25,000 reviews of each part of IMDB (:func:`biascheck.corpora.published_imdb`).
    ``fraction`` trains for fewer epochs at a higher rate and reads less of a review, to try the pipeline. ``term_sets``
    are the maps of the authors' code; ours by default. ``batches`` and ``crossed`` are the paper's further experiments
    (§3).
    """
    recipes = {model.name: _scaled(_recipe_for(model), fraction, seed) for model in models}
    return SentimentGrid(
        models=models,
        conditions=conditions,
        train=train,
        test=test,
        recipe=_scaled(PAPER_RECIPE, fraction, seed),
        seed=seed,
        mix=mix,
        clean=clean,
        crossed=crossed,
        term_sets=term_sets or {},
        recipes=recipes,
        batches=batches,
    )


def _recipe_for(model: TransformersModel) -> ClassifierRecipe:
    row = row_for(type(model.torch_model).__name__, sum(weights.numel() for weights in model.torch_model.parameters()))
    return PAPER_RECIPE if row is None else MODELS[row].recipe


def _scaled(recipe: ClassifierRecipe, fraction: float, seed: int) -> ClassifierRecipe:
    if fraction >= 1:
        return replace(recipe, seed=seed)
    epochs = max(2, round(recipe.epochs * fraction))
    # A few steps at the paper's rates learn nothing.
    rate = recipe.learning_rate * min(10.0, 1 / fraction)
    pieces = 128 if fraction >= 0.01 else 64
    return replace(recipe, epochs=epochs, batch=16, learning_rate=rate, pieces=pieces, warmup=0.1, seed=seed)


def paper_row(result: Result) -> str | None:
    """The row of the paper's tables that a result is comparable with: of the same architecture, base or large.

    ``None`` where the paper has no model of that architecture. A model of another size than both is compared with the
    nearer one: the row is of its family, not of the model itself.
    """
    about = result.provenance.model
    parameters = str(about.get("parameters", "0")).replace(",", "")
    return row_for(str(about.get("architecture", "")), int(parameters) if parameters.isdigit() else 0)


def row_for(architecture: str, parameters: float) -> str | None:
    """The row for a transformers class and its number of parameters."""
    match = _ARCHITECTURE.match(architecture)
    if match is None:
        return None
    family = match[1].lower()
    large = parameters >= LARGE_FROM.get(family, float("inf"))
    return next(row for row, model in MODELS.items() if model.family == family and model.large == large)


def layers_of(model: TransformersModel) -> int:
    """How many layers a base model has, by which sizes of a family are put in order."""
    return int(model.torch_model.config.num_hidden_layers)
