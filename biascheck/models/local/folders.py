"""Inspection of a model folder, from its files, before anything is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec

from biascheck.core.errors import ModelError
from biascheck.core.identity import Fingerprint, fingerprint_of_files
from biascheck.models.files import checked_file, code_files, read_json
from biascheck.models.local.weights import adapter_files, weight_files

Kind = Literal["masked", "causal", "seq2seq", "classifier", "encoder"]

SETTINGS = ("config.json", "generation_config.json")
SENTENCE_SETTINGS = (
    "modules.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
    "preprocessor_config.json",
    "processor_config.json",
)
TOKENIZER_FILES = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "chat_template.jinja",
    "chat_template.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
)
MORE_TOKENIZER_FILES = (
    "*.model",
    "tokenizer.*.json",
    "tokenizer.jinja",
    "additional_chat_templates/*.jinja",
    "vocab*",
    "merges*",
    "dict*.txt",
    "*.vocab",
    "*.spm",
    "*.bpe",
    "*.codes",
    "*.tiktoken",
    "emoji.json",
    "normalizer.json",
)
VOCABULARY_FILES = ("tokenizer.json", "vocab.txt", "vocab.json", "*.model")
GGUF_MAGIC = b"GGUF"
GGUF_CHAT_TEMPLATE, GGUF_HEADER = b"tokenizer.chat_template", 1 << 25
MOST_LAYERS, MOST_LABELS = 4_096, 1_000_000
MASKED_HEADS = ("ForMaskedLM", "ForPreTraining", "WithLMHeadModel")
CAUSAL_HEADS = ("ForCausalLM", "LMHeadModel")
CLASSIFIER_HEADS = ("ForSequenceClassification",)
SEQ2SEQ_HEADS = ("ForConditionalGeneration",)
"""Of models with images, too: only config.is_encoder_decoder distinguishes the two."""


@dataclass(frozen=True)
class ModelFolder:
    """A folder that passed inspection: the kind of its model, and its files."""

    path: Path
    kind: Kind
    weights: tuple[Path, ...]
    """The weights, and everything else that affects what the model computes: settings, adapters, code."""
    tokenizer: tuple[Path, ...]
    pickled: bool
    settings: tuple[str, ...] = ()
    """Settings that change the model besides its files."""
    chat: bool = False
    """Whether a chat template comes with the tokenizer."""

    @property
    def named(self) -> Path:
        """The name in error messages: the folder, or the single file that has everything."""
        return self.weights[0] if self.weights and self.weights == self.tokenizer else self.path

    def fingerprint(self, dtype: str) -> Fingerprint:
        """A fingerprint of every file and setting that loading reads."""
        try:
            return fingerprint_of_files(self.path, self.weights, self.tokenizer, dtype, settings=self.settings)
        except OSError as error:
            raise ModelError(f"{self.path}: cannot be read ({error}); copy the folder again") from error


class _Config(msgspec.Struct):
    architectures: list[str] | None = None
    auto_map: dict[str, Any] | None = None
    is_encoder_decoder: bool | None = None
    transformers_weights: str | None = None
    num_hidden_layers: Any = None
    n_layer: Any = None
    n_layers: Any = None
    num_labels: Any = None


class _TokenizerConfig(msgspec.Struct):
    """What transformers takes on trust, and stumbles over later where it is of another type."""

    auto_map: dict[str, Any] | list[Any] | None = None
    chat_template: str | list[Any] | dict[str, Any] | None = None
    model_max_length: float | None = None
    tokenizer_class: str | None = None
    padding_side: Literal["left", "right"] | None = None
    truncation_side: Literal["left", "right"] | None = None
    do_lower_case: bool | None = None
    added_tokens_decoder: dict[str, dict[str, Any]] | None = None
    model_input_names: list[str] | None = None


def kind_of_architecture(name: str, *, encoder_decoder: bool = False) -> Kind | None:
    """Derive how a head reads from the name of its transformers class; ``None`` if there is no such head."""
    # Masked first: XLMWithLMHeadModel and FlaubertWithLMHeadModel fill masks, GPT2LMHeadModel does not.
    if name.endswith(MASKED_HEADS):
        return "masked"
    if name.endswith(CLASSIFIER_HEADS):
        return "classifier"
    if encoder_decoder and name.endswith(SEQ2SEQ_HEADS):
        return "seq2seq"
    return "causal" if name.endswith(CAUSAL_HEADS) else None


def kind_in_words(kind: Kind) -> str:
    """The name of a kind of model in messages."""
    names = {"classifier": "text classifier", "seq2seq": "encoder-decoder language model"}
    return names.get(kind, f"{kind} language model")


def inspect_folder(
    path: Path,
    *,
    kind: Kind | None = None,
    allow_pickle: bool = False,
    gguf_file: str | None = None,
    trust_remote_code: bool = False,
) -> ModelFolder:
    """Check that the folder has a configuration, a language-model head, weights and a tokenizer."""
    if gguf_file is not None:
        return _inspect_gguf(path, gguf_file, kind)
    config = _read_config(path)
    declared = _declared_kind(config)
    found_kind = _kind_of(config, declared, path, kind)
    weights, pickled = weight_files(path, named=config.transformers_weights, allow_pickle=allow_pickle)
    adapter = adapter_files(path, allow_pickle=allow_pickle)
    code, foreign = code_files(path, (config.auto_map, _tokenizer_map(path))) if trust_remote_code else ((), ())
    settings = (*foreign, *(() if declared == found_kind else (f"kind {found_kind}",)))
    files = (*weights, *adapter, *code, *_settings(path, found_kind))
    return ModelFolder(path, found_kind, files, _tokenizer(path), pickled, settings, _has_chat_template(path))


def _inspect_gguf(path: Path, gguf_file: str, kind: Kind | None) -> ModelFolder:
    weights = checked_file(path / gguf_file)
    if weights is None:
        there = sorted(p.name for p in path.glob("*.gguf"))
        raise ModelError(f"{path}: no file {gguf_file!r}; GGUF files there: {there or 'none'}")
    with weights.open("rb") as file:
        if file.read(len(GGUF_MAGIC)) != GGUF_MAGIC:
            raise ModelError(f"{weights}: not a GGUF file, or a damaged one; download or convert it again")
    settings = () if kind in (None, "causal") else (f"kind {kind}",)
    chat = _mentions(weights, GGUF_CHAT_TEMPLATE)
    return ModelFolder(path, kind or "causal", (weights,), (weights,), pickled=False, settings=settings, chat=chat)


def _mentions(weights: Path, name: bytes) -> bool:
    """Whether the header of a GGUF file has an entry of this name."""
    with weights.open("rb") as file:
        return name in file.read(GGUF_HEADER)


def _has_chat_template(path: Path) -> bool:
    if any(checked_file(path / name) is not None for name in ("chat_template.jinja", "chat_template.json")):
        return True
    file = checked_file(path / "tokenizer_config.json")
    return file is not None and bool(read_json(file, _TokenizerConfig).chat_template)


def _read_config(path: Path) -> _Config:
    file = checked_file(path / "config.json")
    if file is None:
        raise ModelError(f"{path}: no config.json, so this is not a transformers model folder; check the path")
    config = read_json(file, _Config)
    _refuse_impossible(file, config)
    return config


def _refuse_impossible(file: Path, config: _Config) -> None:
    """Raise an error for impossible counts: without layers a model scores noise, with millions it is built for ever."""
    for name in ("num_hidden_layers", "n_layer", "n_layers", "num_labels"):
        count = getattr(config, name)
        least, most = (0, MOST_LABELS) if name == "num_labels" else (1, MOST_LAYERS)
        if isinstance(count, int) and not least <= count <= most:
            shown = f"{count:,}" if abs(count) < 10**12 else f"a number of {len(str(abs(count)))} digits"
            raise ModelError(
                f"{file}: {name} is {shown}, and a model has {least} to {most:,}; use the config.json that was "
                "saved with the weights"
            )


def _declared_kind(config: _Config) -> Kind | None:
    apart = bool(config.is_encoder_decoder)
    kinds = (kind_of_architecture(name, encoder_decoder=apart) for name in config.architectures or ())
    return next((kind for kind in kinds if kind), None)


def _kind_of(config: _Config, declared: Kind | None, path: Path, wanted: Kind | None) -> Kind:
    if wanted == "encoder":
        return wanted  # every architecture has states
    architectures = config.architectures or []
    if wanted and declared and wanted != declared:
        raise ModelError(
            f"{path}: config.json names {architectures[0]}, a {kind_in_words(declared)}, and its scores as a "
            f"{wanted} one would mean nothing; leave out kind={wanted!r}"
        )
    if found := wanted or declared:
        return found
    named = ", ".join(architectures) or "nothing"
    raise ModelError(
        f"{path}: config.json names {named} as its architecture, which has no language-model head to score with; "
        "save the model as …ForMaskedLM or …ForCausalLM, or pass kind='masked' or 'causal' if the weights do have "
        "a head, or kind='encoder' to read its states only"
    )


def _settings(path: Path, kind: Kind) -> list[Path]:
    names = [*SETTINGS, *(SENTENCE_SETTINGS if kind == "encoder" else ())]
    # A module of sentence-transformers has its settings in a separate folder, such as 1_Pooling.
    modules = sorted(path.glob("*/config.json")) if kind == "encoder" and (path / "modules.json").exists() else []
    return [file for place in (*(path / name for name in names), *modules) if (file := checked_file(place)) is not None]


def _tokenizer_map(path: Path) -> dict[str, Any] | list[Any] | None:
    file = checked_file(path / "tokenizer_config.json")
    return None if file is None else read_json(file, _TokenizerConfig).auto_map


def own_tokenizer(path: Path) -> tuple[Path, ...]:
    """The files of the tokenizer in a folder; none if there is no vocabulary."""
    _tokenizer_map(path)
    named = {file for name in TOKENIZER_FILES if (file := checked_file(path / name)) is not None}
    like = {file for pattern in MORE_TOKENIZER_FILES for file in path.glob(pattern) if not file.is_dir()}
    found = tuple(sorted(named | {file for file in like if checked_file(file) is not None}))
    return found if any(file.match(pattern) for pattern in VOCABULARY_FILES for file in found) else ()


def _tokenizer(path: Path) -> tuple[Path, ...]:
    found = own_tokenizer(path)
    if not found:
        raise ModelError(
            f"{path}: no tokenizer (tokenizer.json, vocab.txt or *.model); "
            "save it into the folder with tokenizer.save_pretrained(…)"
        )
    return found
