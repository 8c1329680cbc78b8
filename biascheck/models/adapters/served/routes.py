"""Ways to the log-probabilities of a text. Which of them a server offers, the handshake finds out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from biascheck.errors import EndpointError
from biascheck.models.adapters.served.token_scores import ServedTokenScores, UnusableError

__all__ = ["OPENINGS", "Route", "RouteError", "field", "listed"]

OPENINGS = ("<|endoftext|>", "<|begin_of_text|>", "<s>", "<bos>", "<|end_of_text|>", "</s>")
"""Tokens that may precede running text, the likeliest first: where a server adds none itself, the first it knows."""


class RouteError(EndpointError):
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
