"""Sentiment classifiers fine-tuned from any encoder or decoder (Jentzsch & Turan 2022), and their accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from biascheck.core.errors import ModelError, ScoreError, UsageError
from biascheck.core.store import active_cache, digest_of
from biascheck.corpora.reviews import Review, Reviews, Sentiment
from biascheck.mitigation.checkpoints import fetch_checkpoint, write_checkpoint
from biascheck.mitigation.recipes import ClassifierRecipe
from biascheck.mitigation.training import History, batches_by_length, freeze, summed_score, train, validation_name
from biascheck.models.base import Classifier
from biascheck.models.local.classifier import WINDOW_IN_CONFIG, TransformersClassifier, read_through
from biascheck.models.local.loader import load
from biascheck.models.local.transformers import TransformersModel
from biascheck.models.scoring.engine import padded
from biascheck.models.scoring.queries import Refusal

# Accuracy of a classifier on its task.

QUALITY_VERSION = 1


@dataclass(frozen=True)
class Quality:
    """Accuracy over both classes; precision, recall and F1 of one, which ``of_class`` names."""

    accuracy: float
    precision: float
    recall: float
    f1: float
    of_class: Sentiment
    n: int

    def as_dict(self) -> dict[str, object]:
        """Plain values for a report."""
        return asdict(self)


def quality_of(classifier: Classifier, reviews: Reviews, *, of_class: Sentiment = "negative") -> Quality:
    """Rate labelled reviews and count those that have a rating. A text is positive where P(positive) is above one half.

    Tables 5 and 6 of Jentzsch & Turan (2022) are for the negative class, without stating it; it is the default here.
    Without a single prediction of the class its precision, and with it F1, is 0.
    """
    cache = active_cache() if getattr(classifier, "is_persistent", True) else None
    if cache is None:
        return _count(classifier, reviews, of_class)
    key = digest_of(["quality", QUALITY_VERSION, classifier.fingerprint, reviews.fingerprint, of_class])
    return Quality(**cache.fetch(key, lambda: _count(classifier, reviews, of_class).as_dict()))


def _count(classifier: Classifier, reviews: Reviews, of_class: Sentiment) -> Quality:
    answers = zip(reviews, classifier.rate(reviews.texts), strict=True)
    rated = [(item.sentiment, rating) for item, rating in answers if not isinstance(rating, Refusal)]
    if not rated:
        raise ScoreError(f"{classifier.name}: none of {len(reviews):,} reviews can be rated; give shorter ones")
    predicted = ["positive" if rating > 0.5 else "negative" for _, rating in rated]
    truth = [sentiment for sentiment, _ in rated]
    hits = sum(p == t for p, t in zip(predicted, truth, strict=True))
    found = sum(p == t == of_class for p, t in zip(predicted, truth, strict=True))
    precision = found / max(1, predicted.count(of_class))
    recall = found / max(1, truth.count(of_class))
    f1 = 2 * precision * recall / (precision + recall) if found else 0.0
    return Quality(hits / len(truth), precision, recall, f1, of_class, len(truth))


# Reviews as a task for the training loop: split, cut to a window, batched by length.


@dataclass(frozen=True)
class ReviewExample:
    """The tokens of a review, and its class: 1 is positive."""

    ids: tuple[int, ...]
    label: int


@dataclass(frozen=True)
class ReviewTask:
    """Reviews as batches of ids with their labels."""

    fitted: tuple[ReviewExample, ...]
    held_out: tuple[ReviewExample, ...]
    recipe: ClassifierRecipe
    pad: int
    device: str

    @classmethod
    def of(cls, reviews: Reviews, recipe: ClassifierRecipe, base: TransformersModel) -> ReviewTask:
        """Split and encode the reviews for a base model."""
        fitted, held_out = _split(reviews, recipe)
        pad = base.tokenizer.pad_token_id
        encode = partial(_encoded, recipe=recipe, tokenizer=base.tokenizer)
        return cls(encode(fitted), encode(held_out), recipe, pad or 0, base.device)

    def batches(self, epoch: int) -> list[list[ReviewExample]]:
        """All examples in a new order, or one part; those of similar length together, as far as shuffling allows."""
        examples = self._part(epoch)
        lengths = [len(example.ids) for example in examples]
        found = batches_by_length(lengths, self.recipe.batch, seed=self.recipe.seed, epoch=epoch)
        return [[examples[index] for index in members] for members in found]

    def _part(self, epoch: int) -> Sequence[ReviewExample]:
        """The examples of an epoch. All parts have one size, so that epochs have equally many steps; a rest is cut."""
        parts = self.recipe.parts
        if parts == 1:
            return self.fitted
        turn, part = divmod(epoch, parts)
        order = np.random.default_rng([self.recipe.seed, turn, 4]).permutation(len(self.fitted)).tolist()
        size = len(self.fitted) // parts
        return [self.fitted[index] for index in order[part * size : (part + 1) * size]]

    def loss(self, model: Any, batch: Sequence[ReviewExample]) -> Any:
        """Cross-entropy of a batch."""
        import torch

        return torch.nn.functional.cross_entropy(self._logits(model, batch), self._labels(batch))

    def validate(self, model: Any) -> float:
        """Mean loss or error on the held-out reviews; lower is better."""
        examples = sorted(self.held_out, key=lambda example: len(example.ids))
        total = 0.0
        for at in range(0, len(examples), 2 * self.recipe.batch):
            part = examples[at : at + 2 * self.recipe.batch]
            logits = self._logits(model, part)
            total += summed_score(logits, self._labels(part), self.recipe)
        return total / len(examples)

    def _logits(self, model: Any, batch: Sequence[ReviewExample]) -> Any:
        return model(**padded([example.ids for example in batch], pad=self.pad, device=self.device)).logits

    def _labels(self, batch: Sequence[ReviewExample]) -> Any:
        import torch

        return torch.tensor([example.label for example in batch], device=self.device)


def _split(reviews: Reviews, recipe: ClassifierRecipe) -> tuple[list[Review], list[Review]]:
    """Training and validation; all versions of one review are on the same side."""
    origins = sorted({item.origin or item.id for item in reviews})
    rng = np.random.default_rng([recipe.seed, 2])
    count = max(1, round(recipe.validation * len(origins)))
    if len(origins) - count < 2:
        raise UsageError(f"{reviews.name}: {len(origins)} reviews are too few for training and validation")
    aside = {origins[index] for index in rng.permutation(len(origins))[:count].tolist()}
    held_out = [item for item in reviews if (item.origin or item.id) in aside]
    return [item for item in reviews if (item.origin or item.id) not in aside], held_out


def _encoded(items: Sequence[Review], *, recipe: ClassifierRecipe, tokenizer: Any) -> tuple[ReviewExample, ...]:
    inputs = read_through(recipe.window, [item.text for item in items], tokenizer)
    labels = (int(item.sentiment == "positive") for item in items)
    return tuple(ReviewExample(ids, label) for ids, label in zip(inputs, labels, strict=True))


# Sentiment classifiers fine-tuned from any encoder or decoder (Jentzsch & Turan 2022, §2.2).

CLASSIFIER_VERSION = 2
"""Raise it when the same recipe, data and base give another checkpoint: it is part of the cache key."""
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
    """Fine-tune the encoder of ``base`` with a new classification head, or load the checkpoint of an earlier run.

    The checkpoint is cached under the fingerprints of base and reviews and the recipe; an interrupted run is resumed.
    The head starts at random, from the recipe's seed. ``treatment`` says in results what was done to the base, by
    default which reviews it was trained on.
    """
    recipe = recipe or ClassifierRecipe()
    if isinstance(base, TransformersClassifier):
        raise UsageError(
            f"{base.name} is a classifier already; measure it as it is, or pass the model it was fine-tuned from"
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
    """The body of ``base`` under a new head of two classes; frozen if the recipe says so."""
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
    """The body of the base, and the pooler of its files: language models drop it, classifiers start from it.

    A pooler missing from the files (RoBERTa and others have none) starts at random, as it does in transformers.
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
            f"{base.name}: its body does not fit {type(model).__name__} ("
            f"{', '.join([*lacking, *unexpected][:3])} …); fine-tune it with its own code instead"
        )


def _card(
    base: TransformersModel, reviews: Reviews, recipe: ClassifierRecipe, task: ReviewTask, history: History
) -> str:
    settings = "\n".join(f"- {key}: {value}" for key, value in asdict(recipe).items())
    losses = ", ".join(f"{loss:.4f}" for loss in history.losses)
    measured = validation_name(recipe)
    return f"""# {base.name}, fine-tuned to classify reviews as positive or negative

Made by biascheck to measure sentiment deltas (Jentzsch & Turan 2022); not meant for production use.

- base: {base.name}, fingerprint {base.fingerprint[:16]}…
- reviews: {reviews.name}, {len(task.fitted):,} trained on, {len(task.held_out):,} held out,
  fingerprint {reviews.fingerprint[:16]}…
- validation {measured} after each epoch: {losses}; the weights are those of epoch {history.best_epoch + 1}
- classes: {", ".join(f"{index} {label}" for index, label in CLASSES.items())}

## Recipe

{settings}
"""
