"""Models from a folder, a Hub id, a bundled name, or a pair in memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypedDict

from biascheck.core.errors import ModelError, UsageError
from biascheck.core.identity import LiveFingerprint
from biascheck.core.store import cache_folder
from biascheck.models.local.bundled import REFERENCES, materialise_minilm_mlm, materialise_smollm2
from biascheck.models.local.causal import TransformersCausalModel, TransformersChatModel
from biascheck.models.local.classifier import TransformersClassifier, Window
from biascheck.models.local.encoder import TransformersEncoder, pooling_of_folder
from biascheck.models.local.folders import Kind, ModelFolder, inspect_folder, kind_in_words, kind_of_architecture
from biascheck.models.local.reading import (
    base_of_adapter,
    inspect_adapter,
    is_adapter_folder,
    is_quantised,
    read_adapter,
    read_folder as _read_folder,
    read_unchanged,
    require_gguf_readers,
    sketch_folder,
    stored_pooler,
)
from biascheck.models.local.seq2seq import TransformersSeq2SeqModel
from biascheck.models.local.transformers import TransformersMaskedModel, refuse_map
from biascheck.models.scoring.engine import ModelReference

# Return types of `load`: callers who name a kind, or load a language model, get its type from `biascheck.load`.
LoadedModel = (
    TransformersMaskedModel
    | TransformersCausalModel
    | TransformersSeq2SeqModel
    | TransformersClassifier
    | TransformersEncoder
)

BUNDLED: Mapping[str, Callable[[Path], Path]] = MappingProxyType(
    {"minilm-mlm": materialise_minilm_mlm, "smollm2": materialise_smollm2}
)
"""Models made from a pip package: each is written into the cache once, as an ordinary folder."""

HUB_ID_PATTERN = re.compile(r"[\w.-]+/[\w.-]+|[\w.-]+")
FROM_HUB = ["*.json", "*.safetensors", "*.txt", "*.model", "*.jinja"]
DTYPES = ("float32", "float16", "bfloat16", "float64")


class Safety(TypedDict):
    """What may be trusted in a model's files."""

    allow_pickle: bool
    trust_remote_code: bool


class CommonOptions(TypedDict, total=False):
    """The options for models of every kind."""

    name: str | None
    device: str | None
    device_map: str | dict[str, Any] | None
    token_budget: int | None
    base: str | Path | None
    dtype: str
    revision: str | None
    gguf_file: str | None
    allow_pickle: bool
    trust_remote_code: bool
    lazy: bool


class LoadOptions(CommonOptions, total=False):
    """The options of :func:`load` for language models."""

    kind: Literal["masked", "causal"] | None


class ClassifierOptions(CommonOptions, total=False):
    """The options of :func:`load` for text classifiers."""

    positive: str | None
    window: Window | None


