"""What runs inside an actor: it loads a model by its reference, once, and scores chunks with it."""

from __future__ import annotations

import json
import os
import platform
import time
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from biascheck.errors import ModelError
from biascheck.models.scoring.engine_placement import ModelReference, Readout

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from biascheck.models.scoring.engine import Engine
    from biascheck.models.scoring.plan_chunks import Chunk

__all__ = ["Order", "ScoringWorker"]

MODELS_KEPT = 2
"""A model and what it is compared with; more would need memory that was not asked for."""


@dataclass(frozen=True)
class Order:
    """Which part of which model a chunk is for; ``digest`` is the fingerprint of the model in the driver."""

    reference: ModelReference
    digest: str
    readout: Readout

    @property
    def key(self) -> tuple[str, Readout]:
        """What an engine is kept under."""
        return self.digest, self.readout


class ScoringWorker:
    """One process with its own threads and device. It keeps the last two models that it was asked for."""

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
        if options.get("device_map") is None:  # else the map says where its layers are
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
