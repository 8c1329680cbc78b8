"""Digests by which a model is known: its weights, its tokenizer, its precision."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Fingerprint", "fingerprint_of_files", "fingerprint_of_pair", "sha256_of"]

READ_AT_ONCE = 1 << 22


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


def fingerprint_of_files(weights: Iterable[Path], tokenizer: Iterable[Path], dtype: str) -> Fingerprint:
    """Fingerprint a model on disk without loading it."""
    return Fingerprint(_of_files(weights), _of_files(tokenizer), dtype)


def fingerprint_of_pair(model: Any, tokenizer: Any) -> Fingerprint:
    """Fingerprint a model in memory: every tensor with its name, and the tokenizer's own serialisation."""
    digest = hashlib.sha256(model.config.to_json_string().encode())
    for name, tensor in sorted(model.state_dict().items()):
        flat = tensor.detach().cpu().contiguous().flatten()
        digest.update(f"{name}{tuple(tensor.shape)}{tensor.dtype}".encode())
        digest.update(memoryview(flat.view(dtype=_byte_type()).numpy()))
    text = tokenizer.backend_tokenizer.to_str() if getattr(tokenizer, "is_fast", False) else repr(tokenizer)
    return Fingerprint(digest.hexdigest(), hashlib.sha256(text.encode()).hexdigest(), str(model.dtype).split(".")[-1])


def _byte_type() -> Any:
    import torch

    return torch.uint8


def _of_files(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(paths, key=lambda p: p.name):
        digest.update(f"{path.name}:{sha256_of(path)}\n".encode())
    return digest.hexdigest()


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's bytes."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(READ_AT_ONCE):
            digest.update(block)
    return digest.hexdigest()
