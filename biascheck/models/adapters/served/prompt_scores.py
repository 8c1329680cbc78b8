"""vLLM's ``prompt_logprobs``: the log-probability of every token of the prompt, by its id."""

from __future__ import annotations

from typing import Any

from biascheck.models.adapters.served.routes import OPENINGS, RouteError, field, listed
from biascheck.models.adapters.served.token_scores import TokenScores, TooLongError, UnusableError, checked_number
from biascheck.models.adapters.served.transport import RejectedError, Transport

__all__ = ["PromptScoresRoute"]

PROBE = "The weather is nice today."


class PromptScoresRoute:
    """``/tokenize``, then ``/completions`` with ``prompt_logprobs`` on the token ids."""

    name = "/completions with prompt_logprobs"
    abilities = ("prompt log-probabilities",)
    requests = 2

    def __init__(self, transport: Transport, model: str) -> None:
        self._transport = transport
        self._model = model
        self._first = 0
        self._longest: int | None = None
        self.opening = ""

    def prepare(self) -> None:
        """Find the opening token, and whether token ids and text go over into each other."""
        try:
            self._find_opening()
            ids = self.ids_of(PROBE)
            back = self._root("detokenize", {"tokens": list(ids)})
        except (RejectedError, UnusableError) as error:
            raise RouteError(f"there is no /tokenize: {error}") from None
        if str(field(back, "prompt")).lstrip(" ") != PROBE:
            raise RouteError(f"token ids do not round-trip: {PROBE!r} comes back as {field(back, 'prompt')!r}")
        try:
            self.read(PROBE)
        except (RejectedError, UnusableError) as error:
            raise RouteError(f"prompt_logprobs are not given: {error}") from None

    def _find_opening(self) -> None:
        bare, special = (self._tokens(PROBE, special=special) for special in (False, True))
        if special[1 : len(bare) + 1] == bare:
            self._first = special[0]
            self.opening = str(field(self._root("detokenize", {"tokens": [self._first]}), "prompt"))
            return
        for opening in OPENINGS:
            if len(found := self._tokens(opening, special=False)) == 1:
                self._first, self.opening = found[0], opening
                return
        raise RouteError(f"the server knows none of the usual opening tokens ({', '.join(OPENINGS)})")

    def ids_of(self, text: str) -> tuple[int, ...]:
        """The token ids of a text, without any that open or end it."""
        return tuple(self._tokens(text, special=False))

    def _tokens(self, text: str, *, special: bool) -> list[int]:
        answer = self._root("tokenize", {"prompt": text, "add_special_tokens": special})
        longest = answer.get("max_model_len")
        self._longest = longest if isinstance(longest, int) else None
        return [int(token) for token in listed(answer, "tokens")]

    def _root(self, name: str, body: dict[str, Any]) -> Any:
        return self._transport.post(f"{self._transport.endpoint.root}/{name}", {"model": self._model, **body})

    def read(self, text: str) -> TokenScores:
        """Ask for the log-probabilities of the ids that the server's own tokenizer gives."""
        ids = self.ids_of(text)
        return TokenScores(tuple(map(str, ids)), self.after((), ids)) if ids else TokenScores((), ())

    def after(self, before: tuple[int, ...], ids: tuple[int, ...]) -> tuple[float, ...]:
        """ln P of each of ``ids``, after the opening token and the ids ``before``."""
        prompt = [self._first, *before, *ids]
        if self._longest is not None and len(prompt) >= self._longest:  # one more token is generated
            raise TooLongError(f"{len(prompt)} tokens, and the server reads at most {self._longest - 1}")
        body = {"model": self._model, "prompt": prompt, "max_tokens": 1, "temperature": 0, "prompt_logprobs": 0}
        answer = self._transport.post(f"{self._transport.endpoint.api}/completions", body)
        entries = listed(answer, "choices", 0, "prompt_logprobs")
        if len(entries) != len(prompt):
            raise UnusableError(f"{len(prompt)} prompt tokens with {len(entries)} log-probabilities")
        start = len(prompt) - len(ids)
        return tuple(_number(entry, token) for entry, token in zip(entries[start:], ids, strict=True))


def _number(entry: Any, token: int) -> float:
    if not isinstance(entry, dict) or str(token) not in entry:
        raise UnusableError(f"token {token} has no log-probability; the server tokenised otherwise")
    return checked_number(field(entry, str(token), "logprob"))
