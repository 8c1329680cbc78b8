"""Pseudo-log-likelihood: the tokens of a text, each predicted from the others behind its own mask.

``one at a time`` masks one token and shows all others (Salazar et al. 2020). ``within word`` also masks the tokens of
the same word to its right, which would otherwise give the word away (Kauf & Ivanova 2023, PLL-word-l2r).
``left to right`` masks the token and everything scored to its right, as StereoSet fills a blank.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from biascheck.core.spans import Span
from biascheck.models.scoring.encode import Encoded
from biascheck.models.scoring.queries import Answer, Refusal

MaskOrder = Literal["one at a time", "within word", "left to right"]


@dataclass(frozen=True, slots=True)
class PseudoQuery:
    """How probable are the tokens of this text, each behind its mask?

    ``shared_with`` restricts scoring to the tokens that the text shares with another one (an alignment of token ids, as
    in CrowS-Pairs), ``span`` to those of some characters. ``second`` marks the text as the second of the two: an
    alignment depends on which is the first, and two texts that are compared have one alignment.
    """

    text: str
    shared_with: str | None = None
    span: Span | None = None
    order: MaskOrder = "one at a time"
    second: bool = False


@dataclass(frozen=True, slots=True)
class TokenScores:
    """ln P of every requested token, in the order of the text."""

    log_probabilities: tuple[float, ...]

    @property
    def total(self) -> float:
        """Their sum."""
        return float(np.sum(self.log_probabilities))

    @property
    def mean_probability(self) -> float:
        """The mean of the probabilities themselves."""
        return float(np.mean(np.exp(self.log_probabilities)))


def encode_pseudo(
    queries: Sequence[PseudoQuery], tokenizer: Any, *, max_length: int | None = None
) -> Iterator[list[Encoded] | Refusal]:
    """One input for every scored token of a query, or the reason why there is none."""
    known: dict[str, Any] = {}

    def tokenised(text: str) -> Any:
        if text not in known:
            known[text] = tokenizer(
                text, return_offsets_mapping=True, return_special_tokens_mask=True, truncation=False, verbose=False
            )
        return known[text]

    for query in queries:
        batch = tokenised(query.text)
        ids = batch["input_ids"]
        if max_length is not None and len(ids) > max_length:
            yield Refusal(f"{len(ids)} tokens, and this model reads at most {max_length}; shorten the sentence")
            continue
        scored = [place for place in range(len(ids)) if not batch["special_tokens_mask"][place]]
        if query.shared_with is not None:
            shared = _shared(ids, tokenised(query.shared_with)["input_ids"], second=query.second)
            scored = [place for place in scored if place in shared]
        if query.span is not None:
            scored = [place for place in scored if _inside(batch["offset_mapping"][place], query.span, query.text)]
        if not scored:
            yield Refusal("the text leaves no token to score")
            continue
        yield [_masked(ids, place, scored, query.order, batch, tokenizer.mask_token_id) for place in scored]


def gathered_tokens(
    encoded: Sequence[list[Encoded] | Refusal], answers: Sequence[Answer | Refusal]
) -> list[TokenScores | Refusal]:
    """The answers to all inputs, query by query."""
    rest = iter(answers)
    found: list[TokenScores | Refusal] = []
    for masked in encoded:
        if isinstance(masked, Refusal):
            found.append(masked)
            continue
        own = [next(rest) for _ in masked]
        found.append(TokenScores(tuple(one.log_probability for one in own if isinstance(one, Answer))))
    return found


def _shared(ids: Sequence[int], others: Sequence[int], *, second: bool) -> set[int]:
    """The positions of tokens that both sequences share, by difflib's alignment as in the authors' metric.py."""
    first, last = (others, ids) if second else (ids, others)
    matcher = SequenceMatcher(None, [str(token) for token in first], [str(token) for token in last])
    blocks = ((block.b if second else block.a, block.size) for block in matcher.get_matching_blocks())
    return {place for start, size in blocks for place in range(start, start + size)}


def _inside(offset: tuple[int, int], span: Span, text: str) -> bool:
    start, end = offset
    while start < end and text[start].isspace():
        start += 1
    return start < end and span.start <= start and end <= span.end


def _masked(ids: Sequence[int], place: int, scored: Sequence[int], order: MaskOrder, batch: Any, mask: int) -> Encoded:
    hidden = {place}
    if order == "within word":
        hidden |= _rest_of_word(place, batch)
    elif order == "left to right":
        hidden |= {other for other in scored if other > place}
    masked = tuple(mask if index in hidden else token for index, token in enumerate(ids))
    return Encoded(masked, (place,), (ids[place],))


def _rest_of_word(place: int, batch: Any) -> set[int]:
    """The tokens to the right that continue the same whitespace-separated word."""
    offsets, special = batch["offset_mapping"], batch["special_tokens_mask"]
    words = batch.word_ids() if hasattr(batch, "word_ids") else [None] * len(offsets)
    found: set[int] = set()
    for left, right in pairwise(range(place, len(offsets))):
        if special[right] or words[right] != words[left] or offsets[right][0] != offsets[left][1]:
            break
        found.add(right)
    return found
