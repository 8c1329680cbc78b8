"""Ways to the log-probabilities of a text. Which of them a server offers, the handshake finds out."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite
from typing import Any, Protocol

from biascheck.core.errors import EndpointError
from biascheck.core.secrets import in_use
from biascheck.models.served.transport import RejectedError, Transport

# What a server says of a text, token by token, and whether that can be believed.

ROUNDING = 1e-3
"""A log-probability may exceed zero by this much; servers round."""
UNREADABLE = re.compile("�|bytes:")
"""Servers print a token that is part of a character as a replacement character, or as its bytes."""


class _MaskedError(EndpointError):
    """An error that repeats what a server said, without the key: tokens that hold none may spell one together."""

    def __init__(self, message: str) -> None:
        super().__init__(in_use().masked(message))


class UnusableError(_MaskedError):
    """An answer that is no log-probability of the text that was asked about."""


class NoAnswerError(_MaskedError):
    """A reply that is no answer: refused, held back, cut off or blank; one of :data:`NO_ANSWER`."""


class TooLongError(_MaskedError):
    """A text that does not fit into what the server reads at once, or of which it says too little."""


@dataclass(frozen=True, slots=True)
class ServedTokenScores:
    """The tokens of a text as the server spells them, and ln P of each after all before it."""

    tokens: tuple[str, ...]
    log_probabilities: tuple[float, ...]

    @property
    def total(self) -> float:
        """ln P of the whole text."""
        return sum(self.log_probabilities)


def checked(text: str, tokens: Sequence[str], log_probabilities: Sequence[Any]) -> ServedTokenScores:
    """The scores of a text; UnusableError unless the tokens spell it and each has a log-probability."""
    if len(tokens) != len(log_probabilities):
        raise UnusableError(f"{len(tokens)} tokens with {len(log_probabilities)} log-probabilities")
    if not _spell(tokens, text):
        raise UnusableError(f"the tokens spell {short(''.join(tokens))}, and the text is {short(text)}")
    return ServedTokenScores(tuple(tokens), tuple(map(checked_number, log_probabilities)))


def checked_number(value: Any) -> float:
    """A log-probability; UnusableError where it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value) or value > ROUNDING:
        raise UnusableError(f"a log-probability is {value!r}")
    return min(float(value), 0.0)


def _spell(tokens: Sequence[str], text: str) -> bool:
    if not any(UNREADABLE.search(token) for token in tokens):
        return "".join(tokens) == text
    # what is readable must be in the text, in its order; a token that is no whole character may be part of any
    pattern = "".join(".*" if UNREADABLE.search(token) else re.escape(token) for token in tokens)
    return re.fullmatch(pattern, text, flags=re.DOTALL) is not None


def short(text: str) -> str:
    """The beginning of a text, in quotation marks, for an error."""
    return repr(in_use().shortened(text, 60))


OPENINGS = ("<|endoftext|>", "<|begin_of_text|>", "<s>", "<bos>", "<|end_of_text|>", "</s>")
"""Tokens that may precede running text, the likeliest first: where a server adds none itself, the first it knows."""


class RouteError(_MaskedError):
    """Why a server cannot be asked in some way."""


class Route(Protocol):
    """One way of asking a server for the log-probabilities of a text that it did not write itself."""

    @property
    def name(self) -> str:
        """The way in words."""

    @property
    def opening(self) -> str:
        """The token before the first word."""

    @property
    def abilities(self) -> tuple[str, ...]:
        """What the server gives on this way."""

    @property
    def requests(self) -> int:
        """How many requests one text takes, at most."""

    def prepare(self) -> None:
        """Find out what the server needs; RouteError where it cannot be asked in this way."""

    def share_beginnings(self, texts: Sequence[str]) -> None:
        """Have a beginning that texts share read once, from here on, where that changes no figure of ``texts``."""

    @property
    def chats(self) -> bool:
        """Whether a continuation can be framed as the answer to a user's turn."""

    def read(self, text: str) -> ServedTokenScores:
        """The log-probability of each token of a text, after the opening token and all before it."""

    def continuation(self, context: str, continuation: str, *, chat: bool = False) -> tuple[float, ...]:
        """The log-probability of each token that holds a character of the continuation."""


