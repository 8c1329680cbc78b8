"""The pooler of a checkpoint, which a language model leaves aside and a classifier starts from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from biascheck.models.loading.folders import ModelFolder

__all__ = ["stored_pooler"]

_POOLER = re.compile(r"(?:\w+\.)?(pooler\..+)")
_PICKLES = (".bin", ".pt", ".pth", ".ckpt")


def stored_pooler(folder: ModelFolder) -> dict[str, Any]:
    """The tensors of the pooler in a folder, under their names in the body; nothing where the weights have none.

    BERT and ALBERT are published with the pooler that next-sentence or sentence-order prediction trained. The classes
    for masked language modelling have no place for it; those for classification take it as their start.
    """
    return {name: tensor for file in folder.weights for name, tensor in _poolers(file)}


def _poolers(file: Path) -> Iterator[tuple[str, Any]]:
    if file.suffix == ".safetensors" and not file.name.startswith("adapter_"):
        from safetensors import safe_open

        with safe_open(file, framework="pt") as tensors:
            yield from ((match[1], tensors.get_tensor(match[0])) for match in _matching(tensors.keys()))
    elif file.suffix in _PICKLES and not file.name.startswith("adapter_"):
        import torch

        held = torch.load(file, map_location="cpu", weights_only=True)
        yield from ((match[1], held[match[0]]) for match in _matching(held))


def _matching(names: Any) -> list[re.Match[str]]:
    return [match for name in names if (match := _POOLER.fullmatch(name))]
