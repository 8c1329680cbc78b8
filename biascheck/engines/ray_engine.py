"""Plans on a Ray cluster: a pool of actors that score chunks.

Ray places the actors, starts them again when they are lost, and sends them the chunks that they had not answered. Ours
is the window: each actor has one chunk to work on and one waiting, so that neither side waits for the other and no more
than that is in flight, whatever the size of the plan.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from biascheck.engines.ray_cluster import RayCluster, require_ray
from biascheck.engines.scoring_worker import Order, ScoringWorker
from biascheck.errors import BiascheckError, ScoreError, UsageError
from biascheck.models.scoring.engine_placement import Readout
from biascheck.models.scoring.plan_chunks import Chunk

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from biascheck.engines.engine_choice import EngineChoice
    from biascheck.models.scoring.plan import TokenReading

__all__ = ["RayEngine", "forwarded_environment", "unwrapped"]

IN_FLIGHT = 2
ENGINE_RETRIES = 9
"""A chunk that has taken ten workers with it will take the next one, too."""
START_SECONDS = 180.0
FORWARDED = ("BIASCHECK_CACHE", "BIASCHECK_DATA", "HF_HOME", "HF_HUB_OFFLINE")


def forwarded_environment() -> dict[str, str]:
    """What workers must know of this process's environment to find the same files."""
    return {name: os.environ[name] for name in FORWARDED if name in os.environ}


class RayEngine:
    """A placement: plans of models with a reference run on the cluster. It is begun with the first of them."""

    elsewhere = True

    def __init__(self, choice: EngineChoice) -> None:
        require_ray()  # now, not in the middle of a run
        self._choice = choice
        self._cluster: RayCluster | None = None
        self._actors: list[Any] = []
        self._fault: UsageError | None = None

    @property
    def chunk_tokens(self) -> int:
        """Padded tokens of a chunk."""
        return self._choice.chunk_tokens

    def engine_for(self, model: Any, readout: Readout) -> Any:
        """The engine for a part of a model; a model in memory is refused."""
        if model.reference is None:
            raise UsageError(
                f"{model.name} is in the memory of this process, and the engine ray hands models over by reference; "
                "save it to a folder (save_pretrained) and load that, or use the engine local"
            )
        return _RemoteModel(self, Order(model.reference, model.pair_fingerprint.digest, readout))

    def prepare(self, model: Any, readout: Readout = Readout()) -> list[int]:  # noqa: B008 - frozen
        """Let every worker load a model now, not with its first chunk; the ids of their processes."""
        order = self.engine_for(model, readout).order
        return [self._got(asked) for asked in [actor.prepare.remote(order) for actor in self.actors()]]

    def stream(
        self, order: Order, chunks: Iterator[tuple[int, Chunk]], advance: Callable[[int], None]
    ) -> Iterator[tuple[int, NDArray[Any]]]:
        """Send chunks as actors become free, and hand out their answers in the order in which they come."""
        running: dict[Any, tuple[int, int, Any]] = {}
        idle: deque[Any] | None = None
        try:
            while True:
                while (idle is None or idle) and (following := next(chunks, None)) is not None:
                    # a plan of which everything is kept needs no cluster
                    idle = deque(self.actors() * IN_FLIGHT) if idle is None else idle
                    actor, (number, chunk) = idle.popleft(), following
                    running[actor.score.remote(order, chunk)] = number, chunk.tokens, actor
                if not running:
                    return
                assert self._cluster is not None
                assert idle is not None
                (done, *_), _ = self._cluster.ray.wait(list(running), num_returns=1)
                number, tokens, actor = running.pop(done)
                scores = self._got(done)
                idle.append(actor)
                advance(tokens)
                yield number, scores
        finally:
            if running:  # an error, or Ctrl-C: what is still being computed is of no use to anyone
                self.free()

    def actors(self) -> list[Any]:
        """The pool; begun where there is none."""
        if self._fault is not None:  # every other plan would wait for the same answer
            raise self._fault
        if not self._actors:
            try:
                self._cluster = self._cluster or RayCluster(self._choice)
                self._actors = self._started(self._cluster)
            except UsageError as error:
                self._fault = error
                raise
        return self._actors

    def _started(self, cluster: RayCluster) -> list[Any]:
        wanted, count = self._choice, cluster.workers()
        kind = cluster.ray.remote(ScoringWorker).options(
            num_cpus=wanted.cpus, num_gpus=wanted.gpus, max_restarts=-1, max_task_retries=ENGINE_RETRIES
        )
        actors = [
            kind.remote(
                threads=wanted.threads_of_worker,
                device="cuda" if wanted.gpus else "cpu",
                environment=forwarded_environment(),
                log=wanted.log,
            )
            for _ in range(count)
        ]
        asked = [actor.process.remote() for actor in actors]
        ready, late = cluster.ray.wait(asked, num_returns=count, timeout=START_SECONDS)
        if late:
            self._kill(actors)
            raise UsageError(
                f"only {len(ready)} of {count} workers began within {START_SECONDS:g} s; others may be using the "
                f"cluster ({cluster.free()}); ask for fewer (--bias-engine-actors) or wait until it is free"
            )
        for one in ready:
            self._got(one)
        return actors

    def _got(self, answer: Any) -> Any:
        assert self._cluster is not None
        return unwrapped(self._cluster.ray, answer)

    def _kill(self, actors: Sequence[Any]) -> None:
        assert self._cluster is not None
        if self._cluster.ray.is_initialized():
            for actor in actors:
                self._cluster.ray.kill(actor)

    def free(self) -> None:
        """Give the workers back to the cluster; the next plan begins new ones."""
        actors, self._actors = self._actors, []
        if actors:
            self._kill(actors)

    def close(self) -> None:
        """Free the workers and leave the cluster."""
        try:
            self.free()
        finally:
            cluster, self._cluster = self._cluster, None
            if cluster is not None:
                cluster.leave()


@dataclass(frozen=True)
class _RemoteModel:
    """A part of one model, wherever the actors are."""

    pool: RayEngine
    order: Order

    def run(self, inputs: Sequence[Sequence[int]], readings: Sequence[TokenReading]) -> NDArray[np.float64]:
        """One batch, as any engine runs it."""
        chunk = Chunk.of([(inputs, readings)])
        ((_, scores),) = self.run_chunks(iter([(0, chunk)]), lambda _: None)
        return scores

    def run_chunks(
        self, chunks: Iterator[tuple[int, Chunk]], advance: Callable[[int], None]
    ) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Many chunks, answered in any order."""
        return self.pool.stream(self.order, chunks, advance)


def unwrapped(ray: Any, answer: Any) -> Any:
    """What a worker answered; its own error where it is one of ours, and what to do where it was lost for good."""
    try:
        return ray.get(answer)
    except ray.exceptions.RayTaskError as error:
        cause = error.cause if isinstance(getattr(error, "cause", None), BiascheckError) else None
        if cause is not None:
            raise cause from None
        raise ScoreError(f"a worker failed: {str(error).strip().splitlines()[-1]}") from error
    except ray.exceptions.RayError as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise ScoreError(
            f"a worker was lost {ENGINE_RETRIES + 1} times over the same work ({reason}); it may need more memory than "
            "its machine has: lower --bias-token-budget, use fewer workers for each machine, or machines with more "
            "memory"
        ) from error
