"""What reading a GGUF file with transformers needs, and what it loses of the tokenizer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from biascheck.errors import ModelError
from biascheck.release import require

__all__ = ["faithful", "require_gguf_readers"]

READERS = ("gguf", "accelerate")
PRE_TOKENIZER = "tokenizer.ggml.pre"


def require_gguf_readers() -> None:
    """Refuse early where the libraries that unpack a GGUF file are absent."""
    require("reading GGUF", "local", READERS, ModelError)


def faithful(tokenizer: Any, file: Path, max_length: int | None) -> Any:
    """Restore what transformers loses: the split into single digits, and the length limit.

    A file names its pre-tokenizer. For ``smollm`` that is each digit alone, then GPT-2's split; transformers builds
    GPT-2's split only, which cuts white space before a digit in another way. Other names are left as they are read.
    """
    from tokenizers import pre_tokenizers

    if _pre_tokenizer(file) == "smollm":
        tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
        )
    if max_length is not None:
        tokenizer.model_max_length = max_length
    return tokenizer


def _pre_tokenizer(file: Path) -> str | None:
    from gguf import GGUFReader

    field = GGUFReader(file).get_field(PRE_TOKENIZER)
    return None if field is None else str(field.contents())