def load(
    model: str | Path | tuple[Any, Any],
    *,
    kind: Kind | None = None,
    name: str | None = None,
    device: str | None = None,
    device_map: str | dict[str, Any] | None = None,
    token_budget: int | None = None,
    base: str | Path | None = None,
    dtype: str = "float32",
    revision: str | None = None,
    gguf_file: str | None = None,
    allow_pickle: bool = False,
    trust_remote_code: bool = False,
    lazy: bool = False,
    positive: str | None = None,
    window: Window | None = None,
) -> Any:
    """Load a model from files or memory; :func:`biascheck.load` also knows the reference models.

    Weights are read from safetensors only and no code from the model's author is run, unless
    ``allow_pickle`` or ``trust_remote_code`` say otherwise. A model whose head would be initialised at
    random is refused, and so is one of which only some layers would be used. ``lazy=True`` checks the files now and
    loads the weights with the first score; it is an error if the files have changed by then.
    ``positive`` and ``window`` are for classifiers only. A folder with an adapter alone is merged into its ``base``,
    which is the model that it names unless given; other models ignore it. ``device_map`` spreads the layers
    of a folder over devices, memory and disk, as in transformers.
    """
    if dtype not in DTYPES:
        raise UsageError(f"dtype {dtype!r} is not one of {', '.join(DTYPES)}")
    options = _model_options(device, token_budget)
    if device_map is not None:
        refuse_map(device_map, device=device, adapter=isinstance(model, tuple))
    if isinstance(model, tuple):
        return _from_pair(model, kind=kind, name=name, options=options, positive=positive, window=window)
    files = _hub_files(allow_pickle=allow_pickle, trust_remote_code=trust_remote_code, gguf_file=gguf_file)
    path = _folder(model, revision, files)
    if path.suffix == ".gguf" and path.is_file():
        path, gguf_file = path.parent, path.name
    if gguf_file is not None:
        require_gguf_readers()
    if device_map is not None and is_adapter_folder(path):
        refuse_map(device_map, device=device, adapter=True)
    safety: Safety = {"allow_pickle": allow_pickle, "trust_remote_code": trust_remote_code}
    inspect, read = (
        _adapter_of(path, base, revision, files, kind, dtype, safety)
        if is_adapter_folder(path)
        else _whole_model(path, kind, dtype, gguf_file, safety, device_map)
    )
    folder = inspect()
    fingerprint = folder.fingerprint(dtype)
    loaded = _adapter(folder.kind, positive, window, chat=folder.chat)(
        partial(read_unchanged, partial(read, folder), inspect, fingerprint),
        name=name or _display_name(model),
        fingerprint=fingerprint,
        **options,
    )
    loaded.stored_pooler = partial(read_unchanged, partial(stored_pooler, folder), inspect, fingerprint)
    if gguf_file is None and not is_adapter_folder(path) and not is_quantised(path):
        sketch = partial(sketch_folder, folder, dtype=dtype, trust_remote_code=trust_remote_code)
        loaded.sketch = partial(read_unchanged, sketch, inspect, fingerprint)
    loaded.reference = ModelReference(
        _spec_of(model),
        {"kind": folder.kind, "name": loaded.name, "dtype": dtype, "revision": revision, "gguf_file": gguf_file}
        | {"base": None if base is None else _spec_of(base), "device_map": device_map}
        | {"positive": positive, "window": window, **safety},
    )
    if isinstance(loaded, TransformersEncoder):
        loaded.pooling = pooling_of_folder(folder.path)
    if not lazy:
        _ = loaded.torch_model
    return loaded


def _spec_of(model: str | Path) -> str:
    """The reference by which another process loads a model: a name unchanged, a folder or file by its full path."""
    path = Path(model).expanduser()
    return str(path.absolute()) if str(model) not in BUNDLED and path.exists() else str(model)


def _whole_model(
    path: Path,
    kind: Kind | None,
    dtype: str,
    gguf_file: str | None,
    safety: Safety,
    device_map: str | dict[str, Any] | None,
) -> tuple[Callable[[], ModelFolder], Callable[[Any], tuple[Any, Any]]]:
    """Options to inspect and read a model folder, or a GGUF file."""
    trust = safety["trust_remote_code"]
    inspect = partial(inspect_folder, path, kind=kind, gguf_file=gguf_file, **safety)
    return inspect, partial(
        _read_folder, dtype=dtype, trust_remote_code=trust, gguf_file=gguf_file, device_map=device_map
    )


def _adapter_of(
    path: Path,
    base: str | Path | None,
    revision: str | None,
    files: list[str],
    kind: Kind | None,
    dtype: str,
    safety: Safety,
) -> tuple[Callable[[], ModelFolder], Callable[[Any], tuple[Any, Any]]]:
    """Options to inspect and read the folder of an adapter and that of its base."""

    def find(model: str | Path) -> Path:
        return _folder(model, revision, files)

    below = base_of_adapter(path, find) if base is None else find(base)
    inspect = partial(inspect_adapter, path, base=below, kind=kind, **safety)
    return inspect, partial(read_adapter, dtype=dtype, trust_remote_code=safety["trust_remote_code"])


def _model_options(device: str | None, token_budget: int | None) -> dict[str, Any]:
    """The device of a model, and the number of tokens at once."""
    if token_budget is None:
        return {"device": _device(device)}
    if token_budget < 1:
        raise UsageError(f"token_budget {token_budget} is not allowed; give at least 1, such as 2048")
    return {"device": _device(device), "token_budget": token_budget}


def _adapter(kind: Kind, positive: str | None, window: Window | None, *, chat: bool) -> Callable[..., LoadedModel]:
    if kind == "classifier":
        return partial(TransformersClassifier, positive=positive, window=window)
    if positive is not None or window is not None:
        raise UsageError(
            f"positive and window are for text classifiers; this is a {kind_in_words(kind)}, leave them out"
        )
    return TransformersChatModel if kind == "causal" and chat else ADAPTERS[kind]


