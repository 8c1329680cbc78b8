"""Low-rank adapters (Hu et al. 2022): few parameters to train, merged into ordinary weights at the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from biascheck.debias.recipes import LanguageRecipe
from biascheck.release import require

__all__ = ["with_adapter"]

SCALE = 2
"""alpha over rank: how much an adapter counts beside the weights it is added to."""


def with_adapter(model: Any, recipe: LanguageRecipe) -> tuple[Any, Callable[[], Any]]:
    """The model to train, and a function that gives the finished one: plain weights of the model's own class.

    Without a rank both are the model itself. An adapter is put on every matrix but those of embeddings and output.
    """
    if not recipe.rank:
        return model, lambda: model
    instead = ", or use rank=0 to train the weights themselves"
    require(f"recipe {recipe.name!r} trains an adapter, which", "lora", instead=instead)
    import torch
    from peft import LoraConfig, get_peft_model

    config = LoraConfig(r=recipe.rank, lora_alpha=SCALE * recipe.rank, target_modules="all-linear")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(recipe.seed)
        adapted = get_peft_model(model, config)
    return adapted.get_base_model(), adapted.merge_and_unload
