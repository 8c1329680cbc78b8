"""Runs a plan for hidden states: the same distinct inputs and batches as for probabilities, other readings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from biascheck.errors import ScoreError
from biascheck.models.scoring.engine import Engine, TorchEngine, evaluating, localised, padded, run_plan
from biascheck.models.scoring.forecast import active_estimate
from biascheck.models.scoring.queries import Refusal, State

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from biascheck.models.scoring.plan import ScoringPlan, TokenReading

__all__ = ["StateEngine", "execute_states"]


def execute_states(
    plan: ScoringPlan,
    engine: Engine,
    *,
    width: int,
    title: str = "encoding",
    identity: Callable[[], str] | None = None,
) -> list[State | Refusal]:
    """Run every batch once and hand each query the mean of the states it asks for, which have ``width`` numbers."""
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
    """States that mean nothing, while a run is only being planned."""
    return np.random.default_rng(0).standard_normal((count, width)).astype(np.float32)


def _mean(states: NDArray[np.float32], rows: tuple[int, ...]) -> NDArray[np.float32]:
    if len(rows) == 1:
        return np.asarray(states[rows[0]])
    return np.asarray(states[list(rows)].mean(axis=0, dtype=np.float64), dtype=np.float32)


class StateEngine(TorchEngine):
    """The body of one transformers model on one device: no head is applied.

    ``layer`` counts as transformers counts hidden states: 0 is the embedding layer, −1 the last.
    """

    def __init__(self, model: Any, *, pad_token: int, device: str, layer: int) -> None:
        super().__init__(model.base_model, pad_token=pad_token, device=device)
        self._layer = layer

    def run(self, inputs: Sequence[Sequence[int]], readings: Sequence[TokenReading]) -> NDArray[Any]:
        """Read the states at the asked places off one forward pass."""
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