def field(document: Any, *path: str | int) -> Any:
    """What is at a place of a server's answer; UnusableError where there is nothing."""
    found = document
    for step in path:
        try:
            found = found[step]
        except (KeyError, IndexError, TypeError):
            raise UnusableError(f"the answer has no {'.'.join(map(str, path))}") from None
    if found is None:
        raise UnusableError(f"the answer has no {'.'.join(map(str, path))}")
    return found


def listed(document: Mapping[str, Any], *path: str | int) -> Sequence[Any]:
    """A list in a server's answer."""
    found = field(document, *path)
    if not isinstance(found, list):
        raise UnusableError(f"{'.'.join(map(str, path))} is no list")
    return found


# What servers with a tokenizer of their own have in common: texts become token ids first, and ids are scored.

PROBE = "The weather is nice today."
CONTEXTS = 4_096


class TokenRoute(ABC):
    """A route that scores token ids. ``first`` opens a sentence; ``usual`` is what the server opens any text with."""

    name: str
    requests = 2

    def __init__(self, transport: Transport, model: str) -> None:
        self._transport = transport
        self._model = model
        self.opening = ""
        self.first = 0
        self.usual: tuple[int, ...] = ()
        self.longest: int | None = None
        self._ids_of_context = lru_cache(maxsize=CONTEXTS)(self.ids_of)
        self.prompt_of_chat = lru_cache(maxsize=CONTEXTS)(self._prompt_of_chat)

    @abstractmethod
    def ids_of(self, text: str, *, parse_special: bool = False) -> tuple[int, ...]:
        """The token ids of a text, and of nothing else."""

    @abstractmethod
    def text_of(self, ids: Sequence[int]) -> str:
        """The text of token ids."""

    @abstractmethod
    def scores(self, before: tuple[int, ...], ids: tuple[int, ...], spelling: str | None) -> tuple[float, ...]:
        """ln P of each of ``ids`` after the ids ``before``; UnusableError unless they spell ``spelling``."""

    def share_beginnings(self, texts: Sequence[str]) -> None:  # noqa: B027 - most servers leave no choice
        """Each text is asked as a whole, unless a route knows better."""

    @abstractmethod
    def _prompt_of_chat(self, said: str) -> str:
        """A user's turn and the opening of the assistant's, as the model's chat template writes them."""

    @property
    def chats(self) -> bool:
        """Whether the server writes a chat prompt."""
        try:
            return PROBE in self.prompt_of_chat(PROBE)
        except (RejectedError, UnusableError):
            return False

    def read(self, text: str) -> ServedTokenScores:
        """The figures of a whole text after the opening token."""
        ids = self.ids_of(text)
        scores = self._after((self.first,), ids, text) if ids else ()
        return ServedTokenScores(tuple(map(str, ids)), scores)

    def continuation(self, context: str, continuation: str, *, chat: bool = False) -> tuple[float, ...]:
        """The figures of the tokens that hold a character of the continuation."""
        if chat:
            context, continuation = self.prompt_of_chat(context), continuation.lstrip()
        ids = self.ids_of(context + continuation, parse_special=chat)
        start = self._boundary(context, ids, parse_special=chat)
        before = (*(() if chat else self.usual), *ids[:start]) if start else (self.first,)
        return self._after(before, ids[start:], None)

    def _boundary(self, context: str, ids: tuple[int, ...], *, parse_special: bool) -> int:
        """The first token that holds a character of the continuation."""
        known = self._ids_of_context(context, parse_special=parse_special) if context else ()
        if ids[: len(known)] == known:
            return len(known)
        shared = next(place for place, (one, other) in enumerate(zip(ids, known, strict=False)) if one != other)
        while shared < len(ids) - 1 and len(self.text_of(ids[: shared + 1])) <= len(context):
            shared += 1
        return shared

    def _after(self, before: tuple[int, ...], ids: tuple[int, ...], spelling: str | None) -> tuple[float, ...]:
        if self.longest is not None and len(before) + len(ids) > self.longest:
            raise TooLongError(f"{len(before) + len(ids)} tokens, and the server reads at most {self.longest}")
        return self.scores(before, ids, spelling)

    def refuse_other_text(self) -> None:
        """Refuse a tokenizer whose ids do not lead back to the text."""
        back = self.text_of(self.ids_of(PROBE))
        if back.lstrip(" ") != PROBE:
            raise RouteError(f"token ids do not round-trip: {PROBE!r} comes back as {back!r}")

    def _root(self, name: str, body: dict[str, Any]) -> Any:
        return self._transport.post(f"{self._transport.endpoint.root}/{name}", {"model": self._model, **body})
