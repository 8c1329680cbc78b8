"""Digests by which a model is known: its weights and settings, its tokenizer, its precision."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from biascheck.cache.document_cache import DocumentCache, active_cache, digest_of
from biascheck.errors import ModelError

__all__ = [
    "FileState",
    "Fingerprint",
    "fingerprint_of_files",
    "fingerprint_of_pair",
    "plain_tensors",
    "sha256_of",
    "state_of",
]

READ_AT_ONCE = 1 << 22
CACHED_FROM_BYTES = 1 << 20
"""Bytes of a file whose digest is worth keeping for the next run."""
SETTLED_AFTER = 2.0
"""Seconds. A file that changed later than this before it was read may change again within one tick of its clock."""

FileState = tuple[int, int, int, int, int]
_known: dict[tuple[str, FileState], str] = {}


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What two models must share to be the same model to us."""

    weights: str
    tokenizer: str
    dtype: str

    @property
    def digest(self) -> str:
        """One digest of all three."""
        return hashlib.sha256("\n".join((self.weights, self.tokenizer, self.dtype)).encode()).hexdigest()


def fingerprint_of_files(
    root: Path, weights: Iterable[Path], tokenizer: Iterable[Path], dtype: str, *, settings: Iterable[str] = ()
) -> Fingerprint:
    """Fingerprint a model on disk without loading it.

    Files count by their path relative to ``root`` and their bytes. ``settings`` are options that change what
    loading makes of the same files.
    """
    return Fingerprint(_of_files(root, weights, settings), _of_files(root, tokenizer), dtype)


def fingerprint_of_pair(model: Any, tokenizer: Any) -> Fingerprint:
    """Fingerprint a model in memory: its class and settings, every tensor with its name, and the tokenizer."""
    digest = hashlib.sha256(settings_of_model(model).encode())
    for name, tensor in sorted(model.state_dict().items()):
        if tensor.device.type == "meta":
            raise ModelError(f"{name} is not in memory, so the model has no fingerprint; load it by its folder")
        digest.update(f"{name}{tuple(tensor.shape)}{tensor.dtype}".encode())
        for part in plain_tensors(tensor):
            flat = part.cpu().contiguous().flatten()
            digest.update(memoryview(flat.view(dtype=_byte_type()).numpy()))
    text = f"{_vocabulary(tokenizer)}\n{settings_of_tokenizer(tokenizer)}"
    return Fingerprint(digest.hexdigest(), hashlib.sha256(text.encode()).hexdigest(), str(model.dtype).split(".")[-1])


def plain_tensors(tensor: Any) -> Iterator[Any]:
    """What holds the numbers of a tensor: itself, or the tensors inside a quantised one; none where it is offloaded."""
    from torch.utils._python_dispatch import is_traceable_wrapper_subclass

    if tensor.device.type == "meta":
        return
    if not is_traceable_wrapper_subclass(tensor):
        yield tensor.detach()
        return
    names, _ = tensor.__tensor_flatten__()
    for part in (getattr(tensor, name) for name in names):
        if part is not None:
            yield from plain_tensors(part)


def settings_of_model(model: Any) -> str:
    """The class, the configuration and the adapters of a model in memory."""
    adapters = {name: str(adapter) for name, adapter in sorted(getattr(model, "peft_config", {}).items())}
    return "\n".join((type(model).__name__, model.config.to_json_string(), json.dumps(adapters)))


def settings_of_tokenizer(tokenizer: Any) -> str:
    """The settings of a tokenizer besides its vocabulary: its special tokens, its limit, its template."""
    special = {name: str(token) for name, token in getattr(tokenizer, "special_tokens_map", {}).items()}
    named = ("model_max_length", "chat_template", "padding_side", "truncation_side")
    options = {name: str(getattr(tokenizer, name, None)) for name in named}
    return json.dumps([special, options], sort_keys=True)


def _vocabulary(tokenizer: Any) -> str:
    return str(tokenizer.backend_tokenizer.to_str()) if getattr(tokenizer, "is_fast", False) else repr(tokenizer)


def _byte_type() -> Any:
    import torch

    return torch.uint8


def _of_files(root: Path, paths: Iterable[Path], settings: Iterable[str] = ()) -> str:
    digest = hashlib.sha256()
    named = {os.path.relpath(path, root).replace(os.sep, "/"): path for path in paths}
    for name, path in sorted(named.items()):
        digest.update(f"{name}:{sha256_of(path)}\n".encode(errors="surrogateescape"))
    for setting in settings:
        digest.update(f"{setting}\n".encode())
    return digest.hexdigest()


def state_of(path: Path) -> FileState:
    """What the file system says of a file: it changes whenever the file is replaced or written to."""
    found = path.stat()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's bytes; a file that did not change is read once per process.

    Where results are kept, so are the digests of large files: weights are not read again for a run that needs none.
    """
    state = state_of(path)
    key = (str(path.absolute()), state)
    if key in _known:
        return _known[key]
    settled = time.time() - max(state[3:]) / 1e9 > SETTLED_AFTER
    cache = (active_cache() if settled and state[2] >= CACHED_FROM_BYTES else None) or DocumentCache(None)
    place = digest_of(["sha256 of a file", *key])
    digest = str(cache.fetch(place, lambda: _read(path)))
    if state_of(path) != state:
        cache.forget(place)
    elif settled:
        _known[key] = digest
    return digest


def _read(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(READ_AT_ONCE):
            digest.update(block)
    return digest.hexdigest()
