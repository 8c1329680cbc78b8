"""What epochs are compared by: the loss on data that is not trained on, or how much of it is predicted wrongly."""

from __future__ import annotations

from typing import Any

from biascheck.debias.recipes import Recipe

__all__ = ["summed_score", "validation_name"]


def validation_name(recipe: Recipe) -> str:
    """What a validation figure of this recipe is: "loss", or "error" (one minus the accuracy). Lower is better."""
    return "error" if recipe.chosen_epoch == "highest accuracy" else "loss"


def summed_score(logits: Any, labels: Any, recipe: Recipe) -> float:
    """The figure summed over the rows of logits: −ln P of each label, or 1 where another class is the most probable.

    A tie of the label with another class counts as wrong unless the label comes first.
    """
    import torch

    if validation_name(recipe) == "error":
        return float((logits.argmax(dim=-1) != labels).sum())
    return float(torch.nn.functional.cross_entropy(logits, labels, reduction="sum"))
