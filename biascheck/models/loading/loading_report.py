"""What transformers reports after loading: tensors that the weights lack, and tensors that the model does not use."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Any

from biascheck.errors import BiascheckWarning, ModelError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from biascheck.models.loading.folders import ModelFolder

__all__ = ["check_unexpected", "refuse_uninitialised"]

UNREAD_BY_ENCODERS = ("pooler.",)
LAYER = re.compile(r"(?:^|.*\.)(?:\w*layers?|h|\w*blocks?|\w*groups?)\.\d+(?=\.)")
# Buffers of older library versions, and the pooler, which only sentence heads read.
HARMLESS = re.compile(r"(^|\.)(pooler\.|position_ids$|masked_bias$|attn\.bias$|attention\.bias$|\w*inv_freq$)")


def refuse_uninitialised(folder: ModelFolder, model: Any, report: dict[str, Any]) -> None:
    """Refuse weights the file did not hold: transformers fills them at random and only logs a warning."""
    unread = UNREAD_BY_ENCODERS if folder.kind == "encoder" else ()
    missing = sorted(key for key in map(str, report.get("missing_keys", ())) if not key.startswith(unread))
    mismatched = sorted(str(key) for key in report.get("mismatched_keys", ()))
    if not missing and not mismatched:
        return
    first = ", ".join([*missing, *mismatched][:3])
    raise ModelError(
        f"{folder.path}: {len(missing) + len(mismatched)} tensors of {type(model).__name__} are not in the weights "
        f"({first} …) and would be random numbers; scores of such a head mean nothing. "
        "Train and save the head first, or load the checkpoint that has it"
    )


def check_unexpected(folder: ModelFolder, model: Any, report: dict[str, Any]) -> None:
    """Refuse a model that lacks layers of its weights; warn of other tensors of its body that it does not use.

    Heads of other tasks are normal, and so are poolers.
    """
    unexpected = sorted(_within_body(model, map(str, report.get("unexpected_keys", ()))))
    cut = _missing_layers(model, unexpected)
    if cut:
        raise ModelError(
            f"{folder.path}: the weights have layers that config.json leaves out ({', '.join(cut[:3])} …), so that the "
            "model would be cut short; use the config.json that was saved with the weights"
        )
    if unexpected:
        warnings.warn(
            f"{folder.path}: {len(unexpected)} tensors in the weights are not used by {type(model).__name__} "
            f"({', '.join(unexpected[:3])} …); check that config.json belongs to the weights",
            BiascheckWarning,
            stacklevel=2,
        )


def _within_body(model: Any, names: Iterable[str]) -> list[str]:
    prefix = f"{model.base_model_prefix}."
    parts = {name for name, _ in model.base_model.named_children()}
    bare = (name.removeprefix(prefix) for name in names)
    return [name for name in bare if name.split(".")[0] in parts and not HARMLESS.search(name)]


def _missing_layers(model: Any, names: Iterable[str]) -> list[str]:
    """The layers among these tensors of which the model has nothing at all."""
    layers = {match[0] for name in names if (match := LAYER.match(name))}
    there = [name for name, _ in model.base_model.named_parameters()]
    return sorted(layer for layer in layers if not any(name.startswith(f"{layer}.") for name in there))
