"""Recipes: everything besides data and base model that decides how a checkpoint comes out."""

from __future__ import annotations

from dataclasses import dataclass

from biascheck.errors import UsageError
from biascheck.models.windows import Keep, Window

__all__ = ["SMALL", "ClassifierRecipe", "Recipe"]


@dataclass(frozen=True)
class Recipe:
    """How any model is fine-tuned: AdamW with a linear schedule, stopped when the validation loss stops falling.

    ``warmup`` is a share of all steps; ``patience`` is how many epochs without a better validation loss are borne.
    ``freeze_embeddings`` and ``frozen_layers`` leave the lowest parts of the base as they are, which saves time.
    """

    epochs: int = 3
    batch: int = 16
    learning_rate: float = 5e-5
    warmup: float = 0.1
    weight_decay: float = 0.01
    clip: float = 1.0
    patience: int = 1
    freeze_embeddings: bool = True
    frozen_layers: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("epochs", "batch", "patience"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} is at least 1, not {getattr(self, name)}")
        if self.learning_rate <= 0:
            raise UsageError(f"a learning rate of {self.learning_rate:g} learns nothing; give a positive one")


@dataclass(frozen=True)
class ClassifierRecipe(Recipe):
    """How a sentiment classifier is fine-tuned on reviews.

    ``dropout`` is that of the classification head (the paper's 0.5); ``pieces`` and ``keep`` say which part of a long
    review is read; ``validation`` is the share of the reviews kept aside to decide when to stop.
    """

    dropout: float = 0.1
    pieces: int = 128
    keep: Keep = "head"
    validation: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.window
        if not 0 <= self.dropout < 1:
            raise UsageError(f"dropout is a share from 0 to below 1, not {self.dropout:g}")
        if not 0 < self.validation < 1:
            raise UsageError(f"validation is a share between 0 and 1, not {self.validation:g}")

    @property
    def window(self) -> Window:
        """Which part of a review is read."""
        return Window(self.pieces, self.keep)


SMALL = ClassifierRecipe(epochs=8, batch=8, learning_rate=5e-4, frozen_layers=4, pieces=64, patience=8)
"""For our own 278 short reviews and a small encoder: a minute or so on two cores."""
