"""Batches of windows under a budget of pieces, and figures on held-out text, for the recipe of ``minilm-mlm``.

Windows and masks are those of every recipe, see :mod:`biascheck.mitigation.language`. Everything random arrives as a
seed or a generator, so that a batch and its mask can be drawn again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
import torch

from biascheck.corpora.documents import read_texts
from biascheck.mitigation.language import (
    IGNORED,
    SHORTEST,
    Corruption,
    Window,
    corrupt,
    cut_windows,
    mask_for_training,
    pad,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from transformers import BertForMaskedLM, PreTrainedTokenizerBase

__all__ = [
    "IGNORED",
    "SHORTEST",
    "Corruption",
    "HeldOut",
    "Window",
    "batches",
    "cut_windows",
    "evaluate",
    "mask_for_training",
    "masked_logits",
    "pad",
    "read_texts",
]

POOL = 1536


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Masked-token figures: share of exact top-1 hits, and mean negative log probability in nats."""

    accuracy: float
    loss: float
    positions: int
    texts: int


def batches(
    sources: Sequence[Sequence[Window]], shares: Sequence[float], budget: int, rng: np.random.Generator
) -> Iterator[list[Window]]:
    """Yield batches of at most ``budget`` pieces for ever; sources mix by share, each in shuffled epochs.

    Windows are drawn in pools, sorted by length inside a pool and cut by the budget; the batches of a pool then
    come in random order.
    """
    streams = [_epochs(source, rng) for source in sources]
    while True:
        picks = rng.choice(len(sources), size=POOL, p=np.asarray(shares) / sum(shares))
        packed = _pack(sorted((next(streams[pick]) for pick in picks), key=len), budget)
        for index in rng.permutation(len(packed)):
            yield packed[index]


def masked_logits(model: BertForMaskedLM, ids: torch.Tensor, padding: int, at: torch.Tensor) -> torch.Tensor:
    """Compute logits at the positions ``at`` only: the vocabulary is most of the head's work."""
    hidden = model.bert(input_ids=ids, attention_mask=(ids != padding).long()).last_hidden_state
    return cast("torch.Tensor", model.cls.predictions(hidden[at]))


def evaluate(
    model: BertForMaskedLM,
    tokenizer: PreTrainedTokenizerBase,
    texts: Sequence[str],
    corruption: Corruption = "mask",
    *,
    longest: int = 128,
    share: float = 0.15,
    seed: int = 0,
) -> HeldOut:
    """Measure how well chosen pieces of ``texts`` are restored from their surroundings.

    Each text is cut at ``longest`` pieces, [CLS] and [SEP] included. Of its ordinary pieces ``share``, rounded and
    at least one, are drawn without replacement from a generator seeded with (seed, index of the text).
    ``corruption="mask"`` turns all of them into [MASK]; ``"bert"`` turns 80 % into [MASK], 10 % into a random piece
    and leaves 10 % as they are (Devlin et al. 2019, section 3.1), which is easier by the pieces left in sight.
    Accuracy is the share of chosen positions whose most probable piece is the true one, loss the mean of
    -ln P(true piece); both run over the positions of all texts together.
    """
    cases = [_case(text, index, tokenizer, corruption, longest, share, seed) for index, text in enumerate(texts)]
    cases.sort(key=lambda case: len(case[0]))
    hits, loss, positions = 0, 0.0, 0
    for start in range(0, len(cases), 32):
        part = cases[start : start + 32]
        ids = torch.from_numpy(pad([case[0] for case in part], tokenizer.pad_token_id))
        labels = torch.from_numpy(pad([case[1] for case in part], IGNORED))
        at = labels != IGNORED
        with torch.inference_mode():
            logits = masked_logits(model, ids, tokenizer.pad_token_id, at)
        hits += int((logits.argmax(-1) == labels[at]).sum())
        loss += float(torch.nn.functional.cross_entropy(logits, labels[at], reduction="sum"))
        positions += int(at.sum())
    return HeldOut(accuracy=hits / positions, loss=loss / positions, positions=positions, texts=len(texts))


def _case(
    text: str,
    index: int,
    tokenizer: PreTrainedTokenizerBase,
    corruption: Corruption,
    longest: int,
    share: float,
    seed: int,
) -> tuple[Window, Window]:
    ids = np.array(tokenizer(text, truncation=True, max_length=longest)["input_ids"], dtype=np.int64)
    rng = np.random.default_rng([seed, index])
    count = max(1, round(share * (len(ids) - 2)))
    chosen = np.zeros(len(ids), dtype=np.bool_)
    chosen[1 + rng.choice(len(ids) - 2, size=count, replace=False)] = True
    return corrupt(ids, chosen, tokenizer, rng, corruption).tolist(), np.where(chosen, ids, IGNORED).tolist()


def _epochs(windows: Sequence[Window], rng: np.random.Generator) -> Iterator[Window]:
    while True:
        for index in rng.permutation(len(windows)):
            yield windows[index]


def _pack(pool: Sequence[Window], budget: int) -> list[list[Window]]:
    packed: list[list[Window]] = [[]]
    for window in pool:
        if (len(packed[-1]) + 1) * len(window) > budget:
            packed.append([])
        packed[-1].append(window)
    return packed[:-1] or packed  # the rest of a pool is no full batch
