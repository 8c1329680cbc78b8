"""``biascheck.load``: from a folder, a Hub id, a bundled model, a reference standard, or a pair in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, Unpack, overload

from biascheck.models.adapters.encoders import TransformersEncoder, encoder_of
from biascheck.models.adapters.sequence_classifier import TransformersClassifier
from biascheck.models.adapters.transformers import TransformersCausalModel, TransformersMaskedModel
from biascheck.models.capabilities import Model
from biascheck.models.loading.loader import ClassifierOptions, CommonOptions, LoadOptions
from biascheck.models.loading.loader import load as load_model
from biascheck.models.loading.random_references import REFERENCES, build_reference
from biascheck.models.loading.vector_files import load_vectors

__all__ = ["encoder_of", "load", "load_any", "load_vectors"]

PREFIX = "reference:"
VECTORS = "vectors:"
ENCODER = "encoder:"


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

    ``model`` is a local folder, a Hub id, the bundled ``minilm-mlm``, a ``(model, tokenizer)`` pair, or a reference:
    ``reference:parity``, ``reference:workforce``, ``reference:planted(dose=0.3)`` (models whose bias is known by
    construction) or ``reference:tiny`` (random weights). Weights are read from safetensors only and no code from
    the model's author is run, unless ``allow_pickle`` or ``trust_remote_code`` say otherwise. A model whose head would
    be initialised at random is refused.

    ``name`` is shown in findings; ``kind`` ("masked", "causal" or "classifier") is read off the model unless given;
    ``device`` and ``dtype`` say where and how precisely it runs; ``revision`` and ``gguf_file`` choose among files.
    ``lazy=True`` checks the files now and loads the weights with the first score. Of a classifier, ``positive`` names
    the positive class and ``window`` what is read of a text that is too long. ``kind="encoder"`` loads any of
    these for its states alone, head or no head, with the pooling of a sentence-transformers folder; for static word
    vectors see :func:`load_vectors`.
    """
    if isinstance(model, tuple) or not str(model).startswith(PREFIX):
        return load_model(model, **options)
    options["name"] = options.get("name") or str(model)
    return load_model(_reference(str(model)), **options)


def load_any(spec: str, **options: Unpack[LoadOptions]) -> Model:
    """Load what a command line names: as :func:`load`; ``encoder:MODEL`` its states, ``vectors:FILE`` a table.

    ``vectors:FILE#hard-debiased`` takes the gender direction out of the table first (Bolukbasi et al. 2016).
    """
    if spec.startswith(VECTORS):
        return _vectors(spec.removeprefix(VECTORS), options.get("name"))
    if spec.startswith(ENCODER):
        common: Any = options
        return load(spec.removeprefix(ENCODER), kind="encoder", **common)
    return load(spec, **options)


def _vectors(source: str, name: str | None) -> Model:
    from biascheck.debias.projection import HARD_DEBIASED, hard_debiased

    file = source.removesuffix(f"#{HARD_DEBIASED}")
    vectors = load_vectors(file, name=name)
    return vectors if file == source else hard_debiased(vectors)


def _reference(spec: str) -> Path | tuple[Any, Any]:
    """What a reference is loaded from: its folder, or a pair where it is built in memory."""
    if spec.removeprefix(PREFIX) in REFERENCES:
        return build_reference(spec)
    from biascheck.reference_models.reference_specs import standard_folder

    return standard_folder(spec)
