"""The adapter of ``minilm-mlm``: its manifest, its tensors, and how they are merged into the base.

Two files lie together: ``adapter.safetensors`` (half precision) and ``adapter.json``, which states the
format, the base it belongs to, the scale of the low-rank update and the fingerprint of the tensors. A tensor
is either one side of a low-rank pair, ``<matrix>.lora_A`` or ``<matrix>.lora_B``, or carries the name of a
parameter that was trained in full and replaces it::

    W_merged = W_base + (alpha / r) · B · A        in float32, for every adapted matrix
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from biascheck.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from torch import Tensor
    from transformers import BertForMaskedLM

__all__ = [
    "ADAPTER_FORMAT",
    "AdapterManifest",
    "expected_adapter_names",
    "load_adapter",
    "merge_adapter",
    "read_manifest",
]

ADAPTER_FORMAT = 1

_REMEDY = "reinstall pytest-biascheck to restore the adapter"
_PART = r"attention\.self\.(?:query|key|value)|attention\.output\.dense|intermediate\.dense|output\.dense"
_MATRIX = re.compile(rf"(bert\.encoder\.layer\.\d+\.(?:{_PART}))\.weight")


@dataclass(frozen=True, slots=True)
class AdapterManifest:
    """What ``adapter.json`` states and loading relies on: format, fingerprints, scale of the update."""

    format_version: int
    base_sha256: str
    adapter_sha256: str
    rank: int
    alpha: float

    @property
    def scale(self) -> float:
        """The factor alpha / r on every low-rank product."""
        return self.alpha / self.rank


def read_manifest(folder: Path) -> AdapterManifest:
    """Read ``adapter.json`` in ``folder``; a damaged file or another format is a ModelError."""
    try:
        facts = json.loads((folder / "adapter.json").read_text(encoding="utf-8"))
        manifest = AdapterManifest(
            format_version=int(facts["format_version"]),
            base_sha256=str(facts["base"]["weights_sha256"]),
            adapter_sha256=str(facts["adapter_sha256"]),
            rank=int(facts["lora"]["r"]),
            alpha=float(facts["lora"]["alpha"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"adapter.json of minilm-mlm cannot be read ({error!r}); {_REMEDY}") from error
    if manifest.format_version != ADAPTER_FORMAT:
        found = manifest.format_version
        raise ModelError(f"adapter.json has format {found}, this version reads {ADAPTER_FORMAT}; {_REMEDY}")
    return manifest


def load_adapter(folder: Path, manifest: AdapterManifest) -> dict[str, Tensor]:
    """Load the tensors in ``folder``, after their fingerprint has been found to be the manifest's."""
    from safetensors import SafetensorError
    from safetensors.torch import load

    try:
        content = (folder / "adapter.safetensors").read_bytes()
    except OSError as error:
        raise ModelError(f"the adapter of minilm-mlm cannot be read ({error}); {_REMEDY}") from error
    found = hashlib.sha256(content).hexdigest()
    if found != manifest.adapter_sha256:
        raise ModelError(
            f"the adapter of minilm-mlm is damaged or altered: {len(content):,} bytes, sha256 {found[:12]}…, "
            f"where adapter.json states {manifest.adapter_sha256[:12]}…; {_REMEDY}"
        )
    try:
        return dict(load(content))
    except SafetensorError as error:
        raise ModelError(f"the adapter of minilm-mlm is not a safetensors file ({error}); {_REMEDY}") from error


def expected_adapter_names(parameters: Iterable[str]) -> set[str]:
    """Name every tensor of a complete adapter for a model with these parameter names.

    Low-rank pairs for the encoder's matrices; in full: biases, LayerNorms and the head's transform.
    """
    names = list(parameters)
    pairs = {f"{match[1]}.lora_{side}" for match in map(_MATRIX.fullmatch, names) if match for side in "AB"}
    return pairs | {name for name in names if _trained_in_full(name)}


def merge_adapter(model: BertForMaskedLM, adapter: Mapping[str, Tensor], scale: float) -> None:
    """Add ``scale · B · A`` to the adapted matrices of ``model`` and replace the parameters trained in full.

    The adapter must fit exactly: a missing, unknown or misshapen tensor is a ModelError, and so is one that
    holds values that are not finite.
    """
    import torch

    parameters = dict(model.named_parameters())
    _check_names(set(adapter), expected_adapter_names(parameters))
    with torch.no_grad():
        for name, parameter in parameters.items():
            if _trained_in_full(name):
                _assign(parameter, adapter[name].float(), name)
            elif match := _MATRIX.fullmatch(name):
                up, down = adapter[f"{match[1]}.lora_B"].float(), adapter[f"{match[1]}.lora_A"].float()
                _check_pair(up, down, name)
                _assign(parameter, parameter + scale * (up @ down), name)


def _trained_in_full(name: str) -> bool:
    return name.endswith("bias") or "LayerNorm" in name or name.startswith("cls.predictions.transform.")


def _check_names(found: set[str], expected: set[str]) -> None:
    missing, unexpected = sorted(expected - found), sorted(found - expected)
    if missing or unexpected:
        raise ModelError(
            f"the adapter does not fit the base: {len(missing)} tensors missing {missing[:3]}, "
            f"{len(unexpected)} unexpected {unexpected[:3]}; {_REMEDY}"
        )


def _check_pair(up: Tensor, down: Tensor, name: str) -> None:
    if up.ndim != 2 or down.ndim != 2 or up.shape[1] != down.shape[0]:
        shapes = f"B {tuple(up.shape)}, A {tuple(down.shape)}"
        raise ModelError(f"the low-rank pair of {name} does not multiply: {shapes}; {_REMEDY}")


def _assign(parameter: Tensor, value: Tensor, name: str) -> None:
    if parameter.shape != value.shape:
        found, expected = tuple(value.shape), tuple(parameter.shape)
        raise ModelError(f"the adapter gives {name} the shape {found} instead of {expected}; {_REMEDY}")
    if not bool(value.isfinite().all()):
        raise ModelError(f"the adapter gives {name} values that are not finite; {_REMEDY}")
    parameter.copy_(value)
