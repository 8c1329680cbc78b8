"""What is in a model folder, found out from its files before anything is loaded."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from biascheck.errors import ModelError

__all__ = ["Kind", "ModelFolder", "in_words", "inspect_folder", "kind_of_architecture"]

Kind = Literal["masked", "causal", "classifier", "encoder"]

SAFE_WEIGHTS = "*.safetensors"
PICKLED_WEIGHTS = ("*.bin", "*.pt", "*.pth", "*.ckpt")
TRAINING_STATE = ("training_args.*", "optimizer.*", "scheduler.*", "scaler.*", "rng_state*")
TOKENIZER_FILES = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "*.model",
)
VOCABULARY_FILES = ("tokenizer.json", "vocab.txt", "vocab.json", "*.model")
MASKED_HEADS = ("ForMaskedLM", "ForPreTraining", "WithLMHeadModel")
CAUSAL_HEADS = ("ForCausalLM", "LMHeadModel")
CLASSIFIER_HEADS = ("ForSequenceClassification",)


@dataclass(frozen=True)
class ModelFolder:
    """A folder that passed inspection: what kind of model it holds, and in which files."""

    path: Path
    kind: Kind
    weights: tuple[Path, ...]
    tokenizer: tuple[Path, ...]
    pickled: bool


def kind_of_architecture(name: str) -> Kind | None:
    """Tell from the name of a transformers class how its head reads; ``None`` where it has no such head."""
    # Masked first: XLMWithLMHeadModel and FlaubertWithLMHeadModel fill masks, GPT2LMHeadModel does not.
    if name.endswith(MASKED_HEADS):
        return "masked"
    if name.endswith(CLASSIFIER_HEADS):
        return "classifier"
    return "causal" if name.endswith(CAUSAL_HEADS) else None


def in_words(kind: Kind) -> str:
    """What a model of this kind is called in messages."""
    return "text classifier" if kind == "classifier" else f"{kind} language model"


def inspect_folder(
    path: Path, *, kind: Kind | None = None, allow_pickle: bool = False, gguf_file: str | None = None
) -> ModelFolder:
    """Check that the folder has a configuration, a language-model head, weights and a tokenizer."""
    if gguf_file is not None:
        return _inspect_gguf(path, gguf_file, kind)
    config = _read_config(path)
    found_kind = _kind_of(config, path, kind)
    weights, pickled = _weights(path, allow_pickle)
    return ModelFolder(path, found_kind, (*weights, path / "config.json"), _tokenizer(path), pickled)


def _inspect_gguf(path: Path, gguf_file: str, kind: Kind | None) -> ModelFolder:
    weights = path / gguf_file
    if not weights.is_file():
        there = sorted(p.name for p in path.glob("*.gguf"))
        raise ModelError(f"{path}: no file {gguf_file!r}; GGUF files there: {there or 'none'}")
    return ModelFolder(path, kind or "causal", (weights,), (weights,), pickled=False)


def _read_config(path: Path) -> dict[str, Any]:
    file = path / "config.json"
    if not file.is_file():
        raise ModelError(f"{path}: no config.json, so this is not a transformers model folder; check the path")
    try:
        config = json.loads(file.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ModelError(f"{file}: not readable as JSON ({error}); copy the folder again") from error
    if not isinstance(config, dict):
        raise ModelError(f"{file}: not a JSON object; copy the folder again")
    return config


def _kind_of(config: dict[str, Any], path: Path, wanted: Kind | None) -> Kind:
    if wanted == "encoder":
        return wanted  # every architecture has states
    architectures = config.get("architectures") or []
    declared = next((kind for name in architectures if (kind := kind_of_architecture(name))), None)
    if wanted and declared and wanted != declared:
        raise ModelError(
            f"{path}: config.json names {architectures[0]}, a {in_words(declared)}, and its scores as a "
            f"{wanted} one would mean nothing; leave out kind={wanted!r}"
        )
    if found := wanted or declared:
        return found
    named = ", ".join(architectures) or "nothing"
    raise ModelError(
        f"{path}: config.json names {named} as its architecture, which has no language-model head to score with; "
        "save the model as …ForMaskedLM or …ForCausalLM, or pass kind='masked' or 'causal' if the weights do hold "
        "a head, or kind='encoder' to look at its states only"
    )


def _weights(path: Path, allow_pickle: bool) -> tuple[tuple[Path, ...], bool]:
    safe = tuple(sorted(path.glob(SAFE_WEIGHTS)))
    if safe:
        return safe, False
    candidates = (p for p in sorted(path.iterdir()) if not _is_like(p, TRAINING_STATE))
    pickled = tuple(p for p in candidates if _is_like(p, PICKLED_WEIGHTS))
    if not pickled:
        raise ModelError(f"{path}: no weights (*.safetensors) in the folder; copy it again, weights included")
    if not allow_pickle:
        raise ModelError(
            f"{path}: the weights are pickled ({pickled[0].name}), and unpickling can run any code; "
            "convert them to safetensors, or pass allow_pickle=True if you trust their source"
        )
    return pickled, True


def _is_like(path: Path, patterns: tuple[str, ...]) -> bool:
    return any(path.match(pattern) for pattern in patterns)


def _tokenizer(path: Path) -> tuple[Path, ...]:
    if not any(p for pattern in VOCABULARY_FILES for p in path.glob(pattern)):
        raise ModelError(
            f"{path}: no tokenizer (tokenizer.json, vocab.txt or *.model); "
            "save it into the folder with tokenizer.save_pretrained(…)"
        )
    return tuple(sorted({p for pattern in TOKENIZER_FILES for p in path.glob(pattern)}))
