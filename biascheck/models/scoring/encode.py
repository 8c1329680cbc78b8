"""From characters to token ids: the tokens of a span, and the masked input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise
from typing import Any, Literal

from biascheck.core.spans import Span
from biascheck.models.scoring.queries import MaskedQuery, Masking, MultiToken, Refusal, SentenceQuery, WordQuery

# Tokenizers written in Python do not return the characters of a token: they are searched for in the text, in order.

PREFIXES = ("##", "▁", "Ġ")
SUFFIXES = ("@@", "</w>")
UNKNOWN = (0, 0)


class AlignedTokenizer:
    """A tokenizer with character offsets, if its tokens spell the text.

    The marks of word parts (``##``, ``▁``, ``Ġ``, ``@@``, ``</w>``) are removed, white space between tokens is skipped,
    case does not count. A text that its tokens do not spell, because the tokenizer rewrote it, has no offsets, so that
    a query about one of its words is refused. Everything else is delegated to the inner tokenizer.
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
    """The characters of each token; (0, 0) for all of them if they do not spell the text."""
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


# From characters to token ids: the tokens of a span, and the input once it is masked.
#
# The sentence is tokenised as a whole and then masked, so a target always has the tokens of its position:
# ``son``, ``Ġson`` or ``▁son``. This one rule serves WordPiece, byte BPE, SentencePiece and Unigram
# vocabularies alike.

ENCODING_CHUNK = 4_096
END_OF_TEXT = "<|endoftext|>"
SPACE_MARKS = ("▁", "Ġ")
NO_START = Refusal("the tokenizer has neither an opening nor an end-of-text token to start a sentence from")

Pooling = Literal["mean", "cls", "last"]
"""The pooling of the states of a text to one vector."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """An input for the model, and the token to read at each position of interest."""

    ids: tuple[int, ...]
    positions: tuple[int, ...]
    tokens: tuple[int, ...]


@dataclass(frozen=True)
class Tokenised:
    """The tokens of a text, the characters each covers, and which of them are not part of the text."""

    text: str
    ids: list[int]
    offsets: list[tuple[int, int]]
    special: list[int]

    @cached_property
    def visible(self) -> tuple[Span | None, ...]:
        """What each token covers, without the white space that some tokenizers count as part of it."""
        return tuple(
            None if special else _visible(offset, self.text)
            for offset, special in zip(self.offsets, self.special, strict=True)
        )


class _NoPiecesError(Exception):
    """A span this tokenizer cannot isolate; the message is the reason of the refusal."""


def encode_masked(
    queries: Sequence[MaskedQuery],
    tokenizer: Any,
    *,
    masking: Masking = Masking(),  # noqa: B008 - frozen
    multi_token: MultiToken = "joint",
    max_length: int | None = None,
) -> Iterator[Encoded | Refusal]:
    """Encode each query, or give the reason why that is impossible."""
    for query, tokenised in zip(queries, tokenise((q.text for q in queries), tokenizer), strict=True):
        try:
            encoded = _mask(query, tokenised, tokenizer, masking, multi_token)
        except _NoPiecesError as reason:
            yield Refusal(str(reason))
            continue
        yield unless_too_long(encoded, max_length)


def encode_sentences(
    queries: Sequence[SentenceQuery], tokenizer: Any, *, max_length: int | None = None
) -> Iterator[Encoded | Refusal]:
    """Encode whole sentences; every token after the opening one is read.

    The opening token precedes the sentence, so that its first word is scored like any other.
    """
    start = opening_token(tokenizer)
    for tokenised in tokenise((q.text for q in queries), tokenizer, special_tokens=False):
        if start is None:
            yield NO_START
            continue
        ids = (start, *tokenised.ids)
        yield unless_too_long(Encoded(ids, tuple(range(len(ids) - 1)), ids[1:]), max_length)


def encode_words(
    queries: Sequence[WordQuery], tokenizer: Any, *, max_length: int | None = None
) -> Iterator[Encoded | Refusal]:
    """Encode each text with its hidden words masked; the tokens of the word are read, whatever they are."""
    before = _missing_opening(tokenizer)
    for query, tokenised in zip(queries, tokenise((q.text for q in queries), tokenizer), strict=True):
        try:
            encoded = _word(query, tokenised, tokenizer)
        except _NoPiecesError as reason:
            yield Refusal(str(reason))
            continue
        yield unless_too_long(_opened(encoded, before), max_length)


def encode_texts(
    texts: Sequence[str], tokenizer: Any, *, pooling: Pooling = "mean", max_length: int | None = None
) -> Iterator[Encoded | Refusal]:
    """Encode whole texts; read every token (mean), the first (cls) or the last one of the text."""
    before = _missing_opening(tokenizer)
    for tokenised in tokenise(texts, tokenizer):
        ids = tuple(tokenised.ids)
        if not ids:
            yield Refusal("the text leaves no token with this tokenizer; leave it out")
            continue
        positions = {"mean": tuple(range(len(ids))), "cls": (0,), "last": (len(ids) - 1,)}[pooling]
        encoded = Encoded(ids, positions, (0,) * len(positions))
        yield unless_too_long(_opened(encoded, before), max_length)


def _word(query: WordQuery, tokenised: Tokenised, tokenizer: Any) -> Encoded:
    pieces = _pieces(query.span, tokenised, tokenizer)
    if query.hidden and tokenizer.mask_token_id is None:
        raise _NoPiecesError("this tokenizer has no mask to hide a word; use a filler word instead")
    if any(span.overlaps(query.span) for span in query.hidden):
        raise _NoPiecesError(f"{query.word!r} overlaps a hidden word; give them separate spans")
    hidden = [_pieces(span, tokenised, tokenizer) for span in query.hidden]
    masks = {found[0]: len(found) for found in hidden}
    replaced = {index for found in hidden for index in found}
    ids, moved = _replace(tokenised.ids, masks, replaced, tokenizer.mask_token_id)
    return Encoded(tuple(ids), tuple(moved[index] for index in pieces), (0,) * len(pieces))


def _missing_opening(tokenizer: Any) -> int | None:
    """The token to put before a text if the tokenizer puts none.

    A decoder gives the first token of its input a state unlike any other; that token should not be a word.
    """
    first = next(tokenise(["a"], tokenizer))
    return None if first.special and first.special[0] else opening_token(tokenizer)


def _opened(encoded: Encoded, opening: int | None) -> Encoded:
    if opening is None:
        return encoded
    return Encoded((opening, *encoded.ids), tuple(position + 1 for position in encoded.positions), encoded.tokens)


def opening_token(tokenizer: Any) -> int | None:
    """The tokens before running text: the tokenizer's opening token, or its end-of-text token.

    Chat models often declare the marker of a turn as their opening token. After it a role is expected, not a
    sentence, so the end-of-text token is used instead.
    """
    opening: int | None = tokenizer.bos_token_id
    opens_a_turn = tokenizer.bos_token is not None and tokenizer.bos_token in (tokenizer.chat_template or "")
    if opens_a_turn and END_OF_TEXT in tokenizer.get_vocab():
        opening = tokenizer.convert_tokens_to_ids(END_OF_TEXT)
    ending: int | None = tokenizer.eos_token_id
    return ending if opening is None else opening


def tokenise(texts: Iterable[str], tokenizer: Any, *, special_tokens: bool = True) -> Iterator[Tokenised]:
    """Tokenise in chunks, so that memory does not grow with the corpus."""
    source = iter(texts)
    while chunk := list(islice(source, ENCODING_CHUNK)):
        distinct = list(dict.fromkeys(chunk))
        batch = tokenizer(
            distinct,
            add_special_tokens=special_tokens,
            return_offsets_mapping=True,
            return_special_tokens_mask=True,
            return_attention_mask=False,
            truncation=False,
            verbose=False,
        )
        columns = (batch["input_ids"], batch["offset_mapping"], batch["special_tokens_mask"])
        rows = zip(distinct, *columns, strict=True)
        by_text = {text: Tokenised(text, ids, offsets, special) for text, ids, offsets, special in rows}
        yield from (by_text[text] for text in chunk)


def _mask(
    query: MaskedQuery, tokenised: Tokenised, tokenizer: Any, masking: Masking, multi_token: MultiToken
) -> Encoded:
    target = _pieces(query.target, tokenised, tokenizer)
    if len(target) > 1 and multi_token == "skip":
        word = query.target.of(query.text)
        raise _NoPiecesError(f"{word!r} is {len(target)} tokens for this model; choose multi_token='joint' or drop it")
    tokens = tuple(tokenised.ids[i] for i in target)
    _refuse_overlap(query)
    hidden = [(_pieces(span, tokenised, tokenizer), span.of(query.text)) for span in query.hidden]
    masks = {
        target[0]: len(target),
        **{pieces[0]: _mask_count(pieces, text, masking) for pieces, text in hidden},
    }
    replaced = {i for pieces in [target, *(p for p, _ in hidden)] for i in pieces}
    ids, moved = _replace(tokenised.ids, masks, replaced, tokenizer.mask_token_id)
    start = moved[_last_piece(query.read_at, tokenised, tokenizer) if query.read_at else target[0]]
    positions = tuple(range(start, start + len(target)))
    if positions[-1] >= len(ids):
        word = query.target.of(query.text)
        raise _NoPiecesError(f"{word!r} is {len(target)} tokens, too many for the position it is read at; drop it")
    return _padded(Encoded(tuple(ids), positions, tokens), masking.pad_to, tokenizer.mask_token_id)


def _refuse_overlap(query: MaskedQuery) -> None:
    spans = sorted((query.target, *query.hidden))
    for left, right in pairwise(spans):
        if left.overlaps(right):
            words = f"{left.of(query.text)!r} and {right.of(query.text)!r}"
            raise _NoPiecesError(f"{words} overlap and cannot be masked apart; give them separate spans")


def _replace(
    ids: Sequence[int], masks: dict[int, int], replaced: set[int], mask: int
) -> tuple[list[int], dict[int, int]]:
    """Put masks in place of the replaced tokens; also return the new index of each old one.

    A span may become fewer or more masks than it had tokens: its first token is mapped to its first mask, all others to
    its last.
    """
    out: list[int] = []
    moved: dict[int, int] = {}
    for index, token in enumerate(ids):
        moved[index] = len(out) - 1 if index in replaced and index not in masks else len(out)
        if index in masks:
            out.extend([mask] * masks[index])
        elif index not in replaced:
            out.append(token)
    return out, moved


def _mask_count(pieces: Sequence[int], text: str, masking: Masking) -> int:
    return len(pieces) if masking.per == "piece" else len(text.split())


def _pieces(span: Span, tokenised: Tokenised, tokenizer: Any) -> list[int]:
    """The indices of the tokens that make up the span, no more and no less."""
    word = span.of(tokenised.text)
    overlapping = [
        (index, visible)
        for index, visible in enumerate(tokenised.visible)
        if visible is not None and span.overlaps(visible)
    ]
    if not overlapping:
        raise _NoPiecesError(f"{word!r} leaves no token with this tokenizer; spell it differently or drop it")
    unknown = tokenizer.unk_token_id
    for index, visible in overlapping:
        if not span.covers(visible):
            piece = tokenizer.convert_ids_to_tokens(tokenised.ids[index])
            raise _NoPiecesError(
                f"token {piece!r} crosses the edge of {word!r}; rephrase so that a space separates them"
            )
        if tokenised.ids[index] == unknown:
            raise _NoPiecesError(f"{word!r} is not in this model's vocabulary; choose another word or drop it")
    return _with_leading_space_piece([index for index, _ in overlapping], tokenised, tokenizer)


def _with_leading_space_piece(found: list[int], tokenised: Tokenised, tokenizer: Any) -> list[int]:
    """Add the bare ``▁`` or ``Ġ`` that may be split off a word: it belongs to the word, not to its left neighbour.

    A word whose first token has its own space does not take another: that one is white space of the text.
    """
    before = found[0] - 1
    visible = tokenised.visible[before] if before >= 0 else None
    if visible is None or visible.start < visible.end:
        return found
    mark, first = tokenizer.convert_ids_to_tokens([tokenised.ids[before], tokenised.ids[found[0]]])
    cut_off = mark in SPACE_MARKS and not first.startswith(SPACE_MARKS)
    return [before, *found] if cut_off else found


def _last_piece(span: Span, tokenised: Tokenised, tokenizer: Any) -> int:
    return _pieces(span, tokenised, tokenizer)[-1]


def _visible(offset: tuple[int, int], text: str) -> Span:
    """The token without the white space that some tokenizers count as part of it."""
    start, end = offset
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return Span(start, end)


def _padded(encoded: Encoded, length: int | None, mask: int) -> Encoded:
    if length is None:
        return encoded
    if encoded.positions[-1] >= length:
        raise _NoPiecesError(f"the target lies beyond the {length} tokens that the published procedure reads")
    ids = (*encoded.ids[:length], *[mask] * max(0, length - len(encoded.ids)))
    return Encoded(ids, encoded.positions, encoded.tokens)


def unless_too_long(encoded: Encoded, max_length: int | None) -> Encoded | Refusal:
    """The input, or the reason why it is too long."""
    if max_length is not None and len(encoded.ids) > max_length:
        return Refusal(f"{len(encoded.ids)} tokens, and this model reads at most {max_length}; shorten the sentence")
    return encoded
