"""Plans and suites on a Ray cluster: found or started, a pool of actors that score chunks, tasks for whole suites.

Ray is imported here only, and late.
"""

from __future__ import annotations

import json
import logging
import os
import platform
import socket
import sys
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import numpy as np

from biascheck.core.errors import BiascheckError, ModelError, ScoreError, UsageError
from biascheck.core.progress import announce
from biascheck.core.release import install_line, require
from biascheck.models.scoring.engine import ModelReference, Readout
from biascheck.models.scoring.engine_choice import NEW_CLUSTER
from biascheck.models.scoring.plan import Chunk

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from biascheck.models.scoring.engine import Engine
    from biascheck.models.scoring.engine_choice import EngineChoice
    from biascheck.models.scoring.plan import TokenReading


# A Ray cluster: found or started, queried for its resources, and left unchanged.

OBJECT_STORE = 200 * 1024 * 1024
"""Bytes for data in transit between processes of a local cluster: chunks are far smaller than a megabyte."""
ADDRESS_OF_RAY = "RAY_ADDRESS"
CLIENT_PORT = 10_001
"""Ray's own, where an address names none."""
ANSWER_SECONDS = 30.0


def require_ray() -> Any:
    """The ray module; an error with the extra if it is not installed."""
    require("the engine ray", "ray", ("ray",), instead=", or use the engine local")
    import ray

    return ray


class RayCluster:
    """The cluster that this process uses; one that it started ends with it."""

    def __init__(self, choice: EngineChoice) -> None:
        self.ray = require_ray()
        self._choice = choice
        self._ours = not self.ray.is_initialized()
        if self._ours:
            self._connect()

    def _connect(self) -> None:
        quiet: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
        address = self._choice.address
        if address == NEW_CLUSTER and not os.environ.get(ADDRESS_OF_RAY):
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
            self.ray.init("local", include_dashboard=False, object_store_memory=OBJECT_STORE, **quiet)
            return
        wanted = os.environ[ADDRESS_OF_RAY] if address == NEW_CLUSTER else address
        try:
            _require_answer(wanted)
            self.ray.init(wanted, **quiet)
        except ImportError as error:
            raise UsageError(
                f"{wanted} is an address for Ray's client, which needs grpcio; install the extra with "
                f"{install_line('ray')}, or give the address of the cluster itself, HOST:PORT"
            ) from error
        except (OSError, RuntimeError, ValueError) as error:
            reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
            raise UsageError(
                f"no Ray cluster answers at {wanted} ({reason}); start one with 'ray start --head', check the address "
                "and, where the cluster wants one, the token (RAY_AUTH_MODE=token, RAY_AUTH_TOKEN), or use the engine "
                "ray, which starts one on this machine"
            ) from error

    def workers(self) -> int:
        """The number of concurrent workers; an error if the cluster cannot provide what was requested."""
        wanted = self._choice
        nodes = [node["Resources"] for node in self.ray.nodes() if node["Alive"]]
        room = sum(_room(node, wanted.cpus, wanted.gpus) for node in nodes)
        has = ", ".join(f"{node.get('CPU', 0):g} processors and {node.get('GPU', 0):g} GPUs" for node in nodes)
        each = f"{wanted.cpus:g} processors" + (f" and {wanted.gpus:g} GPUs" if wanted.gpus else "")
        if room == 0:
            raise UsageError(
                f"no machine of the Ray cluster can give a worker {each} (it has {has}); request less "
                "(--bias-engine-cpus, --bias-engine-gpus), or add a machine"
            )
        if wanted.actors is not None and wanted.actors > room:
            raise UsageError(
                f"the Ray cluster has room for {room} of {wanted.actors} workers with {each} each (it has {has}); "
                f"request fewer (--bias-engine-actors {room}) or smaller ones, or add a machine"
            )
        return wanted.actors or room

    def free(self) -> str:
        """The free resources, in words."""
        left = self.ray.available_resources()
        return f"{left.get('CPU', 0):g} processors and {left.get('GPU', 0):g} GPUs are free"

    def leave(self) -> None:
        """Stop a cluster that was started for this process, or disconnect from one."""
        if self._ours and self.ray.is_initialized():
            try:
                self.ray.shutdown()
            except Exception as error:  # the results are complete; the cluster cleans up the rest
                announce(f"biascheck: the Ray cluster did not shut down cleanly ({error})")


