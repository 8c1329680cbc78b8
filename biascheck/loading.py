"""``biascheck.load``: from a folder, a hub id, a bundled model, a reference standard, or a pair in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, Unpack, overload

from biascheck.models.loading import ClassifierOptions, LoadOptions
from biascheck.models.loading import load as load_model
from biascheck.models.references import REFERENCES, build_reference
from biascheck.models.sequence_classifier import TransformersClassifier
from biascheck.models.transformers import TransformersCausalModel, TransformersMaskedModel

__all__ = ["load"]

PREFIX = "reference:"


@overload
def load(
    model: str | Path | tuple[Any, Any], *, kind: Literal["classifier"], **options: Unpack[ClassifierOptions]
) -> TransformersClassifier: ...


@overload
def load(
    model: str | Path | tuple[Any, Any], **options: Unpack[LoadOptions]
) -> TransformersMaskedModel | TransformersCausalModel: ...


def load(model: str | Path | tuple[Any, Any], **options: Any) -> Any:
    """Load a language model or a text classifier for measuring.

    ``model`` is a local folder, a hub id, the bundled ``minilm-mlm``, a ``(model, tokenizer)`` pair, or a reference:
    ``reference:parity``, ``reference:workforce``, ``reference:planted(dose=0.3)`` (models whose bias is known by
    construction) or ``reference:tiny`` (random weights). Weights are read from safetensors only and no code from
    the model's author is run, unless ``allow_pickle`` or ``trust_remote_code`` say otherwise. A model whose head would
    be initialised at random is refused.

    ``name`` is shown in findings; ``kind`` ("masked", "causal" or "classifier") is read off the model unless given;
    ``device`` and ``dtype`` say where and how precisely it runs; ``revision`` and ``gguf_file`` choose among files.
    ``lazy=True`` checks the files now and loads the weights with the first score. Of a classifier, ``positive`` names
    the class that is good news and ``window`` what is read of a text that is too long.
    """
    if isinstance(model, tuple) or not str(model).startswith(PREFIX):
        return load_model(model, **options)
    options["name"] = options.get("name") or str(model)
    return load_model(_reference(str(model)), **options)


def _reference(spec: str) -> Path | tuple[Any, Any]:
    """What a reference is loaded from: its folder, or a pair where it is built in memory."""
    if spec.removeprefix(PREFIX) in REFERENCES:
        return build_reference(spec)
    from biascheck.standards.references import standard_folder

    return standard_folder(spec)
