"""llama.cpp's ``/completion``: the tokens of a text are forced one after the other, and ``n_probs`` says what the model
itself gave each of them.

The OpenAI routes of llama.cpp ignore ``echo``. Its own route reports the log-probability of the token that was sampled,
from the model's own distribution before any sampler. A grammar of token ids leaves the sampler no choice but the text,
so that one request scores it. Servers without such grammars get one request for each token, with a ``logit_bias``.
"""

from __future__ import annotations

from typing import Any

from biascheck.models.adapters.served.routes import RouteError, field, listed
from biascheck.models.adapters.served.token_scores import TokenScores, TooLongError, UnusableError, checked_number
from biascheck.models.adapters.served.transport import RejectedError, Transport

__all__ = ["ForcedTokensRoute"]

PROBE = "The weather is nice today."
END_OF_TEXT = "<|endoftext|>"
BIAS = 1e4
LISTED = 10
SAME = 1e-3


class ForcedTokensRoute:
    """``/tokenize``, then ``/completion`` with the tokens forced by a grammar, or one by one."""

    abilities = ("prompt log-probabilities", "full next-token distribution")

    def __init__(self, transport: Transport, about: dict[str, Any]) -> None:
        self._transport = transport
        self._about = about
        self._first = 0
        self._longest: int | None = None
        self._by_grammar = True
        self.opening = ""

    @property
    def name(self) -> str:
        """The way in words."""
        return f"/completion with n_probs, tokens forced by {'a grammar' if self._by_grammar else 'logit_bias'}"

    @property
    def requests(self) -> int:
        """One for the tokens and one for their figures; without grammars there is one for each token."""
        return 2 if self._by_grammar else 20

    def prepare(self) -> None:
        """Find the opening token, a way to force tokens, and whether the figures are those of the model itself."""
        try:
            self._find_opening()
            ids = self.ids_of(PROBE)
            back = str(field(self._root("detokenize", {"tokens": list(ids)}), "content"))
        except (RejectedError, UnusableError) as error:
            raise RouteError(f"there is no /tokenize: {error}") from None
        if back.lstrip(" ") != PROBE:
            raise RouteError(f"token ids do not round-trip: {PROBE!r} comes back as {back!r}")
        self._find_way(ids)
        self._refuse_other_distributions()

    def _find_opening(self) -> None:
        """As for local models: the opening token, unless it opens a turn of a chat; else the end of the text before."""
        opening, ending = (str(self._about.get(name) or "") for name in ("bos_token", "eos_token"))
        if opening and opening in str(self._about.get("chat_template") or ""):
            opening = END_OF_TEXT if self._special(END_OF_TEXT) is not None else opening
        self.opening = opening or ending or END_OF_TEXT
        found = self._special(self.opening)
        if found is None:
            raise RouteError(f"the opening token {self.opening!r} is no token of the server")
        self._first = found
        settings = self._about.get("default_generation_settings") or {}
        self._longest = settings.get("n_ctx") if isinstance(settings.get("n_ctx"), int) else None

    def _special(self, text: str) -> int | None:
        found = self._tokens(text, special=True)
        return found[0] if len(found) == 1 else None

    def _find_way(self, ids: tuple[int, ...]) -> None:
        reasons = []
        for by_grammar in (True, False):
            self._by_grammar = by_grammar
            try:
                self.after((), ids)
            except (RejectedError, UnusableError) as error:
                reasons.append(str(error))
            else:
                return
        raise RouteError(f"tokens cannot be forced: {'; '.join(reasons)}")

    def _refuse_other_distributions(self) -> None:
        """Refuse figures that change when a token is forced: they would be those of the sampler, not of the model."""
        body = {"prompt": [self._first], "n_predict": 1, "n_probs": LISTED, "temperature": 0, "cache_prompt": False}
        free = field(self._root("completion", body), "completion_probabilities", 0)
        for entry in listed(free, "top_logprobs")[1:4]:
            (forced,) = self.after((), (int(field(entry, "id")),))
            if abs(forced - checked_number(field(entry, "logprob"))) > SAME:
                raise RouteError(f"a forced token has log-probability {forced:.4f}, a free one {entry['logprob']:.4f}")

    def ids_of(self, text: str) -> tuple[int, ...]:
        """The token ids of a text, without any that open or end it."""
        return tuple(self._tokens(text, special=False))

    def _tokens(self, text: str, *, special: bool) -> list[int]:
        body = {"content": text, "add_special": False, "parse_special": special}
        return [int(token) for token in listed(self._root("tokenize", body), "tokens")]

    def _root(self, name: str, body: dict[str, Any]) -> Any:
        return self._transport.post(f"{self._transport.endpoint.root}/{name}", body)

    def read(self, text: str) -> TokenScores:
        """Force the whole text after the opening token."""
        ids = self.ids_of(text)
        if not ids:
            return TokenScores((), ())
        return TokenScores(tuple(map(str, ids)), self.after((), ids, spelling=text))

    def after(self, before: tuple[int, ...], ids: tuple[int, ...], spelling: str | None = None) -> tuple[float, ...]:
        """ln P of each of ``ids``, after the opening token and the ids ``before``."""
        if self._longest is not None and len(before) + len(ids) + 1 > self._longest:
            raise TooLongError(f"{len(before) + len(ids) + 1} tokens, and the server reads at most {self._longest}")
        if self._by_grammar:
            grammar = "root ::= " + " ".join(f"<[{token}]>" for token in ids)
            return self._forced(before, ids, {"grammar": grammar}, spelling)
        return tuple(
            self._forced((*before, *ids[:place]), (token,), {"logit_bias": [[token, BIAS]]}, None)[0]
            for place, token in enumerate(ids)
        )

    def _forced(
        self, before: tuple[int, ...], ids: tuple[int, ...], force: dict[str, Any], spelling: str | None
    ) -> tuple[float, ...]:
        body = {
            "prompt": [self._first, *before],
            "n_predict": len(ids),
            "n_probs": 1,
            "temperature": 0,
            "cache_prompt": False,  # a figure must not depend on what was asked before
            **force,
        }
        answer = self._root("completion", body)
        entries = listed(answer, "completion_probabilities")
        if [field(entry, "id") for entry in entries] != list(ids):
            raise UnusableError(f"{len(ids)} tokens were to be forced, and {len(entries)} others came back")
        content = str(answer.get("content", ""))
        if spelling is not None and content.lstrip(" ") != spelling.lstrip(" "):
            raise UnusableError(f"the tokens of {spelling[:60]!r} spell {content[:60]!r}")
        return tuple(checked_number(field(entry, "logprob")) for entry in entries)
