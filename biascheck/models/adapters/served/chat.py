"""Chat completions: what an endpoint generates, and the most probable first tokens where it says them."""

from __future__ import annotations

from typing import Any

from biascheck.models.adapters.served.routes import RouteError, field
from biascheck.models.adapters.served.token_scores import UnusableError
from biascheck.models.adapters.served.transport import RejectedError, Transport

__all__ = ["ChatRoute"]

LISTED = 5


class ChatRoute:
    """``/chat/completions``."""

    name = "/chat/completions"

    def __init__(self, transport: Transport, model: str) -> None:
        self._transport = transport
        self._model = model
        self.abilities: tuple[str, ...] = ("generation only",)

    def prepare(self) -> None:
        """Find out whether the endpoint generates at all, and whether it lists the most probable tokens."""
        try:
            answer = self._asked("Say hello.", 1, {"logprobs": True, "top_logprobs": LISTED})
        except RejectedError:
            answer = self._asked("Say hello.", 1, {})
        if not isinstance(field(answer, "choices", 0, "message"), dict):
            raise RouteError("the answer has no message")
        try:
            entries = field(answer, "choices", 0, "logprobs", "content", 0, "top_logprobs")
        except UnusableError:
            return
        if isinstance(entries, list) and len(entries) > 1:
            self.abilities = ("top-k only", "generation")

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
