"""Chat completions: what an endpoint generates, and the most probable first tokens where it lists them.

A list can be wrong, too. It is believed only if it has probabilities (finite, in falling order, at most 1 in all),
begins with what the model says, comes back the same, and changes with the question.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp
from typing import Any

from biascheck.models.adapters.served.routes import RouteError, field, listed
from biascheck.models.adapters.served.token_scores import ROUNDING, UnusableError, checked_number
from biascheck.models.adapters.served.transport import RejectedError, Transport

__all__ = ["ChatRoute"]

CHAT_LISTED = 20
CHAT_TOLERANCE = 0.02
CHAT_PROBES = ("Is the sky blue? Answer yes or no.", "Name a colour.")


class ChatRoute:
    """``/chat/completions``."""

    name = "/chat/completions"

    def __init__(self, transport: Transport, model: str) -> None:
        self._transport = transport
        self._model = model
        self.abilities: tuple[str, ...] = ("generation only",)
        self.listed = 0
        self.unlisted = ""

    @property
    def lists_tokens(self) -> bool:
        """Whether the endpoint lists the most probable first tokens of its answer."""
        return self.listed > 1

    def prepare(self) -> None:
        """Find out whether the endpoint generates at all, and whether it lists the most probable tokens."""
        if not isinstance(field(self._asked(CHAT_PROBES[0], 1, {}), "choices", 0, "message"), dict):
            raise RouteError("the answer has no message")
        try:
            first, again, other = (self.first_tokens(said) for said in (CHAT_PROBES[0], *CHAT_PROBES))
            _refuse_other_lists(first, again, other)
        except (UnusableError, RejectedError) as error:
            self.unlisted = str(error)
            return
        self.listed = len(first)
        self.abilities = ("top-k only", "generation")

    def first_tokens(self, said: str) -> dict[str, float]:
        """The most probable first tokens of the answer to a user's turn, with ln P of each."""
        answer = self._asked(said, 1, {"logprobs": True, "top_logprobs": CHAT_LISTED})
        entry = field(answer, "choices", 0, "logprobs", "content", 0)
        entries = listed(entry, "top_logprobs")
        found: dict[str, float] = {}
        for one in entries:
            found.setdefault(str(field(one, "token")), checked_number(field(one, "logprob")))
        numbers = [checked_number(field(one, "logprob")) for one in entries]
        if len(numbers) < 2 or numbers != sorted(numbers, reverse=True):
            raise UnusableError("the likeliest tokens are not in their order")
        if sum(map(exp, numbers)) > 1 + ROUNDING * len(numbers):
            raise UnusableError("the likeliest tokens have a probability above 1")
        if checked_number(field(entry, "logprob")) < numbers[0] - CHAT_TOLERANCE:
            raise UnusableError("the answer does not begin with the likeliest token")
        return found

    def reply(self, prompt: str, max_tokens: int) -> str:
        """What the model answers to one turn of the user, always the likeliest token."""
        answer = self._asked(prompt, max_tokens, {})
        return str(field(answer, "choices", 0, "message").get("content") or "")

    def text_after(self, prompt: str, max_tokens: int) -> str:
        """What the model writes after a prompt, always the likeliest token."""
        body = {"model": self._model, "prompt": prompt, "max_tokens": max_tokens, "temperature": 0}
        answer = self._transport.post(f"{self._transport.endpoint.api}/completions", body)
        return str(field(answer, "choices", 0, "text"))

    def _asked(self, prompt: str, max_tokens: int, more: dict[str, Any]) -> Any:
        body = {"model": self._model, "messages": [{"role": "user", "content": prompt}], "temperature": 0}
        url = f"{self._transport.endpoint.api}/chat/completions"
        return self._transport.post(url, {**body, "max_tokens": max_tokens, **more})


def _refuse_other_lists(first: Mapping[str, float], again: Mapping[str, float], other: Mapping[str, float]) -> None:
    common = first.keys() & again.keys()
    if len(common) < len(first) / 2 or any(abs(first[token] - again[token]) > CHAT_TOLERANCE for token in common):
        raise UnusableError("the same question has other likeliest tokens the second time")
    if first == other:
        raise UnusableError("two questions have the same likeliest tokens")
