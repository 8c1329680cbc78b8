"""Where plans run: in this process unless a block says otherwise.

A placement hands out the engine for a part of a model. One that runs elsewhere takes chunks and needs no weights here:
it knows the model by its reference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from biascheck.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from biascheck.models.scoring.plan_chunks import Chunk

__all__ = [
    "CHUNK_TOKENS",
    "DistributedEngine",
    "LocalEngine",
    "ModelReference",
    "Placement",
    "Readout",
    "active_placement",
    "placed_on",
]

CHUNK_TOKENS = 16_384
"""Padded tokens of a chunk: some seconds of work, and what is scored again when a worker is lost."""


@dataclass(frozen=True, slots=True)
class Readout:
    """What is read off a model: log-probabilities, the same normalised in float64, or the states of a layer."""

    kind: Literal["scores", "double", "states"] = "scores"
    layer: int = -1


@dataclass(frozen=True)
class ModelReference:
    """How a model is loaded again in another process: what `load` was given, apart from where it runs."""

    spec: str
    options: dict[str, Any] = field(default_factory=dict)
    loader: str = "biascheck.models.loading.loader"
    """The module whose ``load`` reads the spec."""

    def load(self, **options: Any) -> Any:
        """The model, loaded in this process; its loader is imported only now."""
        return import_module(self.loader).load(self.spec, **options)


@runtime_checkable
class DistributedEngine(Protocol):
    """An engine that takes many chunks and answers them in any order, holding only a few at a time."""

    def run_chunks(
        self, chunks: Iterator[tuple[int, Chunk]], advance: Callable[[int], None]
    ) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Each chunk has a number, which comes back with its answer; ``advance`` hears of the tokens that are done."""


class Placement(Protocol):
    """Where plans run, in chunks of about ``chunk_tokens``; ``elsewhere`` if that is not this process."""

    @property
    def chunk_tokens(self) -> int:
        """Padded tokens of a chunk."""

    @property
    def elsewhere(self) -> bool:
        """Whether this process can do without the weights."""

    def engine_for(self, model: Any, readout: Readout) -> Any | None:
        """The engine for a part of a model, or ``None`` where the model's own is to run in this process."""


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
        """Nobody else's engine."""
        return


_LOCAL = LocalEngine()
_ACTIVE: ContextVar[Placement] = ContextVar("placement", default=_LOCAL)


def active_placement() -> Placement:
    """Where plans run now."""
    return _ACTIVE.get()


@contextmanager
def placed_on(placement: Placement) -> Iterator[None]:
    """Let plans inside the block run there."""
    token = _ACTIVE.set(placement)
    try:
        yield
    finally:
        _ACTIVE.reset(token)
