"""A Ray cluster: found or started, asked for its resources, and left as it was."""

from __future__ import annotations

import logging
import os
import socket
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from biascheck.cache.progress import announce
from biascheck.engines.engine_choice import NEW_CLUSTER
from biascheck.errors import UsageError
from biascheck.release import install_line, require

if TYPE_CHECKING:
    from biascheck.engines.engine_choice import EngineChoice

__all__ = ["RayCluster", "require_ray"]

OBJECT_STORE = 200 * 1024 * 1024
"""Bytes for what is on its way between processes of a cluster of our own: chunks are far smaller than a megabyte."""
ADDRESS_OF_RAY = "RAY_ADDRESS"
CLIENT_PORT = 10_001
"""Ray's own, where an address names none."""
ANSWER_SECONDS = 30.0


def require_ray() -> Any:
    """Ray itself; an error with the extra where it is not installed."""
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
        """How many workers run at a time; an error where the cluster cannot give what was asked for."""
        wanted = self._choice
        nodes = [node["Resources"] for node in self.ray.nodes() if node["Alive"]]
        room = sum(_room(node, wanted.cpus, wanted.gpus) for node in nodes)
        has = ", ".join(f"{node.get('CPU', 0):g} processors and {node.get('GPU', 0):g} GPUs" for node in nodes)
        each = f"{wanted.cpus:g} processors" + (f" and {wanted.gpus:g} GPUs" if wanted.gpus else "")
        if room == 0:
            raise UsageError(
                f"no machine of the Ray cluster can give a worker {each} (it has {has}); ask for less "
                "(--bias-engine-cpus, --bias-engine-gpus), or add a machine"
            )
        if wanted.actors is not None and wanted.actors > room:
            raise UsageError(
                f"the Ray cluster has room for {room} of {wanted.actors} workers with {each} each (it has {has}); ask "
                f"for fewer (--bias-engine-actors {room}) or smaller ones, or add a machine"
            )
        return wanted.actors or room

    def free(self) -> str:
        """What nobody uses now, in words."""
        left = self.ray.available_resources()
        return f"{left.get('CPU', 0):g} processors and {left.get('GPU', 0):g} GPUs are free"

    def leave(self) -> None:
        """End a cluster that was started for this process, or its connection to one."""
        if self._ours and self.ray.is_initialized():
            try:
                self.ray.shutdown()
            except Exception as error:  # the results are there; what remains is for the cluster to clean up
                announce(f"biascheck: the Ray cluster did not end in order ({error})")


def _require_answer(address: str) -> None:
    """Raise OSError where nothing listens at an address; Ray itself would go on trying for minutes."""
    place = urlsplit(address if "//" in address else f"//{address}")
    if address != "auto" and place.hostname:
        socket.create_connection((place.hostname, place.port or CLIENT_PORT), timeout=ANSWER_SECONDS).close()


def _room(node: dict[str, float], cpus: float, gpus: float) -> int:
    by_cpu = int(node.get("CPU", 0) / cpus + 1e-9)
    return min(by_cpu, int(node.get("GPU", 0) / gpus + 1e-9)) if gpus else by_cpu
