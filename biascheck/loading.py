"""``biascheck.load``: from a folder, a Hub id, a bundled model, a reference standard, or a pair in memory."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal, Unpack, overload

from biascheck.core.errors import UsageError
from biascheck.core.progress import announce
from biascheck.models.base import Model
from biascheck.models.files import require_local_libraries
from biascheck.models.local.bundled import REFERENCES, build_reference
from biascheck.models.local.causal import TransformersCausalModel
from biascheck.models.local.classifier import TransformersClassifier
from biascheck.models.local.encoder import TransformersEncoder
from biascheck.models.local.loader import ClassifierOptions, CommonOptions, LoadOptions, load as load_model
from biascheck.models.local.transformers import TransformersMaskedModel
from biascheck.models.local.vectors import load_vectors
from biascheck.models.scoring.engine import ModelReference
from biascheck.models.served.model import ServedOptions, load_served
from biascheck.models.served.transport import is_served

PREFIX = "reference:"
VECTORS = "vectors:"
ENCODER = "encoder:"
NAMED = re.compile(r"(?P<name>\w[\w .+-]*)=(?P<rest>.+)")


@overload
def load(
    model: str | Path | tuple[Any, Any], *, kind: Literal["classifier"], **options: Unpack[ClassifierOptions]
) -> TransformersClassifier: ...


@overload
def load(
    model: str | Path | tuple[Any, Any], *, kind: Literal["encoder"], **options: Unpack[CommonOptions]
) -> TransformersEncoder: ...


@overload
def load(
    model: str | Path | tuple[Any, Any], **options: Unpack[LoadOptions]
) -> TransformersMaskedModel | TransformersCausalModel: ...


def load(model: str | Path | tuple[Any, Any], **options: Any) -> Any:
    """Load a language model, a text classifier or an encoder for measuring.

    ``model`` is a local folder, a ``.gguf`` file, a Hub id, one of the embedded models ``minilm-mlm`` and ``smollm2``,
    a ``(model, tokenizer)`` pair, or a reference:
    ``reference:parity``, ``reference:workforce``, ``reference:planted(dose=0.3)`` (models whose bias is known by
    construction) or ``reference:tiny`` (random weights). Weights are read from safetensors only and no code from
    the model's author is run, unless ``allow_pickle`` or ``trust_remote_code`` say otherwise. A model whose head would
    be initialised at random is refused.

    ``name`` is shown in findings; ``kind`` ("masked", "causal" or "classifier") is read off the model unless given;
    ``device`` ("auto" takes a GPU where there is one) and ``dtype`` say where and how precisely it runs; ``device_map``
    ("auto", "balanced" … or a table, as in transformers) spreads its layers over several devices, memory and disk;
    ``token_budget`` how many tokens at once; ``revision`` and ``gguf_file`` choose among files. A folder with an
    adapter alone (LoRA) is merged into its ``base``, which is found by the name in the folder unless given.
    ``lazy=True`` checks the files now and loads the weights with the first score. Of a classifier, ``positive`` names
    the positive class and ``window`` what is read of a text that is too long. ``kind="encoder"`` loads any of
    these for its states alone, head or no head, with the pooling of a sentence-transformers folder; for static word
    vectors see :func:`load_vectors`, for a model behind an endpoint :func:`load_served`.
    """
    if is_served(model):
        raise UsageError(f"{model} is the address of a server; load it with biascheck.load_served")
    require_local_libraries(str(model) if isinstance(model, str | Path) else "a model in memory")
    if isinstance(model, tuple) or not str(model).startswith(PREFIX):
        return load_model(model, **options)
    options["name"] = options.get("name") or str(model)
    loaded = load_model(_reference(str(model)), **options)
    again = {key: value for key, value in options.items() if key not in ("device", "token_budget", "lazy")}
    loaded.reference = ModelReference(str(model), again, loader=__name__)
    return loaded


def load_any(spec: str, *, served: ServedOptions | None = None, **options: Unpack[LoadOptions]) -> Model:
    """Load what a command line names: as :func:`load`; ``encoder:MODEL`` its states, ``vectors:FILE`` a table.

    ``vectors:FILE#hard-debiased`` takes the gender direction out of the table first (Bolukbasi et al. 2016). An address
    is a served model, with the options ``served``; how its handshake went is announced. ``NAME=`` before any of these
    is the name in findings and reports.
    """
    name, spec = named_spec(spec)
    options["name"] = name or options.get("name")
    if is_served(spec):
        chosen: ServedOptions = {"name": options.get("name"), **(served or {})}
        model = load_served(spec, **chosen)
        announce(f"biascheck: {model.name}: {model.handshake}")
        return model
    if spec.startswith(VECTORS):
        return _vectors(spec.removeprefix(VECTORS), options.get("name"))
    if spec.startswith(ENCODER):
        common: Any = options
        return load(spec.removeprefix(ENCODER), kind="encoder", **common)
    return load(spec, **options)


def named_spec(spec: str) -> tuple[str | None, str]:
    """The name that a command line gives a model, and the rest: ``small=./checkpoint`` is called "small"."""
    found = NAMED.fullmatch(spec)
    # A folder may have an equals sign in its name.
    return (found["name"], found["rest"]) if found and not Path(spec).expanduser().exists() else (None, spec)


def _vectors(source: str, name: str | None) -> Model:
    from biascheck.mitigation.projection import HARD_DEBIASED, hard_debiased

    file = source.removesuffix(f"#{HARD_DEBIASED}")
    vectors = load_vectors(file, name=name)
    return vectors if file == source else hard_debiased(vectors)


def _reference(spec: str) -> Path | tuple[Any, Any]:
    """What a reference is loaded from: its folder, or a pair where it is built in memory."""
    if spec.removeprefix(PREFIX) in REFERENCES:
        return build_reference(spec)
    from biascheck.reference.specs import standard_folder

    return standard_folder(spec)
