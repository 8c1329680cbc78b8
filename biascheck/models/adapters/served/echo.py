"""The completions of OpenAI with ``echo``: the server repeats the prompt with its log-probabilities.

Servers that ignore ``echo`` in silence answer with tokens of their own instead. Each answer is therefore believed only
if its tokens spell the prompt.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from biascheck.models.adapters.served.routes import OPENINGS, RouteError, listed
from biascheck.models.adapters.served.token_route import PROBE
from biascheck.models.adapters.served.token_scores import (
    UNREADABLE,
    ServedTokenScores,
    TooLongError,
    UnusableError,
    checked,
)
from biascheck.models.adapters.served.transport import RejectedError, Transport

__all__ = ["EchoRoute"]


class EchoRoute:
    """``/completions`` with ``echo`` and ``logprobs``."""

    name = "/completions with echo"
    abilities = ("prompt log-probabilities",)
    requests = 1
    chats = False

    def __init__(self, transport: Transport, model: str) -> None:
        self._transport = transport
        self._model = model
        self._added = ""
        self._most = 0
        self.opening = ""

    def prepare(self) -> None:
        """Find out whether the prompt comes back, how many tokens must be generated, and what opens a text."""
        tokens, numbers = self._first_answer()
        if "".join(tokens) != PROBE:
            self._added = self.opening = tokens[0]
        elif numbers[0] is None:
            self.opening = self._known_opening(len(tokens))

    def _first_answer(self) -> tuple[Sequence[str], Sequence[Any]]:
        for most in (0, 1):  # some servers must generate something
            self._most = most
            try:
                answer = self._asked(PROBE)
                tokens, numbers = _cut(answer, PROBE)
            except RejectedError as error:
                reason = str(error)
            except UnusableError as error:
                reason = f"echo is ignored, or there are no log-probabilities: {error}"
            else:
                return tokens, numbers
        raise RouteError(reason)

    def _known_opening(self, count: int) -> str:
        for opening in OPENINGS:
            try:
                tokens, _ = _cut(self._asked(opening + PROBE), opening + PROBE)
            except (UnusableError, RejectedError):
                continue
            if len(tokens) == count + 1 and tokens[0] == opening:
                return opening
        raise RouteError(
            "the first token of a text has no log-probability, and the server knows none of the usual opening tokens "
            f"({', '.join(OPENINGS)})"
        )

    def share_beginnings(self, texts: Sequence[str]) -> None:
        """Each text is asked as a whole."""

    def read(self, text: str) -> ServedTokenScores:
        """Ask for the whole text at once."""
        prompt = text if self._added else self.opening + text
        tokens, numbers = _cut(self._asked(prompt), prompt, self._added)
        start = 1 if self.opening else 0
        if self.opening and tokens[0] != self.opening:
            raise UnusableError(f"the text opens with {tokens[0]!r}, not with {self.opening!r}")
        return checked(text, tokens[start:], numbers[start:])

    def continuation(self, context: str, continuation: str, *, chat: bool = False) -> tuple[float, ...]:
        """Ask for both as one text, and take the tokens that reach beyond the context."""
        assert not chat, "a prompt that the server repeats has no turns"
        if not context:
            return self.read(continuation).log_probabilities
        text = context + continuation
        tokens, numbers = _cut(self._asked(text), text, self._added)
        start = 1 if self._added else 0
        if any(UNREADABLE.search(token) for token in tokens):
            raise TooLongError("the server does not say where a token with part of a character begins")
        place, end = start, 0
        while place < len(tokens) - 1 and end + len(tokens[place]) <= len(context):
            end += len(tokens[place])
            place += 1
        if place == 0 and numbers[0] is None:  # all of it is one token: it is scored after an opening token
            return self.read(text).log_probabilities
        return checked("".join(tokens[place:]), tokens[place:], numbers[place:]).log_probabilities

    def _asked(self, prompt: str) -> Any:
        body = {"model": self._model, "prompt": prompt, "echo": True, "logprobs": 1, "temperature": 0}
        url = f"{self._transport.endpoint.api}/completions"
        return self._transport.post(url, {**body, "max_tokens": self._most})


def _cut(answer: Any, prompt: str, added: str | None = None) -> tuple[list[str], list[Any]]:
    """The tokens and numbers of the prompt, without what was generated after it.

    ``added`` is the token that the server puts before the prompt; ``None`` finds out whether there is one.
    """
    tokens = [str(token) for token in listed(answer, "choices", 0, "logprobs", "tokens")]
    numbers = list(listed(answer, "choices", 0, "logprobs", "token_logprobs"))
    if len(tokens) != len(numbers) or not tokens:
        raise UnusableError(f"{len(tokens)} tokens with {len(numbers)} log-probabilities")
    before = tokens[0] if added or (added is None and numbers[0] is None and not prompt.startswith(tokens[0])) else ""
    stated = (answer.get("usage") or {}).get("prompt_tokens")
    count = _count(tokens, before + prompt, stated)
    if isinstance(stated, int) and stated not in (count, count - bool(before)):
        raise UnusableError(f"{stated} prompt tokens with {count} log-probabilities")
    return tokens[:count], numbers[:count]


def _count(tokens: Sequence[str], prompt: str, stated: int | None) -> int:
    """How many tokens the prompt is; where they cannot be read one by one, as many as the server states."""
    spelt = ""
    for count, token in enumerate(tokens, 1):
        spelt += token
        if spelt == prompt:
            return count
        if not prompt.startswith(spelt):
            break
    if UNREADABLE.search(spelt) and stated is not None and stated <= len(tokens):
        return stated
    raise UnusableError(f"the tokens spell {spelt[:60]!r}…, not the prompt")