def _require_answer(address: str) -> None:
    """Raise OSError if nothing listens at an address; Ray itself would keep trying for minutes."""
    place = urlsplit(address if "//" in address else f"//{address}")
    if address != "auto" and place.hostname:
        socket.create_connection((place.hostname, place.port or CLIENT_PORT), timeout=ANSWER_SECONDS).close()


def _room(node: dict[str, float], cpus: float, gpus: float) -> int:
    by_cpu = int(node.get("CPU", 0) / cpus + 1e-9)
    return min(by_cpu, int(node.get("GPU", 0) / gpus + 1e-9)) if gpus else by_cpu


# Code inside an actor: it loads a model by its reference, once, and scores chunks with it.

MODELS_KEPT = 2
"""A model and the one it is compared with; more would need memory that was not requested."""


@dataclass(frozen=True)
class Order:
    """The part of the model that a chunk is for; ``digest`` is the fingerprint of the model in the driver."""

    reference: ModelReference
    digest: str
    readout: Readout

    @property
    def key(self) -> tuple[str, Readout]:
        """The cache key of an engine."""
        return self.digest, self.readout


class ScoringWorker:
    """One process with its own threads and device. It keeps the last two requested models in memory."""

    def __init__(self, *, threads: int, device: str, environment: dict[str, str], log: Path | None = None) -> None:
        os.environ.update(environment)
        import torch

        torch.set_num_threads(threads)
        self._device = device
        self._log = log
        self._models: OrderedDict[str, Any] = OrderedDict()
        self._engines: dict[tuple[str, Readout], Engine] = {}

    def process(self) -> int:
        """The id of this process; answered as soon as it runs."""
        return os.getpid()

    def prepare(self, order: Order) -> int:
        """Load a model before the first chunk of it; the id of this process."""
        self._engine(order)
        return os.getpid()

    def score(self, order: Order, chunk: Chunk) -> NDArray[Any]:
        """The scores of a chunk, or its states, one row for each reading."""
        self._tell("begun", chunk)
        engine = self._engine(order)
        scores = np.concatenate([engine.run(inputs, readings) for inputs, readings in chunk.batches()])
        self._tell("ended", chunk)
        return scores

    def _engine(self, order: Order) -> Engine:
        if order.key not in self._engines:
            self._engines[order.key] = self._model(order).engine_of(order.readout)
        return self._engines[order.key]

    def _model(self, order: Order) -> Any:
        if order.digest not in self._models:
            while len(self._models) >= MODELS_KEPT:
                oldest, _ = self._models.popitem(last=False)
                self._engines = {key: engine for key, engine in self._engines.items() if key[0] != oldest}
            self._models[order.digest] = self._loaded(order)
        self._models.move_to_end(order.digest)
        return self._models[order.digest]

    def _loaded(self, order: Order) -> Any:
        options: dict[str, Any] = {**order.reference.options, "lazy": True}
        if options.get("device_map") is None:  # else the map assigns its layers
            options["device"] = self._device
        model: Any = order.reference.load(**options)
        if model.pair_fingerprint.digest != order.digest:
            raise ModelError(
                f"{order.reference.spec} is another model on {platform.node()} than where the run was started: its "
                "files differ there, or the model was changed in memory after loading; save it to a folder that every "
                "machine of the cluster sees, and load that"
            )
        return model

    def _tell(self, what: str, chunk: Chunk) -> None:
        if self._log is None:
            return
        line = {"chunk": chunk.digest[:16], "is": what, "pid": os.getpid(), "host": platform.node(), "at": time.time()}
        handle = os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            os.write(handle, json.dumps(line).encode() + b"\n")
        finally:
            os.close(handle)


# Plans on a Ray cluster: a pool of actors that score chunks.
#
# Ray places the actors, restarts lost ones, and sends them the chunks that they had not answered. This module adds a
# window: each actor has one chunk to work on and one waiting, so that neither side waits for the other and no more
# than that is in flight, whatever the size of the plan.

