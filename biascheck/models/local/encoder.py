"""Contextual encoders: word states and sentence vectors, cached on disk under the digest of the encoder."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal, Unpack, get_args

import msgspec
import numpy as np

from biascheck.core.errors import ModelError, UsageError
from biascheck.core.files import hold_where_possible, write_atomically
from biascheck.core.store import active_cache, digest_of
from biascheck.models.base import Encoder, has_states, require_capability
from biascheck.models.files import checked_file, read_json
from biascheck.models.local.transformers import ModelOptions, TransformersModel, refuse_constant
from biascheck.models.scoring.cost import active_estimate
from biascheck.models.scoring.encode import Pooling, encode_texts, encode_words
from biascheck.models.scoring.engine import Engine, Readout, StateEngine, execute_states
from biascheck.models.scoring.plan import Budget, ScoringPlan, make_plan
from biascheck.models.scoring.queries import Refusal, State, WordQuery

# States on disk: the vectors of one set of queries, under the digest of the encoder and of the queries.
#
# They are stored beside the cached results, and only if those are. A file contains plain numbers (no pickles), appears
# completely or not at all, and one that cannot be read is computed again.

STATES_FOLDER = "states"
STATES_VERSION = 1


def cached_states(encoder: Encoder, queries: Sequence[WordQuery]) -> list[State | Refusal]:
    """The states of the queries, from disk if the same encoder has answered the same ones before."""
    cache = active_cache()
    if cache is None or cache.folder is None or active_estimate() is not None:
        return encoder.words(queries)
    path = cache.folder.parent / STATES_FOLDER / f"{_key(encoder, queries)}.npz"
    if (found := _read(path, len(queries))) is not None:
        return found
    with hold_where_possible(path.with_suffix(".lock"), "hidden states that are being computed") as fault:
        if (found := _read(path, len(queries))) is not None:
            return found
        states = encoder.words(queries)
        if fault is None:
            _write(path, states)
        return states


def _key(encoder: Encoder, queries: Sequence[WordQuery]) -> str:
    asked = [[q.text, q.span.start, q.span.end, *([span.start, span.end] for span in q.hidden)] for q in queries]
    return digest_of([STATES_VERSION, encoder.fingerprint, asked])


def _read(path: Path, count: int) -> list[State | Refusal] | None:
    """The states, one per query, or ``None``: a file can be damaged in more ways than there are errors."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            rows, pieces, reasons = iter(stored["vectors"]), stored["pieces"].tolist(), stored["reasons"].tolist()
        found = [
            Refusal(str(reason)) if reason else State(next(rows), int(tokens))
            for tokens, reason in zip(pieces, reasons, strict=True)
        ]
    except MemoryError:
        raise
    except Exception:
        return None
    return found if len(found) == count and next(rows, None) is None else None


def _write(path: Path, states: Sequence[State | Refusal]) -> None:
    answered = [state for state in states if isinstance(state, State)]
    if not answered:
        return
    buffer = io.BytesIO()
    np.savez(
        buffer,
        vectors=np.stack([state.vector for state in answered]),
        pieces=np.array([state.pieces if isinstance(state, State) else 0 for state in states]),
        reasons=np.array([state.reason if isinstance(state, Refusal) else "" for state in states]),
    )
    try:
        write_atomically(path, buffer.getvalue())
    except OSError:
        return  # a full or read-only disk costs time, not the result; the results' own cache warns about it


# Contextual encoders: word states and sentence vectors of any transformers encoder or decoder.

STATES_IN_MEMORY = 1_000_000


@dataclass(frozen=True, slots=True)
class SentencePooling:
    """The pooling of states: their mean, the first or the last; normalised to length 1 if requested."""

    mode: Pooling = "mean"
    normalise: bool = False


