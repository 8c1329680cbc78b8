"""Layers of one model on several devices: transformers' ``device_map``, by accelerate."""

from __future__ import annotations

from typing import Any

from biascheck.errors import ModelError, UsageError
from biascheck.release import require

__all__ = ["MAPS", "entrance_of", "is_placed", "note_placement", "quantisation_of", "refuse_map"]

MAPS = ("auto", "balanced", "balanced_low_0", "sequential")


def refuse_map(device_map: str | dict[str, Any], *, device: str | None, adapter: bool) -> None:
    """Refuse a map that cannot be followed, before anything is read."""
    if isinstance(device_map, str) and device_map not in MAPS:
        raise UsageError(
            f"device map {device_map!r} is not one of {', '.join(MAPS)}; for a single device use device={device_map!r}"
        )
    if device is not None:
        raise UsageError("give a device or a device map, not both: the map says where every layer goes")
    if adapter:
        raise UsageError("a device map is for the folder of a whole model; merge an adapter, or save the model, first")
    require("a device map", "local", ("accelerate",), ModelError)


def is_placed(model: Any) -> bool:
    """Whether transformers has put the layers where they belong, so that the model must not be moved as a whole."""
    return bool(getattr(model, "hf_device_map", None))


def note_placement(model: Any) -> None:
    """Note that a map was followed: transformers does so only where it has led to several devices."""
    if not is_placed(model):
        model.hf_device_map = {"": str(model.device)}


def entrance_of(model: Any) -> str:
    """The device that the inputs of a placed model go to: that of its embeddings, or where a hook brings them."""
    embeddings = model.get_input_embeddings()
    hook = getattr(embeddings, "_hf_hook", None)
    found = getattr(hook, "execution_device", None)
    device = embeddings.weight.device if found is None else found
    return f"cuda:{device}" if isinstance(device, int) else str(device)


def quantisation_of(model: Any) -> str:
    """How the weights of a quantised checkpoint are stored, in words; empty for one that is not."""
    config = getattr(model.config, "quantization_config", None)
    if config is None:
        return ""
    settings = config if isinstance(config, dict) else config.to_dict()
    method = str(getattr(settings.get("quant_method"), "value", settings.get("quant_method", "unknown")))
    bits = next((f"{settings[name]} bits" for name in ("bits", "num_bits") if isinstance(settings.get(name), int)), "")
    kinds = next((str(settings[name]) for name in ("quant_type", "format") if isinstance(settings.get(name), str)), "")
    return ", ".join(part for part in (method, bits, kinds) if part)
