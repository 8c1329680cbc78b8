"""The same scores by another road: one unpadded sentence, transformers' own forward pass, log_softmax.

Nothing here uses character offsets. Masks are written into the sentence as text (``by_string``) or put in
place of a run of piece names (``by_tokens``); both roads must meet the adapter's.
"""

from __future__ import annotations

from typing import Any

import torch

from biascheck.core.spans import Span
from biascheck.models.scoring.queries import MaskedQuery


def query(text: str, target: str, *hidden: str) -> MaskedQuery:
    """A query about words that occur once in the text."""
    return MaskedQuery(text, span_of(text, target), tuple(span_of(text, word) for word in hidden))


def span_of(text: str, word: str) -> Span:
    assert text.count(word) == 1, f"{word!r} occurs {text.count(word)} times in {text!r}"
    return Span(text.index(word), text.index(word) + len(word))


def piece_names(tokenizer: Any, text: str, span: Span) -> list[str]:
    """The pieces of a word by itself, with the space that stands before it in the sentence."""
    word = span.of(text)
    return tokenizer.tokenize(word if span.start == 0 else f" {word}")


def ids_by_string(tokenizer: Any, asked: MaskedQuery) -> list[int]:
    """Write one mask token for every piece into the sentence and tokenise that."""
    text = asked.text
    for span in sorted((asked.target, *asked.hidden), reverse=True):
        masks = tokenizer.mask_token * len(piece_names(tokenizer, asked.text, span))
        text = text[: span.start] + masks + text[span.end :]
    return tokenizer(text)["input_ids"]


def ids_by_tokens(tokenizer: Any, asked: MaskedQuery) -> list[int]:
    """Tokenise the sentence and replace the run of piece names that is the word."""
    names = tokenizer.tokenize(asked.text)
    for span in (asked.target, *asked.hidden):
        run = piece_names(tokenizer, asked.text, span)
        places = [i for i in range(len(names)) if names[i : i + len(run)] == run]
        assert len(places) == 1, f"{run} occurs {len(places)} times in {names}"
        names[places[0] : places[0] + len(run)] = [tokenizer.mask_token] * len(run)
    opening, closing = tokenizer("")["input_ids"]
    return [opening, *tokenizer.convert_tokens_to_ids(names), closing]


def masked_score(model: Any, tokenizer: Any, asked: MaskedQuery, ids: list[int]) -> float:
    """The joint log-probability of the target's pieces at its own masks of these ids."""
    wanted = tokenizer.convert_tokens_to_ids(piece_names(tokenizer, asked.text, asked.target))
    masks = [i for i, token in enumerate(ids) if token == tokenizer.mask_token_id]
    counts = [len(piece_names(tokenizer, asked.text, span)) for span in (asked.target, *asked.hidden)]
    assert len(masks) == sum(counts)
    before = sum(n for n, span in zip(counts[1:], asked.hidden, strict=True) if span < asked.target)
    with torch.no_grad():
        logs = model(input_ids=torch.tensor([ids])).logits[0].log_softmax(-1)
    return sum(float(logs[masks[before + k], token]) for k, token in enumerate(wanted))


def sentence_score(model: Any, tokenizer: Any, text: str) -> float:
    """The log-probability of all pieces of the sentence after the opening token."""
    pieces = tokenizer.convert_tokens_to_ids(tokenizer.tokenize(text))
    ids = [tokenizer.bos_token_id, *pieces]
    with torch.no_grad():
        logs = model(input_ids=torch.tensor([ids])).logits[0].log_softmax(-1)
    return sum(float(logs[place, token]) for place, token in enumerate(pieces))
