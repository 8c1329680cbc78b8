"""Reading a model folder with transformers, adapters and GGUF files included, and checks of what was read."""

from __future__ import annotations

import hashlib
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, redirect_stderr
from dataclasses import dataclass
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from biascheck.core.errors import ModelError
from biascheck.core.identity import FileState, Fingerprint, fingerprint_of_files, state_of
from biascheck.core.release import require
from biascheck.models.files import checked_file, read_json
from biascheck.models.local.folders import Kind, ModelFolder, inspect_folder, own_tokenizer
from biascheck.models.local.transformers import note_placement
from biascheck.models.local.weights import ADAPTER_CONFIG, adapter_files, check_unexpected, refuse_uninitialised

# Requirements for reading a GGUF file with transformers, and the parts of the tokenizer that it loses.

READERS = ("gguf", "accelerate")
PRE_TOKENIZER = "tokenizer.ggml.pre"


def require_gguf_readers() -> None:
    """Raise an error early if the libraries that unpack a GGUF file are missing."""
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


# The pooler of a checkpoint, which a language model drops and a classifier starts from.

_POOLER = re.compile(r"(?:\w+\.)?(pooler\..+)")
_PICKLES = (".bin", ".pt", ".pth", ".ckpt")


def stored_pooler(folder: ModelFolder) -> dict[str, Any]:
    """The tensors of the pooler in a folder, under their names in the body; empty if the weights have none.

    BERT and ALBERT are published with the pooler that next-sentence or sentence-order prediction trained. The classes
    for masked language modelling drop it; those for classification start from it.
    """
    return {name: tensor for file in folder.weights for name, tensor in _poolers(file)}


def _poolers(file: Path) -> Iterator[tuple[str, Any]]:
    if file.suffix == ".safetensors" and not file.name.startswith("adapter_"):
        from safetensors import safe_open

        with safe_open(file, framework="pt") as tensors:
            yield from ((match[1], tensors.get_tensor(match[0])) for match in _matching(tensors.keys()))
    elif file.suffix in _PICKLES and not file.name.startswith("adapter_"):
        import torch

        held = torch.load(file, map_location="cpu", weights_only=True)
        yield from ((match[1], held[match[0]]) for match in _matching(held))


def _matching(names: Any) -> list[re.Match[str]]:
    return [match for name in names if (match := _POOLER.fullmatch(name))]


# Reading the files of a model folder with transformers, and checking the result.

Read = TypeVar("Read")

AUTO_CLASSES = {
    "masked": "AutoModelForMaskedLM",
    "causal": "AutoModelForCausalLM",
    "seq2seq": "AutoModelForSeq2SeqLM",
    "classifier": "AutoModelForSequenceClassification",
    "encoder": "AutoModel",
}


def read_unchanged(read: Callable[[], Read], inspect: Callable[[], ModelFolder], fingerprint: Fingerprint) -> Read:
    """Read a folder, and make sure that its files still match their fingerprint."""
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
        f"{folder.path}: the files changed during the run, so that scores could be stored under another model; "
        "start the run again, and do not change the folder until it ends"
    )


def read_folder(
    folder: ModelFolder,
    *,
    dtype: str,
    trust_remote_code: bool,
    gguf_file: str | None,
    device_map: str | dict[str, Any] | None = None,
) -> tuple[Any, Any]:
    """The model and the tokenizer in a folder; a ModelError if they are incomplete."""
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
    """Hide transformers' own progress bars for reading weights from the terminal."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        # The bar for unpacking GGUF cannot be switched off.
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
        # An ALBERT with a WordPiece vocabulary, say: transformers goes by the model type and creates
        # an empty tokenizer, without a warning.
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


# Folders with only an adapter (LoRA and similar, as saved by the peft library), and the model it belongs to.
#
# The adapter is merged into the weights of its base when they are read, so that all other code deals with an ordinary
# model.


@dataclass(frozen=True)
class AdapterFolder(ModelFolder):
    """An adapter that passed inspection, with the folder of its base."""

    base: ModelFolder | None = None
    adapter: tuple[Path, ...] = ()
    own_tokenizer: bool = False

    def fingerprint(self, dtype: str) -> Fingerprint:
        """A fingerprint of base and adapter, independent of their paths."""
        assert self.base is not None
        below = self.base.fingerprint(dtype)
        own = fingerprint_of_files(self.path, self.adapter, self.tokenizer if self.own_tokenizer else (), dtype)
        weights = hashlib.sha256(f"adapter\n{below.weights}\n{own.weights}".encode()).hexdigest()
        return Fingerprint(weights, own.tokenizer if self.own_tokenizer else below.tokenizer, dtype)


class _AdapterConfig(msgspec.Struct):
    base_model_name_or_path: str | None = None


def is_adapter_folder(path: Path) -> bool:
    """Whether a folder contains an adapter and no model."""
    return (path / ADAPTER_CONFIG).is_file() and not (path / "config.json").exists()


def base_of_adapter(path: Path, find: Callable[[str | Path], Path]) -> Path:
    """The folder of the base that the adapter names: beside it, under the working directory, or found by ``find``."""
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
    """Check that the folder has an adapter's settings and weights, and that the base is a complete model."""
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
        raise ModelError(f"{folder.path}: some weights of the adapter are missing and would be ignored; copy it again")
    if not hasattr(adapted, "merge_and_unload"):
        raise ModelError(f"{folder.path}: {type(adapted.base_model).__name__} cannot be merged into weights; use LoRA")
    return adapted.merge_and_unload(safe_merge=True).eval()
