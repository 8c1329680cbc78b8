"""Adapters for Hugging Face transformers: the base of all models with a tokenizer, and masked language models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NotRequired, TypedDict

from biascheck.core.errors import ModelError, UsageError
from biascheck.core.identity import Fingerprint, LiveFingerprint
from biascheck.core.release import require
from biascheck.models.scoring.chunks import answer
from biascheck.models.scoring.continuations import encode_filled_spans
from biascheck.models.scoring.encode import AlignedTokenizer, aligned, encode_masked
from biascheck.models.scoring.engine import (
    Engine,
    ModelReference,
    Readout,
    TorchEngine,
    active_placement,
    evaluating,
    execute,
    padded,
)
from biascheck.models.scoring.plan import Budget, ScoringPlan, make_plan
from biascheck.models.scoring.pseudo_likelihood import PseudoQuery, TokenScores, encode_pseudo, gathered_tokens
from biascheck.models.scoring.queries import Answer, ContinuationQuery, MaskedQuery, Masking, MultiToken, Refusal

if TYPE_CHECKING:
    from biascheck.models.local.encoder import TransformersEncoder
    from biascheck.models.scoring.encode import Pooling


# A trial of one forward pass: does the model run, and do its outputs differ between words?

TRIAL_TEXT = "This is a text."


def refuse_constant(name: str, model: Any, run: Callable[[], Any]) -> None:
    """Raise ModelError for a model that fails, or that gives every token, class or dimension of a position the same
    number.

    ``run`` does the forward pass. All-zero weights give every word the same probability, so that every gap is 0 and
    every gate passes.
    """
    import torch

    try:
        with torch.inference_mode(), evaluating(model):
            outputs = run().float()
    except ModelError:
        raise
    except Exception as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise ModelError(
            f"{name}: a trial with one short text failed ({reason}); its config.json, weights and tokenizer may not "
            "belong together, or are damaged"
        ) from error
    if outputs.shape[-1] > 1 and bool((outputs.amax(dim=-1) == outputs.amin(dim=-1)).any()):
        raise ModelError(
            f"{name}: the outputs are constant (every one of the {outputs.shape[-1]:,} numbers is the same), so every "
            "measure would find parity; the weights are empty or damaged, load the trained ones"
        )


# Layers of one model on several devices: transformers' ``device_map``, by accelerate.

MAPS = ("auto", "balanced", "balanced_low_0", "sequential")


def refuse_map(device_map: str | dict[str, Any], *, device: str | None, adapter: bool) -> None:
    """Raise an error for a map that cannot be followed, before anything is read."""
    if isinstance(device_map, str) and device_map not in MAPS:
        raise UsageError(
            f"device map {device_map!r} is not one of {', '.join(MAPS)}; for a single device use device={device_map!r}"
        )
    if device is not None:
        raise UsageError("give a device or a device map, not both: the map says where every layer goes")
    if adapter:
        raise UsageError("a device map is for the folder of a whole model; merge an adapter, or save the model, first")
    require("a device map", "local", ("accelerate",), ModelError)


def is_placed(model: Any) -> bool:
    """Whether transformers has distributed the layers, so that the model must not be moved as a whole."""
    return bool(getattr(model, "hf_device_map", None))


def note_placement(model: Any) -> None:
    """Record that a map was followed: transformers does so only if the map led to several devices."""
    if not is_placed(model):
        model.hf_device_map = {"": str(model.device)}


def entrance_of(model: Any) -> str:
    """The device for the inputs of a distributed model: that of its embeddings, or where a hook moves them."""
    embeddings = model.get_input_embeddings()
    hook = getattr(embeddings, "_hf_hook", None)
    found = getattr(hook, "execution_device", None)
    device = embeddings.weight.device if found is None else found
    return f"cuda:{device}" if isinstance(device, int) else str(device)


def quantisation_of(model: Any) -> str:
    """The storage format of a quantised checkpoint's weights, in words; empty for one that is not quantised."""
    config = getattr(model.config, "quantization_config", None)
    if config is None:
        return ""
    settings = config if isinstance(config, dict) else config.to_dict()
    method = str(getattr(settings.get("quant_method"), "value", settings.get("quant_method", "unknown")))
    bits = next((f"{settings[name]} bits" for name in ("bits", "num_bits") if isinstance(settings.get(name), int)), "")
    kinds = next((str(settings[name]) for name in ("quant_type", "format") if isinstance(settings.get(name), str)), "")
    return ", ".join(part for part in (method, bits, kinds) if part)