IN_FLIGHT = 2
ENGINE_RETRIES = 9
"""Attempts; a chunk that has crashed this many workers will crash the next one, too."""
START_SECONDS = 180.0
FORWARDED = ("BIASCHECK_CACHE", "BIASCHECK_DATA", "HF_HOME", "HF_HUB_OFFLINE")


def forwarded_environment() -> dict[str, str]:
    """Environment variables that workers need to find the same files."""
    return {name: os.environ[name] for name in FORWARDED if name in os.environ}


class RayEngine:
    """The engine for plans on the cluster; it starts with the first plan of a model that has a reference."""

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
        """The engine for a part of a model; a model in memory is an error."""
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
        """Send chunks as actors become free, and yield their answers as they arrive."""
        running: dict[Any, tuple[int, int, Any]] = {}
        idle: deque[Any] | None = None
        try:
            while True:
                while (idle is None or idle) and (following := next(chunks, None)) is not None:
                    # a plan whose scores are all stored needs no cluster
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
            if running:  # an error, or Ctrl-C: what is still being computed is useless
                self.free()

    def actors(self) -> list[Any]:
        """The pool; started if there is none."""
        if self._fault is not None:  # every other plan would wait for the same error
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
                f"only {len(ready)} of {count} workers started within {START_SECONDS:g} s; others may be using the "
                f"cluster ({cluster.free()}); request fewer (--bias-engine-actors) or wait until it is free"
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
        """Return the workers to the cluster; the next plan starts new ones."""
        actors, self._actors = self._actors, []
        if actors:
            self._kill(actors)

    def close(self) -> None:
        """Release the workers and disconnect from the cluster."""
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
    """The answer of a worker; its own error if it is one of biascheck's, and the remedy if it was lost for good."""
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


# Many independent tasks on a Ray cluster: whole suites of a model, or the fine-tuning runs of a grid.
#
# Each task runs in a separate process, which ends with it, and is run again if its worker is lost. So it has to be
# repeatable: results and checkpoints are stored in the cache, which every machine shares, and are found there.

Argument = TypeVar("Argument")
Value = TypeVar("Value")

TASK_RETRIES = 3
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS")


def run_tasks(
    choice: EngineChoice, function: Callable[[Argument], Value], arguments: Sequence[Argument]
) -> Generator[tuple[int, Value | Exception], None, None]:
    """Call a function of an importable module with each argument, as many at a time as there is room for.

    Results are yielded as they arrive, with the number of the argument: a value, or the BiascheckError that ended the
    task. Leaving early releases the cluster.
    """
    cluster = RayCluster(choice)
    running: dict[Any, int] = {}
    try:
        room = cluster.workers()
        resources = {"num_cpus": choice.cpus, "num_gpus": choice.gpus}
        remote = cluster.ray.remote(**resources, max_calls=1, max_retries=TASK_RETRIES)(_called)
        waiting = iter(enumerate(arguments))
        environment = forwarded_environment() | dict.fromkeys(THREADS, str(choice.threads_of_worker))
        while True:
            while len(running) < room and (following := next(waiting, None)) is not None:
                number, argument = following
                running[remote.remote(function, argument, environment)] = number
            if not running:
                return
            (done, *_), _ = cluster.ray.wait(list(running), num_returns=1)
            yield running.pop(done), _value_or_error(cluster.ray, done)
    finally:
        for task in running:
            cluster.ray.cancel(task, force=True)
        cluster.leave()


def in_order(numbered: Generator[tuple[int, Value], None, None]) -> Iterator[Value]:
    """The values in the order of their numbers, which begin with 0."""
    early: dict[int, Value] = {}
    following = 0
    with closing(numbered) as values:
        for number, value in values:
            early[number] = value
            while following in early:
                yield early.pop(following)
                following += 1


def _value_or_error(ray: Any, task: Any) -> Any:
    from biascheck.core.errors import BiascheckError

    try:
        return unwrapped(ray, task)
    except BiascheckError as error:
        return error


def _called(function: Callable[[Any], Any], argument: Any, environment: dict[str, str]) -> Any:
    os.environ.update(environment)
    if "torch" in sys.modules:  # Ray may have a process ready that has it
        sys.modules["torch"].set_num_threads(int(environment[THREADS[0]]))
    return function(argument)
