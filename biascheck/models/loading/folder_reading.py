"""Reading the files of a model folder with transformers, and checking what became of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, redirect_stderr
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any, TypeVar

from biascheck.cache.fingerprints import FileState, Fingerprint, state_of
from biascheck.errors import ModelError
from biascheck.models.adapters.device_maps import note_placement
from biascheck.models.loading.checked_files import checked_file, read_json
from biascheck.models.loading.folders import ModelFolder
from biascheck.models.loading.gguf_files import faithful
from biascheck.models.loading.loading_report import check_unexpected, refuse_uninitialised

__all__ = [
    "explained",
    "is_quantised",
    "read_folder",
    "read_tokenizer",
    "read_unchanged",
    "sketch_folder",
    "without_bars",
]

Read = TypeVar("Read")

AUTO_CLASSES = {
    "masked": "AutoModelForMaskedLM",
    "causal": "AutoModelForCausalLM",
    "seq2seq": "AutoModelForSeq2SeqLM",
    "classifier": "AutoModelForSequenceClassification",
    "encoder": "AutoModel",
}


def read_unchanged(read: Callable[[], Read], inspect: Callable[[], ModelFolder], fingerprint: Fingerprint) -> Read:
    """Read a folder, and make sure that what was read is what was fingerprinted."""
    before = inspect()
    states = _states(before)
    if before.fingerprint(fingerprint.dtype) != fingerprint:
        raise _changed(before)
    found = read()
    after = inspect()
    if _states(after) != states or after.fingerprint(fingerprint.dtype) != fingerprint:
        raise _changed(after)
    return found


def _states(folder: ModelFolder) -> dict[str, FileState]:
    try:
        return {str(file): state_of(file) for file in (*folder.weights, *folder.tokenizer)}
    except OSError as error:
        raise _changed(folder) from error


def _changed(folder: ModelFolder) -> ModelError:
    return ModelError(
        f"{folder.path}: the files changed during the run, so that figures could be filed under another model; "
        "start the run again, and leave the folder alone until it ends"
    )


def read_folder(
    folder: ModelFolder,
    *,
    dtype: str,
    trust_remote_code: bool,
    gguf_file: str | None,
    device_map: str | dict[str, Any] | None = None,
) -> tuple[Any, Any]:
    """The model and the tokenizer in a folder; a ModelError where they are not whole."""
    import transformers

    common: dict[str, Any] = {"trust_remote_code": trust_remote_code, "local_files_only": True}
    if gguf_file is not None:
        common["gguf_file"] = gguf_file
    auto = getattr(transformers, AUTO_CLASSES[folder.kind])
    read = partial(
        auto.from_pretrained,
        folder.path,
        dtype=dtype,
        use_safetensors=None if gguf_file else not folder.pickled,
        output_loading_info=True,
        **({} if device_map is None else {"device_map": device_map}),
        **common,
    )
    with without_bars(gguf=gguf_file is not None):
        model, report = explained(folder, read)
    if device_map is not None:
        note_placement(model)
    refuse_uninitialised(folder, model, report)
    check_unexpected(folder, model, report)
    tokenizer = explained(folder, partial(read_tokenizer, folder, **common))
    if gguf_file is not None:
        limit = getattr(model.config, "max_position_embeddings", None)
        tokenizer = explained(folder, partial(faithful, tokenizer, folder.path / gguf_file, limit))
    return model, tokenizer


def is_quantised(folder: Path) -> bool:
    """Whether the weights are packed: a model without weights would have other shapes."""
    config = checked_file(folder / "config.json")
    return config is not None and "quantization_config" in read_json(config, dict[str, Any])


def sketch_folder(folder: ModelFolder, *, dtype: str, trust_remote_code: bool) -> tuple[Any, Any]:
    """The model in a folder without its weights, which costs no memory, and the tokenizer."""
    import torch
    import transformers

    common: dict[str, Any] = {"trust_remote_code": trust_remote_code, "local_files_only": True}
    auto = getattr(transformers, AUTO_CLASSES[folder.kind])

    def sketched() -> Any:
        config = transformers.AutoConfig.from_pretrained(folder.path, **common)
        with torch.device("meta"):
            return auto.from_config(config, dtype=getattr(torch, dtype), trust_remote_code=trust_remote_code)

    return explained(folder, sketched), explained(folder, partial(read_tokenizer, folder, **common))


@contextmanager
def without_bars(*, gguf: bool = False) -> Iterator[None]:
    """Keep transformers' own bars for reading weights off the terminal."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        # The bar for unpacking GGUF is not one of those that can be switched off.
        with redirect_stderr(StringIO()) if gguf else nullcontext():
            yield
    finally:
        if shown:
            logging.enable_progress_bar()


def read_tokenizer(folder: ModelFolder, **common: Any) -> Any:
    """The tokenizer in a folder."""
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder.path, **common)
    there = {path.name for path in folder.tokenizer}
    if "vocab.txt" in there and there.isdisjoint(tokenizer.vocab_files_names.values()):
        # An ALBERT with a WordPiece vocabulary, say: transformers goes by the model type and makes up
        # an empty tokenizer, without a word.
        return transformers.BertTokenizerFast.from_pretrained(folder.path, **common)
    return tokenizer


def explained(folder: ModelFolder, read: Callable[[], Any]) -> Any:
    """Turn the many ways in which reading a folder can fail into one error with a remedy."""
    try:
        return read()
    except ModelError:
        raise
    except ImportError as error:
        raise ModelError(f"{folder.named}: {str(error).strip().splitlines()[0]}") from error
    except Exception as error:
        text = str(error).strip().splitlines() or [type(error).__name__]
        remedy = "the files are damaged, incomplete, or of an architecture this transformers release does not know"
        if "trust_remote_code" in str(error):
            remedy = "its code comes with the model; pass trust_remote_code=True if you trust its author"
        raise ModelError(f"{folder.named}: could not be loaded ({text[0]}); {remedy}") from error