LOGITS_IN_MEMORY = 2**26
NO_LIMIT = 1_000_000


class ModelOptions(TypedDict):
    """The settings of a model besides its weights: its name, how it is identified, and how it runs."""

    name: str
    fingerprint: Fingerprint | Callable[[], Fingerprint]
    device: NotRequired[str]
    token_budget: NotRequired[int]


class TransformersModel:
    """A model and its tokenizer, loaded when the first score is needed.

    ``load_pair`` returns the (model, tokenizer) pair. It is called late, so that a run whose results are all in the
    cache never loads the weights. ``fingerprint`` identifies the pair; a function if it can change.
    ``stored_pooler`` reads the pooler in the model's files, which a language model drops; ``None`` for a model
    without files. ``reference`` is how another process loads the same model, and ``sketch`` reads it without weights,
    for a process that leaves the scoring to others; ``None`` for a model in memory.
    """

    engine: ClassVar[type[TorchEngine]] = TorchEngine

    def __init__(
        self,
        load_pair: Callable[[], tuple[Any, Any]],
        *,
        name: str,
        fingerprint: Fingerprint | Callable[[], Fingerprint],
        device: str = "cpu",
        token_budget: int = Budget().tokens,
    ) -> None:
        self._load_pair = load_pair
        self.name = name
        self.treatment: tuple[str, ...] = ()
        self.stored_pooler: Callable[[], dict[str, Any]] | None = None
        self.reference: ModelReference | None = None
        self.sketch: Callable[[], tuple[Any, Any]] | None = None
        self._fingerprint = fingerprint
        self.device = device
        self.token_budget = token_budget

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @property
    def pair_fingerprint(self) -> Fingerprint:
        """The present digests of weights and tokenizer: further training changes them."""
        return self._fingerprint() if callable(self._fingerprint) else self._fingerprint

    @property
    def fingerprint(self) -> str:
        """A digest of weights, tokenizer and precision."""
        return self.pair_fingerprint.digest

    @property
    def about(self) -> dict[str, str]:
        """A description of the model for readers of its results; loads it."""
        pieces = f"{len(self.tokenizer):,} tokens"
        return {
            "architecture": type(self.outline).__name__,
            "parameters": f"{sum(weights.numel() for weights in self.outline.parameters()):,}",
            "tokenizer": f"{self._kind_of_tokenizer()}, {pieces}",
            "precision": self.pair_fingerprint.dtype,
            **({"quantisation": quantisation} if (quantisation := quantisation_of(self.torch_model)) else {}),
        }

    def _kind_of_tokenizer(self) -> str:
        backend = getattr(self.tokenizer, "backend_tokenizer", None)
        return type(getattr(self.tokenizer, "inner", self.tokenizer) if backend is None else backend.model).__name__

    @property
    def torch_model(self) -> Any:
        """The transformers model itself."""
        return self._pair[0]

    @property
    def tokenizer(self) -> Any:
        """The tokenizer itself."""
        return self._known_pair[1]

    @property
    def outline(self) -> Any:
        """The transformers model for its configuration and shapes: without weights if another process scores."""
        return self._known_pair[0]

    @property
    def _known_pair(self) -> tuple[Any, Any]:
        wanted = active_placement().elsewhere and self.sketch is not None and "_pair" not in self.__dict__
        return self._sketched if wanted else self._pair

    @cached_property
    def _sketched(self) -> tuple[Any, Any]:
        assert self.sketch is not None
        model, tokenizer = self.sketch()
        _refuse_foreign(self.name, model, tokenizer)
        return model, tokenizer if getattr(tokenizer, "is_fast", False) else self._aligned(tokenizer)

    @property
    def max_length(self) -> int | None:
        """The longest input that the model reads, if it has a limit."""
        limits = [getattr(self.tokenizer, "model_max_length", None), self._position_limit()]
        known = [limit for limit in limits if limit is not None and limit < NO_LIMIT]
        return min(known) if known else None

    def as_encoder(self, *, layer: int = -1, pooling: Pooling = "mean") -> TransformersEncoder:
        """The hidden states of this model, as vectors of words and texts."""
        from biascheck.models.local.encoder import SentencePooling, TransformersEncoder

        encoder = TransformersEncoder(
            lambda: (self.torch_model, self.tokenizer),
            name=self.name if layer == -1 else f"{self.name} (layer {layer})",
            fingerprint=lambda: self.pair_fingerprint,
            device=self.device,
            token_budget=self.token_budget,
            layer=layer,
            pooling=SentencePooling(pooling),
        )
        encoder.stored_pooler = self.stored_pooler
        encoder.reference = self.reference
        encoder.sketch = None if self.sketch is None else lambda: (self.outline, self.tokenizer)
        return encoder

    def engine_of(self, readout: Readout) -> Engine:
        """The engine in this process that reads a part of the model; it loads the weights."""
        if readout.kind == "states":
            return self.as_encoder(layer=readout.layer).state_engine
        if readout.kind == "double":
            return TorchEngine(self._checked_model, pad_token=self._pad_token, device=self.device, double=True)
        return self._engine

    def _placed(self, readout: Readout = Readout()) -> Engine:  # noqa: B008 - frozen
        """The engine for a part of the model, here or wherever plans are run now."""
        placed: Engine | None = active_placement().engine_for(self, readout)
        return self.engine_of(readout) if placed is None else placed

    def _answered(self, plan: ScoringPlan, readout: Readout = Readout()) -> list[Answer | Refusal]:  # noqa: B008 - frozen
        """Run a plan, except for readings that an earlier chunk of the same queries has computed."""
        return answer(plan, partial(self._run, readout=readout), self._budget, owner=f"{id(self)} {readout.kind}")

    def _run(self, plan: ScoringPlan, *, readout: Readout) -> list[Answer | Refusal]:
        return execute(plan, self._placed(readout), title=self.name, identity=self._identity(readout))

    def _identity(self, readout: Readout) -> Callable[[], str]:
        return lambda: f"{self.pair_fingerprint.digest} {readout.kind} {readout.layer}"

    def _position_limit(self) -> int | None:
        config = self.outline.config
        limit: int | None = getattr(config, "max_position_embeddings", None)
        if limit is None or limit <= 0:
            return None
        # RoBERTa and similar models count positions from the padding id on, so their table is that much longer.
        counts_from_padding = {"roberta", "xlm-roberta", "camembert", "mpnet", "longformer", "xlm-roberta-xl"}
        return limit - 2 if config.model_type in counts_from_padding else limit

    @cached_property
    def _pair(self) -> tuple[Any, Any]:
        model, tokenizer = self._load_pair()
        _refuse_foreign(self.name, model, tokenizer)
        if not getattr(tokenizer, "is_fast", False):
            tokenizer = self._aligned(tokenizer)
        if not callable(self._fingerprint):
            self._fingerprint = LiveFingerprint(model, tokenizer, known=self._fingerprint)
        if is_placed(model):
            self.device = entrance_of(model)
            return model, tokenizer
        return model.to(self.device), tokenizer

    def _aligned(self, tokenizer: Any) -> AlignedTokenizer:
        """A tokenizer written in Python, with offsets; an error if its tokens do not even spell a plain text."""
        if isinstance(tokenizer, AlignedTokenizer):
            return tokenizer
        if not any(end for _, end in aligned(tokenizer.tokenize(TRIAL_TEXT), TRIAL_TEXT)):
            raise ModelError(
                f"{self.name}: {type(tokenizer).__name__} does not say which characters a token covers, and its tokens "
                "do not spell the text; save the model with a fast tokenizer (tokenizer.json)"
            )
        return AlignedTokenizer(tokenizer)

    @cached_property
    def _engine(self) -> TorchEngine:
        engine = self.engine(self.torch_model, pad_token=self._pad_token, device=self.device)
        refuse_constant(self.name, self.torch_model, lambda: self.torch_model(**self._trial_input()).logits)
        return engine

    @property
    def _checked_model(self) -> Any:
        """The model, after the engine has rejected one with constant outputs."""
        return self._engine and self.torch_model

    def _trial_input(self) -> dict[str, Any]:
        tokens = self.tokenizer.encode(TRIAL_TEXT)[: self.max_length] or [0]
        return padded([tokens], pad=self._pad_token, device=self.device)

    @property
    def _pad_token(self) -> int:
        pad: int | None = self.tokenizer.pad_token_id
        # Padding is never attended to, so any id will do for a pad token that is absent or was added later.
        return pad if pad is not None and pad < vocabulary_of(self.outline, default=pad + 1) else 0

    @property
    def _budget(self) -> Budget:
        vocabulary = max(1, len(self.tokenizer))
        return Budget(tokens=self.token_budget, readings=max(1, LOGITS_IN_MEMORY // vocabulary))


def vocabulary_of(model: Any, *, default: int) -> int:
    """The number of tokens for which the model has logits, if its configuration states it."""
    return int(getattr(model.config, "vocab_size", default))


def _refuse_foreign(name: str, model: Any, tokenizer: Any) -> None:
    """Raise ModelError for a tokenizer that is not this model's, such as the empty one created for a missing file."""
    pieces = len(tokenizer)
    known = vocabulary_of(model, default=pieces)
    if tokenizer.vocab_size > known or 2 * pieces < known:
        raise ModelError(
            f"{name}: {type(tokenizer).__name__} has {pieces:,} tokens and the model has {known:,}, so they do "
            "not belong together; use the tokenizer the model was trained with, saved as tokenizer.json"
        )


class TransformersMaskedModel(TransformersModel):
    """BERT, RoBERTa, ALBERT, DeBERTa, ModernBERT … with their masked-language-model heads."""

    kind: ClassVar[Literal["masked"]] = "masked"

    def plan(
        self,
        queries: Sequence[MaskedQuery],
        *,
        masking: Masking = Masking(),  # noqa: B008 - frozen
        multi_token: MultiToken = "joint",
    ) -> ScoringPlan:
        """Estimate the cost of the queries, without answering them."""
        self._require_mask()
        encoded = encode_masked(
            queries, self.tokenizer, masking=masking, multi_token=multi_token, max_length=self.max_length
        )
        return make_plan(encoded, self._budget)

    def fill(
        self,
        queries: Sequence[MaskedQuery],
        *,
        masking: Masking = Masking(),  # noqa: B008 - frozen
        multi_token: MultiToken = "joint",
    ) -> list[Answer | Refusal]:
        """ln P of each query's target at its own masks."""
        return self._answered(self.plan(queries, masking=masking, multi_token=multi_token))

    def continuations(self, queries: Sequence[ContinuationQuery]) -> list[Answer | Refusal]:
        """The pseudo-log-likelihood of each continuation, as the span that is filled at the end of its text."""
        self._require_mask()
        encoded = encode_filled_spans(queries, self.tokenizer, max_length=self.max_length)
        return self._answered(make_plan(encoded, self._budget))

    def _require_mask(self) -> None:
        if self.tokenizer.mask_token_id is None:
            raise ModelError(f"{self.name}: the tokenizer has no mask token; load the model as kind='causal'")

    def pseudo_likelihood(self, queries: Sequence[PseudoQuery]) -> list[TokenScores | Refusal]:
        """ln P of the tokens of each query, each behind its own mask."""
        self._require_mask()
        encoded = list(encode_pseudo(queries, self.tokenizer, max_length=self.max_length))
        inputs = [one for masked in encoded if not isinstance(masked, Refusal) for one in masked]
        return gathered_tokens(encoded, self._answered(make_plan(inputs, self._budget), Readout("double")))