ADAPTERS: Mapping[Kind, Callable[..., LoadedModel]] = MappingProxyType(
    {
        "masked": TransformersMaskedModel,
        "causal": TransformersCausalModel,
        "seq2seq": TransformersSeq2SeqModel,
        "encoder": TransformersEncoder,
    }
)


def _display_name(model: str | Path) -> str:
    path = Path(model).expanduser()
    if path.suffix == ".gguf" and path.is_file():
        return path.stem
    if not path.is_dir():
        return str(model)
    return path.name if path.name.strip(".") else path.resolve().name


def _device(device: str | None) -> str:
    if device is None or device == "cpu":
        return "cpu"
    import torch

    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise UsageError(f"device {device!r} cannot be used here ({error}); use 'cpu' or another device") from error
    return device


def _from_pair(
    pair: tuple[Any, Any],
    *,
    kind: Kind | None,
    name: str | None,
    options: Mapping[str, Any],
    positive: str | None,
    window: Window | None,
) -> LoadedModel:
    if len(pair) != 2 or not hasattr(pair[0], "config") or not callable(pair[1]):
        raise UsageError("a model in memory is given as (model, tokenizer), both from transformers")
    model, tokenizer = pair
    class_name = type(model).__name__
    found = _kind_of_class(class_name, kind, encoder_decoder=bool(getattr(model.config, "is_encoder_decoder", False)))
    fingerprint = LiveFingerprint(model, tokenizer)
    name = name or model.config.name_or_path or class_name
    chat = bool(getattr(tokenizer, "chat_template", None))
    return _adapter(found, positive, window, chat=chat)(lambda: pair, name=name, fingerprint=fingerprint, **options)


def _kind_of_class(class_name: str, wanted: Kind | None, *, encoder_decoder: bool) -> Kind:
    if wanted == "encoder":
        return wanted
    declared = kind_of_architecture(class_name, encoder_decoder=encoder_decoder)
    if wanted and declared and wanted != declared:
        raise ModelError(f"{class_name} is a {kind_in_words(declared)}; leave out kind={wanted!r}")
    found = wanted or declared
    # …ForPreTraining in memory returns several kinds of logits; from a folder it is read as …ForMaskedLM.
    if found is None or class_name.endswith("ForPreTraining"):
        raise ModelError(f"{class_name} has no language-model head to score with; pass a …ForMaskedLM or …ForCausalLM")
    return found


def _folder(model: str | Path, revision: str | None, hub_files: list[str]) -> Path:
    path = Path(model).expanduser()
    if str(model) in BUNDLED:
        return BUNDLED[str(model)](cache_folder() / "models")
    if path.is_dir() or (path.suffix == ".gguf" and path.is_file()):
        return path
    if path.is_file():
        raise ModelError(f"{path} is a file; pass the folder that contains config.json, weights and tokenizer")
    if path.suffix == ".gguf":
        raise ModelError(f"no file {str(model)!r}; check the path")
    if isinstance(model, Path) or str(model).startswith((".", "/", "~")) or not HUB_ID_PATTERN.fullmatch(str(model)):
        raise ModelError(f"no folder {str(model)!r}; check the path, or pass a Hub id such as 'org/name'")
    return _from_hub(str(model), revision, hub_files)


def _hub_files(*, allow_pickle: bool, trust_remote_code: bool, gguf_file: str | None) -> list[str]:
    """Download what may be used and nothing else: no pickles or code without permission."""
    extra = {"*.bin": allow_pickle, "*.py": trust_remote_code, gguf_file or "": gguf_file is not None}
    return [*FROM_HUB, *(pattern for pattern, wanted in extra.items() if wanted)]


def _from_hub(hub_id: str, revision: str | None, files: list[str]) -> Path:
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(hub_id, revision=revision, allow_patterns=files))
    except Exception as error:
        known = ", ".join([*BUNDLED, *(f"reference:{name}" for name in REFERENCES)])
        raise ModelError(
            f"{hub_id!r} is not a local folder and could not be downloaded from the Hub ({type(error).__name__}); "
            "check the name and the network, pass a local folder, or use a built-in model "
            f"({known}; 'biascheck models' lists all)"
        ) from error
