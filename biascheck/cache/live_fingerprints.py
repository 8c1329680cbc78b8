"""Fingerprints of what is in memory and may change there: trained on, loaded over, edited in place.

Version counters of torch would be cheaper still, but writing through ``param.data`` or NumPy does not move them. So
the numbers themselves are added up, at about the speed of memory, and digested again only where the sums differ.
"""

from __future__ import annotations

import hashlib
from functools import cache
from typing import TYPE_CHECKING, Any

from biascheck.cache.fingerprints import (
    Fingerprint,
    fingerprint_of_pair,
    plain_tensors,
    settings_of_model,
    settings_of_tokenizer,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["LiveFingerprint", "checksum_of"]

BLOCK = 4_096
SMALL = 1 << 20


class LiveFingerprint:
    """The fingerprint of a (model, tokenizer) pair at the moment it is asked for.

    ``known`` is the fingerprint of the pair as it is now, where it has one already: that of its files. Weights that
    were offloaded to disk are not in memory, so that a change of them there is not seen.
    """

    def __init__(self, model: Any, tokenizer: Any, known: Fingerprint | None = None) -> None:
        self._pair = (model, tokenizer)
        self._known: dict[bytes, Fingerprint] = {}
        self._known[self._checksum()] = known or fingerprint_of_pair(model, tokenizer)

    def __call__(self) -> Fingerprint:
        """Digest the pair, unless it is as it was before."""
        checksum = self._checksum()
        if checksum not in self._known:
            self._known[checksum] = fingerprint_of_pair(*self._pair)
        return self._known[checksum]

    def _checksum(self) -> bytes:
        model, tokenizer = self._pair
        digest = hashlib.sha256(settings_of_model(model).encode())
        for name, tensor in sorted({**dict(model.named_parameters()), **dict(model.named_buffers())}.items()):
            digest.update(f"{name}{tuple(tensor.shape)}{tensor.dtype}".encode())
            for part in plain_tensors(tensor):
                digest.update(_checksum_of_tensor(part))
        digest.update(f"{len(tokenizer)}{settings_of_tokenizer(tokenizer)}{_steps(tokenizer)}".encode())
        return digest.digest()


def checksum_of(numbers: NDArray[Any]) -> bytes:
    """A digest of small arrays, sums by blocks of large ones: another number or another order changes it."""
    import numpy as np

    flat = np.ascontiguousarray(numbers).reshape(-1).view(np.uint8)
    if flat.size <= SMALL:
        return hashlib.sha256(flat.data).digest()
    whole = flat.size // (8 * BLOCK) * 8 * BLOCK
    sums = np.einsum("ij,j->i", flat[:whole].view(np.uint64).reshape(-1, BLOCK), _weights())
    return hashlib.sha256(sums.tobytes() + flat[whole:].tobytes()).digest()


@cache
def _weights() -> NDArray[np.uint64]:
    """Odd weights are invertible modulo 2**64, so that one changed number always changes the sum of its block."""
    import numpy as np

    return np.arange(1, 2 * BLOCK, 2, dtype=np.uint64)


def _checksum_of_tensor(tensor: Any) -> bytes:
    import torch

    flat = tensor.detach().contiguous().flatten().view(torch.uint8)
    if flat.device.type == "cpu":
        return checksum_of(flat.numpy())
    whole = len(flat) // BLOCK * BLOCK
    blocks = flat[:whole].view(-1, BLOCK)
    # Only sums leave the device; along both axes, since the order of a block does not change its sum.
    parts = (blocks.sum(dim=1, dtype=torch.int64), blocks.sum(dim=0, dtype=torch.int64), flat[whole:])
    return hashlib.sha256(b"".join(part.cpu().numpy().tobytes() for part in parts)).digest()


def _steps(tokenizer: Any) -> str:
    backend = getattr(tokenizer, "backend_tokenizer", None)
    names = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
    return "\n".join([*(repr(getattr(backend, name, None)) for name in names), str(id(backend))])
