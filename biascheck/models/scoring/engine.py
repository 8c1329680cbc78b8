"""Engines that run a scoring plan: the plan says what to compute, an engine where."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

import numpy as np

from biascheck.core.errors import ScoreError, UsageError
from biascheck.core.progress import progress
from biascheck.models.scoring.chunks import CACHED_FROM_BATCHES, cached_scores
from biascheck.models.scoring.cost import active_estimate
from biascheck.models.scoring.plan import Chunk, chunks_of_plan, localised
from biascheck.models.scoring.queries import Answer, Refusal, State

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from biascheck.models.scoring.plan import ScoringPlan, TokenReading


# The place where plans run: this process, unless a block says otherwise.
#
# An `Engine` creates the engine for a part of a model. A distributed one takes chunks and needs no weights here: it
# loads the model by its reference.

CHUNK_TOKENS = 16_384
"""Padded tokens of a chunk: some seconds of work, and what is computed again if a worker is lost."""


@dataclass(frozen=True, slots=True)
class Readout:
    """What is read from a model: log-probabilities, the same normalised in float64, or the states of a layer."""

    kind: Literal["scores", "double", "states"] = "scores"
    layer: int = -1


@dataclass(frozen=True)
class ModelReference:
    """The arguments that load a model again in another process: those of `load`, except where it runs."""

    spec: str
    options: dict[str, Any] = field(default_factory=dict)
    loader: str = "biascheck.models.local.loader"
    """The module whose ``load`` reads the spec."""

    def load(self, **options: Any) -> Any:
        """The model, loaded in this process; its loader is imported only now."""
        return import_module(self.loader).load(self.spec, **options)


@runtime_checkable
class DistributedEngine(Protocol):
    """An engine that takes many chunks and answers them in any order, with only a few in memory at a time."""

    def run_chunks(
        self, chunks: Iterator[tuple[int, Chunk]], advance: Callable[[int], None]
    ) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Each chunk has a number, returned with its answer; ``advance`` gets the number of finished tokens."""


class Placement(Protocol):
    """Where plans run, in chunks of about ``chunk_tokens``; ``elsewhere`` if that is not this process."""

    @property
    def chunk_tokens(self) -> int:
        """Padded tokens of a chunk."""

    @property
    def elsewhere(self) -> bool:
        """Whether this process can do without the weights."""

    def engine_for(self, model: Any, readout: Readout) -> Any | None:
        """The engine for a part of a model, or ``None`` if the model's own engine is to run in this process."""


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """This process, with the model's own engine."""

    chunk_tokens: int = CHUNK_TOKENS

    def __post_init__(self) -> None:
        if self.chunk_tokens < 1:
            raise UsageError(f"chunks of {self.chunk_tokens} tokens are not possible; give at least 1, e.g. 16384")

    @property
    def elsewhere(self) -> bool:
        """The weights are needed here."""
        return False

    def engine_for(self, model: Any, readout: Readout) -> None:  # noqa: ARG002 - as the protocol says
        """No engine of its own."""
        return


_LOCAL = LocalEngine()
_ACTIVE: ContextVar[Placement] = ContextVar("placement", default=_LOCAL)


def active_placement() -> Placement:
    """The present place for running plans."""
    return _ACTIVE.get()


@contextmanager
def placed_on(placement: Placement) -> Iterator[None]:
    """Run plans inside the block there."""
    token = _ACTIVE.set(placement)
    try:
        yield
    finally:
        _ACTIVE.reset(token)


class Engine(Protocol):
    """Turns the inputs of one batch into log-probabilities, one for each reading."""

    def run(self, inputs: Sequence[Sequence[int]], readings: Sequence[TokenReading]) -> NDArray[np.float64]:
        """``TokenReading.input`` counts within ``inputs``. With shared beginnings, ``inputs`` are :class:`TreeRow`."""


