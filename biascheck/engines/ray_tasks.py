"""Many independent pieces of work on a Ray cluster: whole suites of a model, or the fine-tunings of a grid.

Each piece runs in a process of its own, which ends with it, and is run again when its worker is lost. So it has to be
one that may be repeated: results and checkpoints go to the cache, which every machine shares, and are found there.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, TypeVar

from biascheck.engines.ray_cluster import RayCluster
from biascheck.engines.ray_engine import forwarded_environment, unwrapped

if TYPE_CHECKING:
    from biascheck.engines.engine_choice import EngineChoice

__all__ = ["in_order", "run_tasks"]

Argument = TypeVar("Argument")
Value = TypeVar("Value")

TASK_RETRIES = 3
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS")


def run_tasks(
    choice: EngineChoice, function: Callable[[Argument], Value], arguments: Sequence[Argument]
) -> Generator[tuple[int, Value | Exception], None, None]:
    """Call a function of an importable module with each argument, as many at a time as there is room for.

    What comes first is handed out first, with the number of its argument: a value, or the error of ours that ended it.
    Leaving early frees the cluster.
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
    """The values by their numbers, which begin with 0; each as soon as all before it have come."""
    early: dict[int, Value] = {}
    following = 0
    with closing(numbered) as values:
        for number, value in values:
            early[number] = value
            while following in early:
                yield early.pop(following)
                following += 1


def _value_or_error(ray: Any, task: Any) -> Any:
    from biascheck.errors import BiascheckError

    try:
        return unwrapped(ray, task)
    except BiascheckError as error:
        return error


def _called(function: Callable[[Any], Any], argument: Any, environment: dict[str, str]) -> Any:
    os.environ.update(environment)
    if "torch" in sys.modules:  # Ray may have a process ready that has it
        sys.modules["torch"].set_num_threads(int(environment[THREADS[0]]))
    return function(argument)
