"""Runs rows of texts with shared beginnings: an attention mask that lets a token see its own text only.

transformers takes a mask of four dimensions as it is, and positions as they are given, in most architectures. Where it
does not, or where a layer has a window of its own, a trial or the configuration says so, and nothing is shared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from biascheck.models.scoring.engine import Engine, TorchEngine, TreeRow
from biascheck.models.scoring.plan import TokenReading
from biascheck.models.scoring.prefix_trees import Layout

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["TreeEngine", "attention_window", "why_not_shared"]

WINDOWS = ("sliding_window", "attention_chunk_size", "window_size", "local_attention", "attention_window")
TOLERANCE = {"float32": 1e-3, "float16": 3e-2, "bfloat16": 2e-1}
"""How far a log-probability of the trial may be off: rounding in that precision, and far less than a wrong mask."""


class TreeEngine(TorchEngine):
    """One causal transformers model on one device, with or without shared beginnings."""

    def _batch(self, inputs: Sequence[Sequence[int]]) -> dict[str, Any]:
        if not isinstance(inputs[0], TreeRow):
            return super()._batch(inputs)
        import torch

        rows = [row for row in inputs if isinstance(row, TreeRow)]
        longest = max(map(len, rows))
        ids = np.full((len(rows), longest), self._pad, dtype=np.int64)
        depths = np.zeros_like(ids)
        sees = np.zeros((len(rows), 1, longest, longest), dtype=bool)
        for number, row in enumerate(rows):
            ids[number, : len(row)] = row
            sees[number, 0] = _ancestors(row.parents, longest)
            depths[number] = sees[number, 0].sum(axis=1) - 1
        dtype = self._model.dtype
        mask = torch.zeros(sees.shape, dtype=dtype).masked_fill(torch.from_numpy(~sees), torch.finfo(dtype).min)
        return {
            "input_ids": torch.from_numpy(ids).to(self._device),
            "attention_mask": mask.to(self._device),
            "position_ids": torch.from_numpy(depths).to(self._device),
            "use_cache": False,
        }


def _ancestors(parents: Sequence[int], size: int) -> NDArray[np.bool_]:
    """Which tokens each token sees: itself and those before it in its text. Padding sees itself."""
    sees = np.eye(size, dtype=bool)
    for place, parent in enumerate(parents):
        if parent >= 0:
            sees[place] |= sees[parent]
    return sees


def attention_window(model: Any) -> int | None:
    """The shortest stretch of text that a layer of the model is limited to, if one is."""
    config = model.config.get_text_config()
    found = [getattr(config, name, None) for name in WINDOWS]
    known = [window for window in found if isinstance(window, int) and not isinstance(window, bool) and window > 0]
    return min(known) if known else None


def why_not_shared(engine: Engine, model: Any, vocabulary: int) -> str:
    """Try four short texts with and without sharing; the reason against it, or an empty text."""
    kind = model.config.model_type
    texts = _trial_texts(vocabulary)
    layout = Layout(sum(map(len, texts)))
    paths = [layout.add(text)[1] for text in texts]
    row = TreeRow.of(layout.rows[0], tuple(layout.parents[0]))
    apart = [TokenReading(n, place, token) for n, text in enumerate(texts) for place, token in enumerate(text[1:])]
    joint = [TokenReading(0, paths[reading.input][reading.position], reading.token) for reading in apart]
    alone = engine.run(texts, apart)
    try:
        together = engine.run([row], joint)
    except Exception as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        return f"{kind} takes no attention mask that says what each token sees ({reason})"
    off = float(np.max(np.abs(alone - together)))
    limit = TOLERANCE.get(str(model.dtype).split(".")[-1], TOLERANCE["float32"])
    # not <= rather than >: a score that is no number is no agreement
    return "" if off <= limit else f"{kind} scores a trial otherwise with them, by {off:.2g}"


def _trial_texts(vocabulary: int) -> list[tuple[int, ...]]:
    draw = np.random.default_rng(0).integers(0, vocabulary, size=32).tolist()
    first = tuple(draw[:10])
    return [first, (*first[:6], *draw[10:15]), (*first[:2], *draw[15:22]), tuple(draw[22:])]
