"""Sentiment classifiers fine-tuned from any encoder or decoder (Jentzsch & Turan 2022, §2.2)."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from biascheck.corpora.datasets.reviews import Reviews
from biascheck.debias.checkpoints import fetch_checkpoint, write_checkpoint
from biascheck.debias.freezing import freeze
from biascheck.debias.recipes import ClassifierRecipe
from biascheck.debias.review_task import ReviewTask
from biascheck.debias.training import History, train
from biascheck.debias.validation import validation_name
from biascheck.errors import ModelError, UsageError
from biascheck.models.adapters.sequence_classifier import WINDOW_IN_CONFIG, TransformersClassifier
from biascheck.models.adapters.transformers import TransformersModel
from biascheck.models.loading.loader import load

__all__ = ["fine_tune_classifier"]

CLASSIFIER_VERSION = 2
"""Raise it when the same recipe, data and base give another checkpoint: it is part of the key."""
CLASSES = {0: "negative", 1: "positive"}
POOLER = "pooler."
HEAD_DROPOUT = ("classifier_dropout", "classifier_dropout_prob", "seq_classif_dropout", "summary_first_dropout")


def fine_tune_classifier(
    base: TransformersModel,
    reviews: Reviews,
    recipe: ClassifierRecipe | None = None,
    *,
    name: str | None = None,
    treatment: str | None = None,
) -> TransformersClassifier:
    """Fine-tune the encoder of ``base`` with a new classification head, or take the checkpoint of an earlier run.

    The checkpoint is kept in the cache under the fingerprints of base and reviews and the recipe; an interrupted run
    goes on where it was. The head starts at random, from the recipe's seed. ``treatment`` says in results what was done
    to the base, by default which reviews it was trained on.
    """
    recipe = recipe or ClassifierRecipe()
    if isinstance(base, TransformersClassifier):
        raise UsageError(
            f"{base.name} is a classifier already; measure it as it is, or pass the model it was made from"
        )
    facts = _facts(base, reviews, recipe)
    build = partial(_build, base=base, reviews=reviews, recipe=recipe, facts=facts)
    folder = fetch_checkpoint(f"{base.name}-classifier", facts, build)
    loaded: TransformersClassifier = load(
        folder, kind="classifier", name=name or base.name, device=base.device, lazy=True
    )
    loaded.treatment = (*base.treatment, treatment or reviews.name)
    return loaded


def _facts(base: TransformersModel, reviews: Reviews, recipe: ClassifierRecipe) -> dict[str, Any]:
    return {
        "version": CLASSIFIER_VERSION,
        "kind": "classifier",
        "recipe": asdict(recipe),
        "reviews": reviews.fingerprint,
        "base": base.fingerprint,
    }


def _build(
    folder: Path,
    state: Path,
    *,
    base: TransformersModel,
    reviews: Reviews,
    recipe: ClassifierRecipe,
    facts: dict[str, Any],
) -> None:
    model = classifier_from(base, recipe)
    task = ReviewTask.of(reviews, recipe, base)
    history = train(model, task, recipe, state=state, title=f"{base.name} on {reviews.name}")
    card = _card(base, reviews, recipe, task, history)
    write_checkpoint(model, base.tokenizer, folder, facts=facts, card=card)


def classifier_from(base: TransformersModel, recipe: ClassifierRecipe) -> Any:
    """The body of ``base`` under a new head of two classes; frozen where the recipe says so."""
    import torch
    from transformers import AutoModelForSequenceClassification

    config = deepcopy(base.torch_model.config)
    config.id2label, config.label2id = dict(CLASSES), {label: index for index, label in CLASSES.items()}
    for dropout in HEAD_DROPOUT:
        if hasattr(config, dropout):
            setattr(config, dropout, recipe.dropout)
    setattr(config, WINDOW_IN_CONFIG, asdict(recipe.window))
    config.pad_token_id = base.tokenizer.pad_token_id if base.tokenizer.pad_token_id is not None else 0
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(recipe.seed)
        model = AutoModelForSequenceClassification.from_config(config)
    model.config.architectures = [type(model).__name__]
    _copy_body(base, model)
    freeze(model.base_model, recipe)
    return model.to(base.device)


def _copy_body(base: TransformersModel, model: Any) -> None:
    """The body of the base, and the pooler of its files: a language model leaves it aside, a classifier starts from it.

    A pooler that the files lack (RoBERTa and others have none) starts at random, as it does in transformers.
    """
    body = base.torch_model.base_model.state_dict()
    if base.stored_pooler is not None:
        own = model.base_model.state_dict()
        body = {name: tensor for name, tensor in body.items() if not name.startswith(POOLER)}
        body |= {name: tensor for name, tensor in base.stored_pooler().items() if name in own}
    found = model.base_model.load_state_dict(body, strict=False)
    lacking = [key for key in found.missing_keys if not key.startswith(POOLER)]
    unexpected = [key for key in found.unexpected_keys if not key.startswith(POOLER)]
    if lacking or unexpected:
        raise ModelError(
            f"{base.name}: its body does not fit under {type(model).__name__} ("
            f"{', '.join([*lacking, *unexpected][:3])} …); fine-tune it with its own code instead"
        )


def _card(
    base: TransformersModel, reviews: Reviews, recipe: ClassifierRecipe, task: ReviewTask, history: History
) -> str:
    settings = "\n".join(f"- {key}: {value}" for key, value in asdict(recipe).items())
    losses = ", ".join(f"{loss:.4f}" for loss in history.losses)
    measured = validation_name(recipe)
    return f"""# {base.name}, fine-tuned to tell positive from negative reviews

Made by biascheck to measure sentiment deltas (Jentzsch & Turan 2022); not meant for use as a product.

- base: {base.name}, fingerprint {base.fingerprint[:16]}…
- reviews: {reviews.name}, {len(task.fitted):,} trained on, {len(task.held_out):,} kept aside,
  fingerprint {reviews.fingerprint[:16]}…
- validation {measured} after each epoch: {losses}; the weights are those of epoch {history.best_epoch + 1}
- classes: {", ".join(f"{index} {label}" for index, label in CLASSES.items())}

## Recipe

{settings}
"""