def execute(
    plan: ScoringPlan, engine: Engine, *, title: str = "scoring", identity: Callable[[], str] | None = None
) -> list[Answer | Refusal]:
    """Run every batch once and hand each query the sum of its readings.

    ``identity`` identifies the model: with it, the scores of a long plan survive an interruption.
    """
    if (estimate := active_estimate()) is not None:
        scores = estimate.scores(plan, lambda batch: engine.run(*localised(plan, batch)), title)
    else:
        scores = np.empty(len(plan.readings))
        run_plan(plan, engine, scores, title, identity)
    if not np.isfinite(scores).all():
        raise ScoreError(
            f"{title}: {int((~np.isfinite(scores)).sum())} of {len(scores)} log-probabilities are not finite; "
            "the weights are damaged or the precision is too low (try dtype='float32')"
        )
    return [q if isinstance(q, Refusal) else Answer(float(scores[list(q)].sum()), len(q)) for q in plan.queries]


def run_plan(
    plan: ScoringPlan, engine: Engine, found: NDArray[Any], title: str, identity: Callable[[], str] | None
) -> None:
    """Fill ``found``, one row for each reading: from stored scores, else chunk by chunk."""
    size = active_placement().chunk_tokens
    cached = cached_scores(identity if plan.padded_tokens > CACHED_FROM_BATCHES * size else None)
    places: dict[int, tuple[int, ...]] = {}
    running: dict[int, Chunk] = {}
    with progress(title, total=plan.tokens, about=plan.size) as advance:

        def missing() -> Iterator[tuple[int, Chunk]]:
            for number, (rows, chunk) in enumerate(chunks_of_plan(plan, size)):
                if (scores := cached.get(chunk)) is None:
                    places[number], running[number] = rows, chunk
                    yield number, chunk
                else:
                    found[list(rows)] = scores
                    advance(chunk.tokens)

        for number, scores in _answered(engine, missing(), advance):
            cached.add(running.pop(number), scores)
            found[list(places.pop(number))] = scores


def _answered(
    engine: Engine, chunks: Iterator[tuple[int, Chunk]], advance: Callable[[int], None]
) -> Iterator[tuple[int, NDArray[Any]]]:
    """The chunks with their scores: in any order from an engine that distributes them, else one after another."""
    if isinstance(engine, DistributedEngine):
        yield from engine.run_chunks(chunks, advance)
        return
    for number, chunk in chunks:
        parts = []
        for inputs, readings in chunk.batches():
            parts.append(engine.run(inputs, readings))
            advance(sum(map(len, inputs)))
        yield number, np.concatenate(parts)


class TorchEngine:
    """One transformers model on one device.

    The head of a language model works position by position, so it is given only the requested positions: a hook on the
    model's body passes those states on and drops the rest. On a short sentence with one mask the head is most of the
    work, and most of that is saved. ``double`` normalises in float64: sums over many tokens add up the rounding of
    each, which is 2e-5 in float32.
    """

    def __init__(self, model: Any, *, pad_token: int, device: str, double: bool = False) -> None:
        self._model = model
        self._pad = pad_token
        self._device = device
        self._double = double

    def run(self, inputs: Sequence[Sequence[int]], readings: Sequence[TokenReading]) -> NDArray[np.float64]:
        """Read the requested log-probabilities from one forward pass."""
        import torch

        places = sorted({(r.input, r.position) for r in readings})
        order = {place: n for n, place in enumerate(places)}
        # Indices stay on the processor: layers of one model may be on several devices, and so may the outputs.
        which = torch.tensor([order[r.input, r.position] for r in readings])
        tokens = torch.tensor([r.token for r in readings])
        with torch.inference_mode(), evaluating(self._model):
            logits = self._logits(inputs, places)
            logits = logits.double() if self._double or logits.dtype == torch.float64 else logits.float()
            scores = logits[which, tokens] - logits.logsumexp(dim=-1)[which]
        result: NDArray[np.float64] = scores.cpu().numpy().astype(np.float64)
        return result

    def _logits(self, inputs: Sequence[Sequence[int]], places: Sequence[tuple[int, int]]) -> Any:
        """Logits at the requested positions, one row for each."""
        import torch

        rows = torch.tensor([row for row, _ in places])
        columns = torch.tensor([column for _, column in places])
        return logits_at(self._model, self._batch(inputs), rows, columns)

    def _batch(self, inputs: Sequence[Sequence[int]]) -> dict[str, Any]:
        return padded(inputs, pad=self._pad, device=self._device)


