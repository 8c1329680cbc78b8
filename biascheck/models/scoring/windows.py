"""Which part of a long text a classifier reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Literal

from biascheck.errors import UsageError

__all__ = ["Window", "read_through"]

Keep = Literal["head", "tail", "both"]
WINDOW_CHUNK = 1_024


@dataclass(frozen=True, slots=True)
class Window:
    """At most ``pieces`` tokens, special ones included: the head of the text, its tail, or half of each."""

    pieces: int
    keep: Keep = "head"

    def __post_init__(self) -> None:
        if self.keep not in ("head", "tail", "both"):
            raise UsageError(f"a window keeps 'head', 'tail' or 'both', not {self.keep!r}")
        if self.pieces < 4:
            raise UsageError(f"a window of {self.pieces} tokens holds no text; give at least 4")

    def cut(self, ids: Sequence[int], special: Sequence[int]) -> tuple[int, ...]:
        """The part of a tokenised text that is read; special tokens at its ends stay."""
        opening = sum(1 for _ in takewhile(bool, special))
        closing = sum(1 for _ in takewhile(bool, reversed(special))) if opening < len(ids) else 0
        content = ids[opening : len(ids) - closing]
        room = self.pieces - opening - closing
        if len(content) <= room:
            return tuple(ids)
        kept = content[: self._head(room)]
        tail = room - len(kept)
        return (*ids[:opening], *kept, *content[len(content) - tail :], *ids[len(ids) - closing :])

    def _head(self, room: int) -> int:
        return {"head": room, "tail": 0, "both": room - room // 2}[self.keep]


def read_through(window: Window, texts: Sequence[str], tokenizer: Any) -> Iterator[tuple[int, ...]]:
    """The ids of each text, cut to the window."""
    for start in range(0, len(texts), WINDOW_CHUNK):
        chunk = list(texts[start : start + WINDOW_CHUNK])
        encoded = tokenizer(chunk, return_special_tokens_mask=True, return_attention_mask=False, verbose=False)
        for ids, special in zip(encoded["input_ids"], encoded["special_tokens_mask"], strict=True):
            yield window.cut(ids, special)
