"""Which parameters of a model stay as they are while it is fine-tuned."""

from __future__ import annotations

import re
from typing import Any

from biascheck.debias.recipes import Recipe

__all__ = ["freeze"]

_LAYER = re.compile(r"\b(?:layer|layers|h|blocks?)\.(\d+)\.")
_EMBEDDING = re.compile(r"embed|\bwte\.|\bwpe\.")


def freeze(model: Any, recipe: Recipe) -> None:
    """Freeze what the recipe says; what is frozen already, such as the base under an adapter, stays frozen."""
    for name, parameter in model.named_parameters():
        parameter.requires_grad = parameter.requires_grad and not _is_frozen(name, recipe)


def _is_frozen(parameter: str, recipe: Recipe) -> bool:
    layer = _LAYER.search(parameter)
    if layer is None:
        return recipe.freeze_embeddings and _EMBEDDING.search(parameter) is not None
    return int(layer[1]) < recipe.frozen_layers