class TransformersEncoder(TransformersModel):
    """The states of a transformers model, as one vector for each word or text.

    A word is found by its characters and is the mean of its tokens' states at ``layer`` (0 the embeddings, −1
    the last). If a tokenizer puts nothing before a text, an opening token is added and not read.
    """

    kind: ClassVar[Literal["encoder"]] = "encoder"

    def __init__(
        self,
        load_pair: Callable[[], tuple[Any, Any]],
        *,
        layer: int = -1,
        pooling: SentencePooling = SentencePooling(),
        **options: Unpack[ModelOptions],
    ) -> None:
        super().__init__(load_pair, **options)
        self.layer = layer
        self.pooling = pooling

    @property
    def fingerprint(self) -> str:
        """A digest of weights, tokenizer, precision, layer and pooling."""
        facts = [self.pair_fingerprint.digest, self.layer, self.pooling.mode, self.pooling.normalise]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()

    @property
    def can_mask(self) -> bool:
        """Whether the tokenizer has a mask."""
        return self.tokenizer.mask_token_id is not None

    def as_encoder(self, *, layer: int = -1, pooling: Pooling = "mean") -> TransformersEncoder:
        """This encoder, or the same weights read at another layer or pooled otherwise."""
        return self if (layer, pooling) == (-1, "mean") else super().as_encoder(layer=layer, pooling=pooling)

    def plan(self, queries: Sequence[WordQuery]) -> ScoringPlan:
        """Estimate the cost of encoding the words, without encoding them."""
        return make_plan(encode_words(queries, self.tokenizer, max_length=self.max_length), self._budget)

    def words(self, queries: Sequence[WordQuery]) -> list[State | Refusal]:
        """The mean state of the tokens of each word; each distinct text runs once."""
        return self._states(self.plan(queries), f"{self.name}: {len(queries):,} words")

    def sentences(self, texts: Sequence[str]) -> list[State | Refusal]:
        """One vector for each text, pooled as this encoder pools."""
        encoded = encode_texts(texts, self.tokenizer, pooling=self.pooling.mode, max_length=self.max_length)
        found = self._states(make_plan(encoded, self._budget), f"{self.name}: sentences")
        return [_normalised(state) for state in found] if self.pooling.normalise else found

    def _states(self, plan: ScoringPlan, title: str) -> list[State | Refusal]:
        config = self.outline.config.get_text_config()
        readout = Readout("states", self._checked_layer(int(config.num_hidden_layers)))
        return execute_states(
            plan, self._placed(readout), width=int(config.hidden_size), title=title, identity=self._identity(readout)
        )

    def _checked_layer(self, layers: int) -> int:
        """The index of the layer that is read; the last one under its usual name."""
        if not -layers - 1 <= self.layer <= layers:
            raise UsageError(
                f"{self.name} has the layers 0 (embeddings) to {layers}, or −1 from the end, not {self.layer}"
            )
        return -1 if self.layer == layers else self.layer

    def engine_of(self, readout: Readout) -> Engine:
        """The engine in this process that reads the states of a layer; it loads the weights."""
        layers = int(self.torch_model.config.get_text_config().num_hidden_layers)
        return self.state_engine if readout.layer == self._checked_layer(layers) else super().engine_of(readout)

    @cached_property
    def state_engine(self) -> StateEngine:
        """The engine of this encoder's own layer."""
        layer = self._checked_layer(int(self.torch_model.config.get_text_config().num_hidden_layers))
        body = self.torch_model.base_model
        refuse_constant(self.name, body, lambda: body(**self._trial_input()).last_hidden_state)
        return StateEngine(self.torch_model, pad_token=self._pad_token, device=self.device, layer=layer)

    @property
    def _budget(self) -> Budget:
        return Budget(tokens=self.token_budget, readings=STATES_IN_MEMORY)


def _normalised(state: State | Refusal) -> State | Refusal:
    if isinstance(state, Refusal):
        return state
    length = float(np.linalg.norm(state.vector))
    return State(state.vector / np.float32(length), state.pieces) if length else state


def encoder_of(model: Any, *, layer: int = -1, pooling: Pooling = "mean") -> Encoder:
    """Use a loaded language model as an encoder; an encoder is returned unchanged.

    ``layer`` and ``pooling`` are for models whose states can be read: any other encoder uses its own.
    """
    if pooling not in get_args(Pooling):
        raise UsageError(f"pooling is one of {', '.join(get_args(Pooling))}, not {pooling!r}")
    require_capability(model, ("embeds words in context",), "an encoder")
    if has_states(model):
        return model.as_encoder(layer=layer, pooling=pooling)
    encoder: Encoder = model
    return encoder


class _Module(msgspec.Struct):
    type: str
    path: str


def pooling_of_folder(folder: Path) -> SentencePooling:
    """The pooling that a sentence-transformers folder states; the plain mean if it states none."""
    modules = checked_file(folder / "modules.json")
    if modules is None:
        return SentencePooling()
    listed = {module.type.rsplit(".", 1)[-1]: module.path for module in read_json(modules, list[_Module])}
    unknown = sorted(set(listed) - {"Transformer", "Pooling", "Normalize"})
    if unknown:
        raise ModelError(f"{folder}: its sentence vectors go through {', '.join(unknown)}, which is not supported")
    if listed.get("Transformer"):
        raise ModelError(f"{folder}: the transformer lies in {listed['Transformer']!r}; load that folder instead")
    mode = _pooling_mode(folder, listed["Pooling"]) if "Pooling" in listed else "mean"
    return SentencePooling(mode, normalise="Normalize" in listed)


def _pooling_mode(folder: Path, place: str) -> Pooling:
    if len(Path(place).parts) > 1 or place == "..":
        raise ModelError(
            f"{folder}: modules.json keeps the pooling in {place!r}; it must be a folder beside modules.json"
        )
    file = checked_file(folder / place / "config.json")
    if file is None:
        raise ModelError(f"{folder}: modules.json names {place}/config.json, which is missing; copy the folder again")
    config = read_json(file, dict[str, Any])
    modes = [key for key, on in config.items() if key.startswith("pooling_mode_") and on is True]
    known: dict[str, Pooling] = {"mean_tokens": "mean", "cls_token": "cls", "lasttoken": "last"}
    if len(modes) > 1 or (modes and modes[0].removeprefix("pooling_mode_") not in known):
        raise ModelError(f"{folder}: pools by {', '.join(modes)}; supported are one of {', '.join(known)}")
    return known[modes[0].removeprefix("pooling_mode_")] if modes else "mean"
