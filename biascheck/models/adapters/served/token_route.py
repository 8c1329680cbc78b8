"""What servers with a tokenizer of their own have in common: texts become token ids first, and ids are scored."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from biascheck.models.adapters.served.routes import RouteError
from biascheck.models.adapters.served.token_scores import ServedTokenScores, TooLongError, UnusableError
from biascheck.models.adapters.served.transport import RejectedError, Transport

__all__ = ["PROBE", "TokenRoute"]

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