def logits_at(model: Any, inputs: dict[str, Any], rows: Any, columns: Any) -> Any:
    """The logits of a language model at some positions, one row for each; with gradients if they are needed."""

    def keep_asked(_module: Any, _arguments: Any, output: Any) -> Any:
        return _with_first(output, output[0][rows, columns].unsqueeze(0))

    hook = model.base_model.register_forward_hook(keep_asked)
    try:
        logits = model(**inputs).logits
    finally:
        hook.remove()
    if logits.shape[:2] == (1, len(rows)):
        return logits[0]
    # A head that is not applied position by position: take everything, then choose.
    return model(**inputs).logits[rows, columns]


def padded(inputs: Sequence[Sequence[int]], *, pad: int, device: str) -> dict[str, Any]:
    """Inputs of any length as one batch, with an attention mask that excludes the padding."""
    import torch

    longest = max(map(len, inputs))
    ids = torch.full((len(inputs), longest), pad, dtype=torch.long)
    attention = torch.zeros_like(ids)
    for row, tokens in enumerate(inputs):
        ids[row, : len(tokens)] = torch.tensor(tokens)
        attention[row, : len(tokens)] = 1
    return {"input_ids": ids.to(device), "attention_mask": attention.to(device)}


@contextmanager
def evaluating(model: Any) -> Iterator[None]:
    """Switch dropout off, and restore the training mode afterwards."""
    training = model.training
    model.eval()
    try:
        yield
    finally:
        model.train(training)


def _with_first(output: Any, states: Any) -> Any:
    """The output of a model's body with its hidden states replaced."""
    if isinstance(output, tuple):
        return (states, *output[1:])
    output["last_hidden_state"] = states
    return output


# Plans for hidden states: the same distinct inputs and batches as for probabilities, other readings.


def execute_states(
    plan: ScoringPlan,
    engine: Engine,
    *,
    width: int,
    title: str = "encoding",
    identity: Callable[[], str] | None = None,
) -> list[State | Refusal]:
    """Run every batch once and return for each query the mean of its states, which have ``width`` numbers."""
    if (estimate := active_estimate()) is not None:
        scores = estimate.scores(
            plan, lambda batch: engine.run(*localised(plan, batch)), f"{title.rpartition(': ')[0] or title} (states)"
        )
        states = _made_up(len(scores), width)
    else:
        states = np.empty((len(plan.readings), width), dtype=np.float32)
        run_plan(plan, engine, states, title, identity)
    if not np.isfinite(states).all():
        raise ScoreError(
            f"{title}: some states are not finite; the weights are damaged or the precision is too low "
            "(try dtype='float32')"
        )
    return [q if isinstance(q, Refusal) else State(_mean(states, q), len(q)) for q in plan.queries]


def _made_up(count: int, width: int) -> NDArray[np.float32]:
    """Made-up states, while a run is only being planned."""
    return np.random.default_rng(0).standard_normal((count, width)).astype(np.float32)


def _mean(states: NDArray[np.float32], rows: tuple[int, ...]) -> NDArray[np.float32]:
    if len(rows) == 1:
        return np.asarray(states[rows[0]])
    return np.asarray(states[list(rows)].mean(axis=0, dtype=np.float64), dtype=np.float32)


class StateEngine(TorchEngine):
    """The body of one transformers model on one device, without its head.

    ``layer`` counts as transformers counts hidden states: 0 is the embedding layer, −1 the last.
    """

    def __init__(self, model: Any, *, pad_token: int, device: str, layer: int) -> None:
        super().__init__(model.base_model, pad_token=pad_token, device=device)
        self._layer = layer

    def run(self, inputs: Sequence[Sequence[int]], readings: Sequence[TokenReading]) -> NDArray[Any]:
        """Read the states at the requested positions from one forward pass."""
        import torch

        rows = torch.tensor([r.input for r in readings])
        columns = torch.tensor([r.position for r in readings])
        with torch.inference_mode(), evaluating(self._model):
            states = self._states(padded(inputs, pad=self._pad, device=self._device))[rows, columns].float()
        result: NDArray[np.float32] = states.cpu().numpy()
        return result

    def _states(self, batch: dict[str, Any]) -> Any:
        if self._layer == -1:
            return self._model(**batch).last_hidden_state
        return self._model(**batch, output_hidden_states=True).hidden_states[self._layer]
