"""vLLM's ``prompt_logprobs``: the log-probability of every token of the prompt, by its id."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from biascheck.models.adapters.served.routes import OPENINGS, RouteError, field, listed
from biascheck.models.adapters.served.token_route import PROBE, TokenRoute
from biascheck.models.adapters.served.token_scores import UnusableError, checked_number
from biascheck.models.adapters.served.transport import RejectedError

__all__ = ["PromptScoresRoute"]


class PromptScoresRoute(TokenRoute):
    """``/tokenize``, then ``/completions`` with ``prompt_logprobs`` on the token ids."""

    name = "/completions with prompt_logprobs"
    abilities = ("prompt log-probabilities",)

    def prepare(self) -> None:
        """Find the opening token, and whether token ids and text go over into each other."""
        try:
            self._find_opening()
            self.refuse_other_text()
        except (RejectedError, UnusableError) as error:
            raise RouteError(f"there is no /tokenize: {error}") from None
        try:
            self.read(PROBE)
        except (RejectedError, UnusableError) as error:
            raise RouteError(f"prompt_logprobs are not given: {error}") from None

    def _find_opening(self) -> None:
        bare, special = (self._tokens({"prompt": PROBE, "add_special_tokens": special}) for special in (False, True))
        if len(special) > len(bare) and special[1 : len(bare) + 1] == bare:
            self.first, self.usual = special[0], special[:1]
            self.opening = self.text_of(self.usual)
            return
        for opening in OPENINGS:
            if len(found := self.ids_of(opening)) == 1:
                self.first, self.opening = found[0], opening
                return
        raise RouteError(f"the server knows none of the usual opening tokens ({', '.join(OPENINGS)})")

    def ids_of(self, text: str, *, parse_special: bool = False) -> tuple[int, ...]:  # noqa: ARG002 - it always does
        """The token ids of a text, without any that open or end it."""
        return self._tokens({"prompt": text, "add_special_tokens": False})

    def _tokens(self, body: dict[str, Any]) -> tuple[int, ...]:
        answer = self._root("tokenize", body)
        ids = tuple(int(token) for token in listed(answer, "tokens"))
        longest = answer.get("max_model_len")
        self.longest = longest - 1 if isinstance(longest, int) else None  # one more token is generated
        return ids

    def text_of(self, ids: Sequence[int]) -> str:
        """The text of token ids."""
        return str(field(self._root("detokenize", {"tokens": list(ids)}), "prompt"))

    def _prompt_of_chat(self, said: str) -> str:
        turns = [{"role": "user", "content": said}]
        return self.text_of(self._tokens({"messages": turns, "add_generation_prompt": True}))

    def scores(self, before: tuple[int, ...], ids: tuple[int, ...], spelling: str | None) -> tuple[float, ...]:  # noqa: ARG002 - ids are checked instead
        """Ask for the log-probabilities of the whole prompt, and take those of ``ids``."""
        prompt = [*before, *ids]
        body = {"model": self._model, "prompt": prompt, "max_tokens": 1, "temperature": 0, "prompt_logprobs": 0}
        answer = self._transport.post(f"{self._transport.endpoint.api}/completions", body)
        entries = listed(answer, "choices", 0, "prompt_logprobs")
        if len(entries) != len(prompt):
            raise UnusableError(f"{len(prompt)} prompt tokens with {len(entries)} log-probabilities")
        return tuple(_number(entry, token) for entry, token in zip(entries[len(before) :], ids, strict=True))


def _number(entry: Any, token: int) -> float:
    if not isinstance(entry, dict) or str(token) not in entry:
        raise UnusableError(f"token {token} has no log-probability; the server tokenised otherwise")
    return checked_number(field(entry, str(token), "logprob"))
