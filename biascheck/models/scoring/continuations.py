"""Continuations of a context: their token ids, and which of several options a model prefers."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from math import exp, fsum, isfinite, isnan
from typing import TYPE_CHECKING, Any, Literal

from biascheck.core.errors import ModelError, ScoreError, UsageError
from biascheck.models.scoring.chunks import asked_in_chunks
from biascheck.models.scoring.encode import NO_START, Encoded, Tokenised, opening_token, tokenise, unless_too_long
from biascheck.models.scoring.queries import Answer, ContinuationQuery, Framing, Refusal

if TYPE_CHECKING:
    from biascheck.models.base import ContinuationModel


# Tokenisation of a context and its continuation: the boundary between them, and the tokens that are read.
#
# Both are tokenised as one text, so the boundary is where the joint tokenisation puts it. The tokens of the
# continuation are all those that cover one of its characters; a token that also covers the end of the context is
# scored whole.

SENTENCE_REQUEST = "Write one sentence."
"""The user's request if a whole sentence is scored as the answer of a chat model."""

UNDATED = "01 Jan 2025"
WORD = re.compile(r"\w+|\S")
EMPTY = Refusal("the continuation is empty, so there is nothing to score; leave it out")


def encode_continuations(
    queries: Sequence[ContinuationQuery], tokenizer: Any, *, framing: Framing = "raw", max_length: int | None = None
) -> Iterator[Encoded | Refusal]:
    """Encode context and continuation for a model that reads from left to right.

    Raw, the context begins as this tokenizer lets every text begin: with its opening token, or with none. Where the
    first token is to be scored, an opening token precedes it as in :func:`encode_sentences`. In chat framing
    the context is the user's turn, written by the tokenizer's chat template, and the continuation is the beginning of
    the assistant's, without white space before it.
    """
    usual = _usual_opening(tokenizer) if framing == "raw" else ()
    start = opening_token(tokenizer)
    if framing == "chat":
        queries = _in_chat(queries, tokenizer)
    texts = (query.context + query.continuation for query in queries)
    for query, tokenised in zip(queries, tokenise(texts, tokenizer, special_tokens=False), strict=True):
        first = _first_token(query, tokenised)
        before = usual if first or start is None else (start,)
        if first is None:
            yield _lost(query)
        elif first + len(before) == 0:
            yield NO_START
        else:
            yield unless_too_long(_read_from(first, tokenised.ids, before), max_length)


def encode_filled_spans(
    queries: Sequence[ContinuationQuery], tokenizer: Any, *, max_length: int | None = None
) -> Iterator[tuple[Encoded, ...] | Refusal]:
    """Encode the continuation as a span that a masked model fills, one input for each of its tokens.

    The pseudo-log-likelihood is ``Σ ln P(token | text with this token and the later ones of its word masked)``: within
    a word from left to right (Kauf & Ivanova 2023, PLL-word-l2r), so that the end of a rare word does not give its
    beginning away, and everything else visible. A word is a run of letters and digits, or one other character.
    """
    texts = (query.context + query.continuation for query in queries)
    for query, tokenised in zip(queries, tokenise(texts, tokenizer), strict=True):
        yield _filled(query, tokenised, tokenizer, max_length)


def encode_prompts(prompts: Sequence[str], tokenizer: Any, *, framing: Framing = "raw") -> Iterator[tuple[int, ...]]:
    """Encode a prompt to generate from, begun as :func:`encode_continuations` begins a context."""
    before = _usual_opening(tokenizer) if framing == "raw" else ()
    texts = prompts if framing == "raw" else [chat_prompt(tokenizer, prompt) for prompt in prompts]
    start = opening_token(tokenizer)
    for tokenised in tokenise(texts, tokenizer, special_tokens=False):
        ids = (*before, *tokenised.ids)
        yield ids or (() if start is None else (start,))


def chat_prompt(tokenizer: Any, said: str) -> str:
    """A user's turn and the opening of the assistant's, as the tokenizer's chat template writes them."""
    if not getattr(tokenizer, "chat_template", None):
        raise ModelError("the tokenizer has no chat template; use framing='raw', or set tokenizer.chat_template")
    turns = [{"role": "user", "content": said}]
    # A template that writes today's date would give another score every day.
    return str(tokenizer.apply_chat_template(turns, add_generation_prompt=True, tokenize=False, date_string=UNDATED))


def _in_chat(queries: Sequence[ContinuationQuery], tokenizer: Any) -> list[ContinuationQuery]:
    prompt = lru_cache(maxsize=1_024)(lambda said: chat_prompt(tokenizer, said))
    return [ContinuationQuery(prompt(query.context), query.continuation.lstrip()) for query in queries]


def _first_token(query: ContinuationQuery, tokenised: Tokenised) -> int | None:
    """The first token that covers a character of the continuation, or the space before it."""
    edge = len(query.context)
    for index, (begin, end) in enumerate(tokenised.offsets):
        if not tokenised.special[index] and (end > edge or begin >= edge):
            return index
    return None


