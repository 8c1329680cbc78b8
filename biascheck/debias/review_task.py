"""Reviews as a task for the training loop: split, cut to a window, batched by length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from biascheck.corpora.datasets.reviews import Review, Reviews
from biascheck.debias.batching import batches_by_length
from biascheck.debias.recipes import ClassifierRecipe
from biascheck.debias.validation import summed_score
from biascheck.errors import UsageError
from biascheck.models.adapters.transformers import TransformersModel
from biascheck.models.scoring.engine import padded
from biascheck.models.scoring.windows import read_through

__all__ = ["ReviewTask"]


@dataclass(frozen=True)
class ReviewExample:
    """What the model reads of a review, and its class: 1 is positive."""

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
        """All examples in a new order, or one part of them; those of like length together, where shuffling allows."""
        examples = self._part(epoch)
        lengths = [len(example.ids) for example in examples]
        found = batches_by_length(lengths, self.recipe.batch, seed=self.recipe.seed, epoch=epoch)
        return [[examples[index] for index in members] for members in found]

    def _part(self, epoch: int) -> Sequence[ReviewExample]:
        """The examples of an epoch. Parts are of one size, as every epoch has as many steps: what is over is left."""
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
        """Mean loss or error over the reviews kept aside; lower is better."""
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
        raise UsageError(f"{reviews.name}: {len(origins)} reviews are too few to train on and to validate with")
    aside = {origins[index] for index in rng.permutation(len(origins))[:count].tolist()}
    held_out = [item for item in reviews if (item.origin or item.id) in aside]
    return [item for item in reviews if (item.origin or item.id) not in aside], held_out


def _encoded(items: Sequence[Review], *, recipe: ClassifierRecipe, tokenizer: Any) -> tuple[ReviewExample, ...]:
    inputs = read_through(recipe.window, [item.text for item in items], tokenizer)
    labels = (int(item.sentiment == "positive") for item in items)
    return tuple(ReviewExample(ids, label) for ids, label in zip(inputs, labels, strict=True))
