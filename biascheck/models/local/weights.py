"""Weight files of a model folder, and transformers' report after reading them."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from biascheck.core.errors import BiascheckWarning, ModelError
from biascheck.core.release import require
from biascheck.models.files import checked_file, read_json, refuse_outside

if TYPE_CHECKING:
    from collections.abc import Iterable

    from biascheck.models.local.folders import ModelFolder


# The files that the weights of a model folder are read from: the choice that transformers makes, made in advance.

SAFE_WEIGHTS = "model.safetensors"
SAFE_ENDINGS = (".safetensors", ".safetensors.index.json")
SAFE_INDEX = "model.safetensors.index.json"
PICKLED_WEIGHTS = "pytorch_model.bin"
PICKLED_INDEX = "pytorch_model.bin.index.json"
ADAPTER_CONFIG = "adapter_config.json"
ADAPTER_WEIGHTS = ("adapter_model.safetensors", "adapter_model.bin")
LIKE_PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt")
TRAINING_STATE = ("training_args.*", "optimizer.*", "scheduler.*", "scaler.*", "rng_state*")


class _Index(msgspec.Struct):
    metadata: dict[str, Any]
    weight_map: dict[str, str]


def weight_files(folder: Path, *, named: str | None, allow_pickle: bool) -> tuple[tuple[Path, ...], bool]:
    """Every file the weights are read from, and whether they are pickled.

    ``named`` is the file that config.json prefers, if it names one.
    """
    if named is not None:
        return _named_files(folder, named, allow_pickle), not named.endswith(SAFE_ENDINGS)
    if (single := checked_file(folder / SAFE_WEIGHTS)) is not None:
        return (_permitted(folder, single, allow_pickle),), False
    if (index := checked_file(folder / SAFE_INDEX)) is not None:
        return (index, *_shards(folder, index, allow_pickle)), False
    return _pickled_files(folder, allow_pickle), True


def adapter_files(folder: Path, *, allow_pickle: bool) -> tuple[Path, ...]:
    """The settings and the weights of an adapter in the folder; empty if there is none."""
    config = checked_file(folder / ADAPTER_CONFIG)
    if config is None:
        return ()
    _refuse_without_peft(config)
    read_json(config, dict[str, Any])
    there = [file for name in ADAPTER_WEIGHTS if (file := checked_file(folder / name)) is not None]
    if not there:
        raise ModelError(f"{config}: the weights of the adapter (adapter_model.safetensors) are missing; copy it again")
    return (config, *(_permitted(folder, file, allow_pickle) for file in (there if allow_pickle else there[:1])))


def _refuse_without_peft(config: Path) -> None:
    require(
        f"{config}: an adapter", "lora", ("peft",), ModelError, instead=", or merge the adapter into the weights first"
    )


def _named_files(folder: Path, named: str, allow_pickle: bool) -> tuple[Path, ...]:
    file = _existing(folder, folder / "config.json", named, allow_pickle)
    if named.endswith(".index.json"):
        return (file, *_shards(folder, file, allow_pickle))
    return (_permitted(folder, file, allow_pickle),)


def _shards(folder: Path, index: Path, allow_pickle: bool) -> list[Path]:
    if not allow_pickle:
        refuse_outside(folder, index)
    names = sorted(set(read_json(index, _Index).weight_map.values()))
    if not names:
        raise ModelError(f"{index}: names no weights; copy the folder again")
    shards = [_existing(folder, index, name, allow_pickle) for name in names]
    return [_permitted(folder, shard, allow_pickle) for shard in shards]


def _existing(folder: Path, named_by: Path, name: str, allow_pickle: bool) -> Path:
    if not allow_pickle and (Path(name).is_absolute() or ".." in Path(name).parts):
        raise ModelError(
            f"{named_by}: names the weights {name!r}, which lie outside the folder; copy them into it, "
            "or pass allow_pickle=True if you trust their source"
        )
    file = checked_file(folder / name)
    if file is None:
        raise ModelError(f"{named_by}: names the weights {name!r}, which are not in the folder; copy it again")
    return file


def _pickled_files(folder: Path, allow_pickle: bool) -> tuple[Path, ...]:
    like = [path for path in sorted(folder.iterdir()) if _is_like(path, LIKE_PICKLES)]
    pickled = [path for path in like if not _is_like(path, TRAINING_STATE) and path.name not in ADAPTER_WEIGHTS]
    if not pickled:
        raise ModelError(f"{folder}: no weights (*.safetensors) in the folder; copy it again, weights included")
    if not allow_pickle:
        raise _refused_pickle(folder, pickled[0])
    if (single := checked_file(folder / PICKLED_WEIGHTS)) is not None:
        return (single,)
    if (index := checked_file(folder / PICKLED_INDEX)) is not None:
        return (index, *_shards(folder, index, allow_pickle))
    raise ModelError(
        f"{folder}: neither {SAFE_WEIGHTS} nor {PICKLED_WEIGHTS}; if {pickled[0].name} contains the weights, rename it"
    )


def _permitted(folder: Path, weights: Path, allow_pickle: bool) -> Path:
    """Raise an error for a pickle or a file from elsewhere, unless it was allowed."""
    if allow_pickle:
        return weights
    if not weights.name.endswith(".safetensors"):
        raise _refused_pickle(folder, weights)
    refuse_outside(folder, weights)
    return weights


def _refused_pickle(folder: Path, file: Path) -> ModelError:
    return ModelError(
        f"{folder}: the weights are pickled ({file.name}), and unpickling can run any code; "
        "convert them to safetensors, or pass allow_pickle=True if you trust their source"
    )


def _is_like(path: Path, patterns: tuple[str, ...]) -> bool:
    return any(path.match(pattern) for pattern in patterns)


# Transformers' report after loading: tensors missing from the weights, and tensors that the model does not use.

UNREAD_BY_ENCODERS = ("pooler.",)
LAYER = re.compile(r"(?:^|.*\.)(?:\w*layers?|h|\w*blocks?|\w*groups?)\.\d+(?=\.)")
# Buffers of older library versions, and the pooler, which only sentence heads read.
HARMLESS = re.compile(r"(^|\.)(pooler\.|position_ids$|masked_bias$|attn\.bias$|attention\.bias$|\w*inv_freq$)")


def refuse_uninitialised(folder: ModelFolder, model: Any, report: dict[str, Any]) -> None:
    """Raise an error for weights missing from the file: transformers fills them at random and only logs a warning."""
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
    """Raise an error for a model that lacks layers of its weights; warn about other tensors of its body that it does
    not use.

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
    """The layers among these tensors that the model lacks completely."""
    layers = {match[0] for name in names if (match := LAYER.match(name))}
    there = [name for name, _ in model.base_model.named_parameters()]
    return sorted(layer for layer in layers if not any(name.startswith(f"{layer}.") for name in there))
