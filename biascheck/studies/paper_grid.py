"""The experiment of Jentzsch & Turan (2022) as a preset: seven base models, seven conditions, 63 classifiers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from biascheck.corpora.datasets.reviews import Reviews
from biascheck.corpora.rewriting.terms import TermName, TermSet
from biascheck.debias.recipes import ClassifierRecipe
from biascheck.models.adapters.transformers import TransformersModel
from biascheck.results.result import Result
from biascheck.studies.sentiment_grid import MixSteps, SentimentGrid

__all__ = [
    "BATCHES",
    "CELLS",
    "CONDITIONS",
    "FAMILY",
    "MODELS",
    "REVIEWS",
    "PaperModel",
    "layers_of",
    "paper_grid",
    "paper_row",
    "row_for",
]

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
