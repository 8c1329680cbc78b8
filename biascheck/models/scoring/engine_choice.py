"""The choice of an engine and its options, from a command line or a call."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict, Unpack

from biascheck.core.errors import UsageError
from biascheck.models.scoring.engine import CHUNK_TOKENS, LocalEngine, placed_on

LOCAL = "local"
NEW_CLUSTER = "ray"
ADDRESS = re.compile(r"auto|ray://\S+|[\w.\[\]:-]+:\d+")


class EngineOptions(TypedDict, total=False):
    """The options of an engine besides its address."""

    actors: int | None
    cpus: float
    gpus: float
    threads: int | None
    chunk_tokens: int
    log: Path | None


@dataclass(frozen=True)
class EngineChoice:
    """The engine that runs plans, and the resources of each worker.

    ``address`` is ``local`` (this process), ``ray`` (a cluster on this machine, which ends with the run, or the one
    that RAY_ADDRESS names), ``auto`` (the cluster that runs on this machine), ``HOST:PORT`` or ``ray://HOST:PORT``.
    ``actors`` is the number of workers, by default as many as the cluster has room for. Each has ``cpus`` and ``gpus``
    of the cluster to itself and computes with ``threads`` (by default as many as it has processors), so that none
    starves another; with a GPU the model is put there. ``chunk_tokens`` is the size of the work sent at a time, and
    computed again if a worker is lost. ``log`` is a file with a line for each chunk that begins or ends.
    """

    address: str = LOCAL
    actors: int | None = None
    cpus: float = 1
    gpus: float = 0
    threads: int | None = None
    chunk_tokens: int = CHUNK_TOKENS
    log: Path | None = None

    def __post_init__(self) -> None:
        if self.address not in (LOCAL, NEW_CLUSTER) and not ADDRESS.fullmatch(self.address):
            raise UsageError(
                f"no engine {self.address!r}; there are: local, ray (a cluster on this machine), auto (the one that "
                "runs here), HOST:PORT and ray://HOST:PORT"
            )
        for name, least in (("actors", 1), ("threads", 1), ("chunk_tokens", 1)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise UsageError(f"{name} is {value}, and an engine needs at least {least}")
        if not self.cpus > 0 or not self.gpus >= 0:
            raise UsageError(f"a worker with {self.cpus:g} processors and {self.gpus:g} GPUs is not possible")
        if self.address == LOCAL and (self.actors not in (None, 1) or self.gpus):
            raise UsageError("the engine local is one process; use the engine ray for several actors or their GPUs")

    @property
    def is_local(self) -> bool:
        """Whether everything runs in this process."""
        return self.address == LOCAL

    @property
    def threads_of_worker(self) -> int:
        """The number of threads of a worker."""
        return self.threads or max(1, int(self.cpus))


def engine(address: str = LOCAL, **options: Unpack[EngineOptions]) -> AbstractContextManager[None]:
    """Run the plans inside a ``with`` block elsewhere: ``with biascheck.engine("ray", actors=2): …``.

    ``address`` is ``local``, ``ray`` (a cluster on this machine), ``auto``, ``HOST:PORT`` or ``ray://HOST:PORT``; the
    options are those of :class:`EngineChoice`. Models are handed over by reference: folders, Hub ids, bundled names and
    references; one in memory has to be saved to a folder first. Scores are those of the local engine with as many
    threads, to the last bit. Models behind an endpoint, functions, and generated text stay in this process.
    """
    return running_on(EngineChoice(address, **options))


@contextmanager
def running_on(choice: EngineChoice) -> Iterator[None]:
    """Let plans inside the block run as chosen. A cluster is started with the first plan, and released at the end."""
    if choice.is_local:
        with _threads(choice.threads), placed_on(LocalEngine(choice.chunk_tokens)):
            yield
        return
    from biascheck.models.scoring.ray import RayEngine

    placement = RayEngine(choice)
    try:
        with placed_on(placement):
            yield
    finally:
        placement.close()


@contextmanager
def _threads(wanted: int | None) -> Iterator[None]:
    if wanted is None:
        yield
        return
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(wanted)
    try:
        yield
    finally:
        torch.set_num_threads(before)
