"""Shared prefixes run once: trees of tokens, and the attention mask that lets a token see only its own prefix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from biascheck.models.scoring.encode import Encoded
from biascheck.models.scoring.engine import Engine, TorchEngine
from biascheck.models.scoring.plan import Budget, ScoringPlan, Sharing, TokenReading, TreeRow, pack
from biascheck.models.scoring.queries import Refusal

if TYPE_CHECKING:
    from numpy.typing import NDArray


# Shared prefixes run once: the distinct inputs of a causal plan as trees of tokens.
#
# A model that reads from left to right gives a token the same state whatever follows it, so texts with a common prefix
# share its tokens. Sorted texts that fit are laid out in one row; every token knows its parent, the token before it in
# its text. A new row starts again from the root, so a prefix runs once for each row that contains it.

SHORTEST_ROW = 256
TEXTS_IN_A_ROW = 4
WORTH_IT = 0.9
"""Attention costs more within a row than within its texts: sharing must reduce the tokens to less than this share."""


def without_unread(encoded: Iterable[Encoded | Refusal]) -> Iterator[Encoded | Refusal]:
    """Drop the tokens after the last one that is read: no earlier token depends on them."""
    for item in encoded:
        if isinstance(item, Refusal):
            yield item
        else:
            yield replace(item, ids=item.ids[: max(item.positions) + 1])


def row_length(longest: int, budget: Budget, limits: Sequence[int | None]) -> int:
    """The maximum number of tokens of a row: several texts, within the budget and the model's own limits."""
    most = min([budget.tokens, budget.readings, *(limit for limit in limits if limit is not None)])
    return max(longest, min(most, max(SHORTEST_ROW, TEXTS_IN_A_ROW * longest)))


def share_beginnings(plan: ScoringPlan, budget: Budget, length: int) -> ScoringPlan:
    """The same queries on rows of at most ``length`` tokens; the plan itself if that would save little."""
    layout = Layout(length)
    order = sorted(range(len(plan.inputs)), key=plan.inputs.__getitem__)
    paths = {index: layout.add(plan.inputs[index]) for index in order}
    readings: dict[TokenReading, int] = {}
    moved: list[int] = []
    for reading in plan.readings:
        row, path = paths[reading.input]
        moved.append(readings.setdefault(TokenReading(row, path[reading.position], reading.token), len(readings)))
    rows = tuple(map(tuple, layout.rows))
    shared = ScoringPlan(
        rows,
        tuple(readings),
        tuple(q if isinstance(q, Refusal) else tuple(moved[r] for r in q) for q in plan.queries),
        pack(rows, tuple(readings), budget),
        Sharing(tuple(map(tuple, layout.parents)), plan.distinct_inputs, plan.tokens),
    )
    return shared if shared.padded_tokens < WORTH_IT * plan.padded_tokens else plan


@dataclass
class Layout:
    """Rows under construction; texts arrive sorted, so that common prefixes are adjacent."""

    length: int
    rows: list[list[int]] = field(default_factory=list)
    parents: list[list[int]] = field(default_factory=list)
    _before: tuple[int, ...] = ()
    _path: tuple[int, ...] = ()

    def add(self, ids: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        """Add a text; returns its row and the position of each of its tokens there."""
        common = _common(self._before, ids)
        if not self.rows or len(self.rows[-1]) + len(ids) - common > self.length:
            self.rows.append([])
            self.parents.append([])
            common = 0
        row, parents = self.rows[-1], self.parents[-1]
        path = list(self._path[:common])
        for token in ids[common:]:
            parents.append(path[-1] if path else -1)
            path.append(len(row))
            row.append(token)
        self._before, self._path = ids, tuple(path)
        return len(self.rows) - 1, self._path


def _common(first: Sequence[int], second: Sequence[int]) -> int:
    """The number of tokens in the common prefix of two texts."""
    count = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        count += 1
    return count


# Rows of texts with shared prefixes: an attention mask lets a token see only its own text.
#
# Most architectures in transformers use a four-dimensional mask and given positions unchanged. For others, or if a
# layer has a sliding window, a trial or the configuration detects it, and nothing is shared.

WINDOWS = ("sliding_window", "attention_chunk_size", "window_size", "local_attention", "attention_window")
TOLERANCE = {"float32": 1e-3, "float16": 3e-2, "bfloat16": 2e-1}
"""The tolerance for a log-probability of the trial: rounding in that precision, far less than a wrong mask causes."""


class TreeEngine(TorchEngine):
    """One causal transformers model on one device, with or without shared prefixes."""

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
    """The tokens visible to each token: itself and those before it in its text. Padding sees itself."""
    sees = np.eye(size, dtype=bool)
    for place, parent in enumerate(parents):
        if parent >= 0:
            sees[place] |= sees[parent]
    return sees


def attention_window(model: Any) -> int | None:
    """The shortest window to which a layer of the model is limited, if any."""
    config = model.config.get_text_config()
    found = [getattr(config, name, None) for name in WINDOWS]
    known = [window for window in found if isinstance(window, int) and not isinstance(window, bool) and window > 0]
    return min(known) if known else None


def why_not_shared(engine: Engine, model: Any, vocabulary: int) -> str:
    """Try four short texts with and without sharing; the reason against sharing, or an empty text."""
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
        return f"{kind} accepts no attention mask for each token ({reason})"
    off = float(np.max(np.abs(alone - together)))
    limit = TOLERANCE.get(str(model.dtype).split(".")[-1], TOLERANCE["float32"])
    # not <= rather than >: NaN does not count as agreement
    return "" if off <= limit else f"{kind} scores a trial differently with shared prefixes, by {off:.2g}"


def _trial_texts(vocabulary: int) -> list[tuple[int, ...]]:
    draw = np.random.default_rng(0).integers(0, vocabulary, size=32).tolist()
    first = tuple(draw[:10])
    return [first, (*first[:6], *draw[10:15]), (*first[:2], *draw[15:22]), tuple(draw[22:])]
