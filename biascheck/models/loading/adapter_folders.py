"""Folders with an adapter alone (LoRA and its kin, as the peft library saves them), and the model it belongs to.

The adapter is merged into the weights of its base when they are read, so that everything else meets an ordinary model.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from biascheck.cache.fingerprints import Fingerprint, fingerprint_of_files
from biascheck.errors import ModelError
from biascheck.models.loading.checked_files import checked_file, read_json
from biascheck.models.loading.folder_reading import explained, read_folder, read_tokenizer
from biascheck.models.loading.folders import Kind, ModelFolder, inspect_folder, own_tokenizer
from biascheck.models.loading.weight_files import ADAPTER_CONFIG, adapter_files

__all__ = ["AdapterFolder", "base_of_adapter", "inspect_adapter", "is_adapter_folder", "read_adapter"]


@dataclass(frozen=True)
class AdapterFolder(ModelFolder):
    """An adapter that passed inspection, with the folder of its base."""

    base: ModelFolder | None = None
    adapter: tuple[Path, ...] = ()
    own_tokenizer: bool = False

    def fingerprint(self, dtype: str) -> Fingerprint:
        """A fingerprint of base and adapter, wherever the two lie."""
        assert self.base is not None
        below = self.base.fingerprint(dtype)
        own = fingerprint_of_files(self.path, self.adapter, self.tokenizer if self.own_tokenizer else (), dtype)
        weights = hashlib.sha256(f"adapter\n{below.weights}\n{own.weights}".encode()).hexdigest()
        return Fingerprint(weights, own.tokenizer if self.own_tokenizer else below.tokenizer, dtype)


class _AdapterConfig(msgspec.Struct):
    base_model_name_or_path: str | None = None


def is_adapter_folder(path: Path) -> bool:
    """Whether a folder holds an adapter and no model."""
    return (path / ADAPTER_CONFIG).is_file() and not (path / "config.json").exists()


def base_of_adapter(path: Path, find: Callable[[str | Path], Path]) -> Path:
    """The folder of the base that the adapter names: beside it, from here, or as ``find`` finds any model."""
    config = checked_file(path / ADAPTER_CONFIG)
    assert config is not None
    named = read_json(config, _AdapterConfig).base_model_name_or_path
    if not named:
        raise ModelError(f"{config}: does not name the model that the adapter belongs to; pass it as base=… {HINT}")
    for place in (path / named, Path(named).expanduser()):
        if place.is_dir():
            return place
    try:
        return find(named)
    except ModelError as error:
        raise ModelError(
            f"{path}: the adapter belongs to {named!r}, which was not found ({error}); pass its base as base=… {HINT}"
        ) from error


HINT = "(--bias-base on the command line)"


def inspect_adapter(
    path: Path, *, base: Path, kind: Kind | None = None, allow_pickle: bool = False, trust_remote_code: bool = False
) -> AdapterFolder:
    """Check that the folder has an adapter's settings and weights, and the base what a model needs."""
    below = inspect_folder(base, kind=kind, allow_pickle=allow_pickle, trust_remote_code=trust_remote_code)
    adapter = adapter_files(path, allow_pickle=allow_pickle)
    tokenizer = own_tokenizer(path)
    return AdapterFolder(
        path=path,
        kind=below.kind,
        weights=(*below.weights, *adapter),
        tokenizer=tokenizer or below.tokenizer,
        pickled=below.pickled,
        settings=below.settings,
        chat=below.chat,
        base=below,
        adapter=adapter,
        own_tokenizer=bool(tokenizer),
    )


def read_adapter(folder: AdapterFolder, *, dtype: str, trust_remote_code: bool) -> tuple[Any, Any]:
    """The base with the adapter merged into its weights, and the tokenizer of the adapter or of the base.

    They are merged in float32, whatever the precision afterwards.
    """
    assert folder.base is not None
    model, tokenizer = read_folder(folder.base, dtype="float32", trust_remote_code=trust_remote_code, gguf_file=None)
    if folder.own_tokenizer:
        common = {"trust_remote_code": trust_remote_code, "local_files_only": True}
        tokenizer = explained(folder, lambda: read_tokenizer(folder, **common))
        if len(tokenizer) > model.get_input_embeddings().num_embeddings:
            model.resize_token_embeddings(len(tokenizer))
    import torch

    return explained(folder, lambda: _merged(folder, model)).to(getattr(torch, dtype)), tokenizer


def _merged(folder: AdapterFolder, model: Any) -> Any:
    from peft import PeftModel

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        adapted = PeftModel.from_pretrained(model, folder.path, local_files_only=True)
    if any("missing adapter keys" in str(one.message) for one in said):
        raise ModelError(
            f"{folder.path}: some weights of the adapter are missing and would count as none; copy it again"
        )
    if not hasattr(adapted, "merge_and_unload"):
        raise ModelError(f"{folder.path}: {type(adapted.base_model).__name__} cannot be merged into weights; use LoRA")
    return adapted.merge_and_unload(safe_merge=True).eval()
