"""Tokenizers written in Python do not say which characters a token covers: those are found in the text, in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["AlignedTokenizer", "aligned"]

PREFIXES = ("##", "▁", "Ġ")
SUFFIXES = ("@@", "</w>")
UNKNOWN = (0, 0)


class AlignedTokenizer:
    """A tokenizer with character offsets, wherever its tokens spell the text.

    The marks of word parts (``##``, ``▁``, ``Ġ``, ``@@``, ``</w>``) are taken off, white space between tokens is
    skipped, case does not count. A text that its tokens do not spell, because it was rewritten on the way, has no
    offsets, so that a query about one of its words is refused. Everything else is the tokenizer inside.
    """

    def __init__(self, tokenizer: Any) -> None:
        self.inner = tokenizer

    def __getattr__(self, name: str) -> Any:
        if name == "inner":  # a copy under construction has none yet
            raise AttributeError(name)
        return getattr(self.inner, name)

    def __repr__(self) -> str:
        return repr(self.inner)  # part of the fingerprint

    def __len__(self) -> int:
        return len(self.inner)

    def __call__(self, text: str | Sequence[str], *, add_special_tokens: bool = True, **options: Any) -> Any:
        """Tokenise texts, with the offsets and the mask of special tokens; a single text as the tokenizer does."""
        if isinstance(text, str):
            return self.inner(text, add_special_tokens=add_special_tokens, **options)
        rows = [self._encoded(one, add_special_tokens) for one in text]
        names = ("input_ids", "offset_mapping", "special_tokens_mask")
        return {name: [row[number] for row in rows] for number, name in enumerate(names)}

    def _encoded(self, text: str, special: bool) -> tuple[list[int], list[tuple[int, int]], list[int]]:
        tokens = self.inner.tokenize(text)
        ids = self.inner.convert_tokens_to_ids(tokens)
        found = aligned(tokens, text)
        if not special:
            return ids, found, [0] * len(ids)
        mask = self.inner.get_special_tokens_mask(ids)
        places = iter(found)
        offsets = [UNKNOWN if extra else next(places) for extra in mask]
        return self.inner.build_inputs_with_special_tokens(ids), offsets, mask


def aligned(tokens: Sequence[str], text: str) -> list[tuple[int, int]]:
    """The characters of each token; (0, 0) for all of them where they do not spell the text."""
    found: list[tuple[int, int]] = []
    place = 0
    for token in tokens:
        surface = _surface(token)
        while place < len(text) and text[place].isspace() and not surface.startswith(text[place]):
            place += 1
        end = place + len(surface)
        if text[place:end].casefold() != surface.casefold():
            return [UNKNOWN] * len(tokens)
        found.append((place, end))
        place = end
    return found if not text[place:].strip() else [UNKNOWN] * len(tokens)


def _surface(token: str) -> str:
    for mark in PREFIXES:
        if token.startswith(mark) and token != "##":
            return token.removeprefix(mark)
    for mark in SUFFIXES:
        if token.endswith(mark) and token != mark:
            return token.removesuffix(mark)
    return token