def _lost(query: ContinuationQuery) -> Refusal:
    """The reason why a continuation has no token to score."""
    if not query.continuation:
        return EMPTY
    return Refusal(f"{query.continuation!r} leaves no token with this tokenizer; spell it differently or drop it")


def _usual_opening(tokenizer: Any) -> tuple[int, ...]:
    """The tokens that this tokenizer puts before every text."""
    tokenised = next(tokenise(["a"], tokenizer))
    return tuple(tokenised.ids[: sum(1 for _ in takewhile(bool, tokenised.special))])


def _read_from(first: int, ids: Sequence[int], before: tuple[int, ...]) -> Encoded:
    whole = (*before, *ids)
    place = first + len(before)
    return Encoded(whole, tuple(range(place - 1, len(whole) - 1)), whole[place:])


def _filled(
    query: ContinuationQuery, tokenised: Tokenised, tokenizer: Any, max_length: int | None
) -> tuple[Encoded, ...] | Refusal:
    first = _first_token(query, tokenised)
    if first is None:
        return _lost(query)
    span = [index for index in range(first, len(tokenised.ids)) if not tokenised.special[index]]
    if any(tokenised.ids[index] == tokenizer.unk_token_id for index in span):
        return Refusal(f"{query.continuation!r} is not in this model's vocabulary; choose another word or drop it")
    words = _words_of(span, tokenised)
    found: list[Encoded] = []
    for place, index in enumerate(span):
        later = {other for other, word in zip(span[place:], words[place:], strict=True) if word == words[place]}
        ids = tuple(tokenizer.mask_token_id if at in later else token for at, token in enumerate(tokenised.ids))
        one = unless_too_long(Encoded(ids, (index,), (tokenised.ids[index],)), max_length)
        if isinstance(one, Refusal):
            return one
        found.append(one)
    return tuple(found)


def _words_of(span: Sequence[int], tokenised: Tokenised) -> list[int]:
    """The word in which each token ends; a bare space counts with the word after it."""
    ends = [found.end() for found in WORD.finditer(tokenised.text)]
    return [bisect_right(ends, max(tokenised.offsets[index][1] - 1, tokenised.offsets[index][0])) for index in span]


# A choice among options: which of several continuations a model prefers after the same context.

LengthRule = Literal["whole", "per token"]
"""Whether options are compared by ln P of the whole option, or by its mean per token: the first puts long options at a
disadvantage, the second may favour them."""


@dataclass(frozen=True, slots=True)
class ChoiceQuery:
    """Which of these options is the most probable continuation of the context?"""

    context: str
    options: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.options) < 2 or len(set(self.options)) < len(self.options):
            raise UsageError(f"a choice needs two or more different options, not {list(self.options)}")


@dataclass(frozen=True, slots=True)
class Choice:
    """ln P of each option after the context, its tokens, and its share of the probability of all options."""

    log_probabilities: tuple[float, ...]
    tokens: tuple[int, ...]
    shares: tuple[float, ...]

    @property
    def best(self) -> int | None:
        """The option with the largest share; ``None`` if several share first place."""
        top = max(self.shares)
        found = [index for index, share in enumerate(self.shares) if share == top]
        return found[0] if len(found) == 1 else None


def choose(
    model: ContinuationModel, queries: Sequence[ChoiceQuery], *, length: LengthRule = "whole"
) -> list[Choice | Refusal]:
    """Normalise over the options of each query: ``share = exp(s) / Σ exp(s)``, with s by ``length``.

    All options of all queries are one call, so that they are one plan, or one for each chunk of very many. A query of
    which one option has no answer has none. The options should all begin where a word begins: one that merges with the
    last word of the context is scored with that word, and its share is then not comparable to the others'.
    """
    asked = (ContinuationQuery(query.context, option) for query in queries for option in query.options)
    answers = asked_in_chunks(model.continuations, asked)
    return [_chosen([next(answers) for _ in query.options], length) for query in queries]


def _chosen(answers: Sequence[Answer | Refusal], length: LengthRule) -> Choice | Refusal:
    given: list[Answer] = []
    for answer in answers:
        if isinstance(answer, Refusal):
            return answer
        given.append(answer)
    logs = tuple(answer.log_probability for answer in given)
    scores = [log / answer.pieces if length == "per token" else log for log, answer in zip(logs, given, strict=True)]
    top = max(scores)
    if not isfinite(top) or any(map(isnan, logs)):
        raise ScoreError(f"log-probabilities {list(logs)} of the options cannot be compared; the model is damaged")
    weights = [exp(score - top) for score in scores]
    total = fsum(weights)
    return Choice(logs, tuple(answer.pieces for answer in given), tuple(weight / total for weight in weights))
