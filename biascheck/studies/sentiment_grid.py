"""Base models × training conditions × term sets: the 63 classifiers of Jentzsch & Turan (2022), or a few of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

from biascheck.cache.code_digest import package_code
from biascheck.cache.document_cache import cache_folder, caching, digest_of
from biascheck.cache.shared_storage import fetched_file, publish
from biascheck.corpora.corpus import Corpus
from biascheck.corpora.datasets.reviews import Reviews, cleaned_reviews, review_pairs
from biascheck.corpora.rewriting.terms import TERM_NAMES, TermName, TermSet
from biascheck.debias.classifier_checkpoints import fine_tune_classifier
from biascheck.debias.conditions import Condition
from biascheck.debias.quality import quality_of
from biascheck.debias.recipes import ClassifierRecipe
from biascheck.errors import ResultError, UsageError
from biascheck.measures.sentiment_delta import sentiment_delta
from biascheck.models.adapters.sequence_classifier import TransformersClassifier
from biascheck.models.adapters.transformers import TransformersModel
from biascheck.studies.grid_rows import GridCell, GridRow, read_grid, write_grid

__all__ = ["MixSteps", "SentimentGrid"]

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
        """The cells of each classifier: what can be done apart from everything else."""
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
        place = cache_folder() / FOLDER / f"{digest_of([*facts, package_code()])}.npz"
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
