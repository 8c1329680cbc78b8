"""Text for masked language modelling: windows, and which pieces of them are hidden.

Everything random arrives as a generator, so that a window and its mask can be drawn again.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["IGNORED", "SHORTEST", "Corruption", "Window", "corrupt", "cut_windows", "mask_for_training", "pad"]

Window = list[int]
Corruption = Literal["mask", "bert"]
IGNORED = -100
SHORTEST = 8


def cut_windows(texts: Sequence[str], tokenizer: Any, longest: int, rng: np.random.Generator) -> list[Window]:
    """Cut every text into windows of at most ``longest`` pieces, those that open and close it included.

    A text that fits stays whole. A longer one is cut at random lengths from half to the full window, so that
    windows of all sources share batches of equal length and no step is spent on padding.
    """
    windows: list[Window] = []
    opening, closing = _ends(tokenizer)
    room = longest - len(opening) - len(closing)
    for pieces in tokenizer(list(texts), add_special_tokens=False, verbose=False)["input_ids"]:
        start = 0
        while len(pieces) - start >= SHORTEST:
            length = room if len(pieces) - start <= room else int(rng.integers(room // 2, room + 1))
            windows.append([*opening, *pieces[start : start + length], *closing])
            start += length
    return windows


def pad(windows: Sequence[Sequence[int]], filler: int) -> NDArray[np.int64]:
    """Stack windows as rows of one array, filled on the right."""
    width = max(map(len, windows))
    return np.array([[*window, *[filler] * (width - len(window))] for window in windows], dtype=np.int64)


def mask_for_training(
    ids: NDArray[np.int64], tokenizer: Any, share: float, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Choose ordinary pieces with probability ``share`` and corrupt them; return the input and the labels."""
    special = [tokenizer.cls_token_id, tokenizer.sep_token_id, tokenizer.pad_token_id]
    ordinary = ~np.isin(ids, [token for token in special if token is not None])
    chosen = ordinary & (rng.random(ids.shape) < share)
    return corrupt(ids, chosen, tokenizer, rng, "bert"), np.where(chosen, ids, IGNORED)


def corrupt(
    ids: NDArray[np.int64],
    chosen: NDArray[np.bool_],
    tokenizer: Any,
    rng: np.random.Generator,
    corruption: Corruption,
) -> NDArray[np.int64]:
    """Hide the chosen pieces: all behind a mask, or 80 % of them, 10 % behind a random piece, 10 % not at all."""
    if corruption == "mask":
        return np.where(chosen, tokenizer.mask_token_id, ids)
    fate = rng.random(ids.shape)
    # BERT's vocabulary begins with a thousand special, unused and one-letter pieces.
    foreign = rng.integers(min(1000, len(tokenizer) // 2), len(tokenizer), ids.shape)
    masked = np.where(chosen & (fate < 0.8), tokenizer.mask_token_id, ids)
    return np.where(chosen & (fate >= 0.9), foreign, masked)


def _ends(tokenizer: Any) -> tuple[list[int], list[int]]:
    """The special pieces that this tokenizer puts before and after a text."""
    found = tokenizer("a", return_special_tokens_mask=True)
    ids, special = found["input_ids"], found["special_tokens_mask"]
    opening = sum(1 for _ in takewhile(bool, special))
    closing = sum(1 for _ in takewhile(bool, reversed(special)))
    return ids[:opening], ids[len(ids) - closing :]
