"""llama.cpp's ``/completion``: the tokens of a text are forced one after the other, and ``n_probs`` says what the model
itself gave each of them.

The OpenAI routes of llama.cpp ignore ``echo``. Its own route reports the log-probability of the token that was sampled,
from the model's own distribution before any sampler. A grammar of token ids leaves the sampler no choice but the text,
so that one request scores it. Servers without such grammars get one request for each token, with a ``logit_bias``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from biascheck.models.adapters.served.routes import RouteError, field, listed
from biascheck.models.adapters.served.token_route import PROBE, TokenRoute
from biascheck.models.adapters.served.token_scores import UnusableError, checked_number
from biascheck.models.adapters.served.transport import RejectedError, Transport

__all__ = ["ForcedTokensRoute"]

END_OF_TEXT = "<|endoftext|>"
BIAS = 1e4
LISTED = 10
SAME = 1e-3
UNDATED = "01 Jan 2025"


class ForcedTokensRoute(TokenRoute):
    """``/tokenize``, then ``/completion`` with the tokens forced by a grammar, or one by one."""

    abilities = ("prompt log-probabilities", "full next-token distribution")

    def __init__(self, transport: Transport, model: str, props: dict[str, Any]) -> None:
        super().__init__(transport, model)
        self._props = props
        self._by_grammar = True

    @property
    def name(self) -> str:  # type: ignore[override]
        """The way in words."""
        return f"/completion with n_probs, tokens forced by {'a grammar' if self._by_grammar else 'logit_bias'}"

    @property
    def requests(self) -> int:  # type: ignore[override]
        """One for the tokens and one for their figures; without grammars there is one for each token."""
        return 2 if self._by_grammar else 20

    def prepare(self) -> None:
        """Find the opening token, a way to force tokens, and whether the figures are those of the model itself."""
        try:
            self._find_opening()
            self.refuse_other_text()
        except (RejectedError, UnusableError) as error:
            raise RouteError(f"there is no /tokenize: {error}") from None
        self._find_way(self.ids_of(PROBE))
        self._refuse_other_distributions()

    def _find_opening(self) -> None:
        """As for local models: the opening token, unless it opens a turn of a chat; else the end of the text before."""
        opening, ending = (str(self._props.get(name) or "") for name in ("bos_token", "eos_token"))
        if opening and opening in str(self._props.get("chat_template") or ""):
            opening = END_OF_TEXT if len(self.ids_of(END_OF_TEXT, parse_special=True)) == 1 else opening
        self.opening = opening or ending or END_OF_TEXT
        found = self.ids_of(self.opening, parse_special=True)
        if len(found) != 1:
            raise RouteError(f"the opening token {self.opening!r} is no token of the server")
        self.first = found[0]
        bare, special = (self._tokens(PROBE, add_special=add) for add in (False, True))
        self.usual = special[:1] if special[1 : len(bare) + 1] == bare else ()
        settings = self._props.get("default_generation_settings") or {}
        self.longest = settings.get("n_ctx") if isinstance(settings.get("n_ctx"), int) else None

    def _find_way(self, ids: tuple[int, ...]) -> None:
        reasons = []
        for by_grammar in (True, False):
            self._by_grammar = by_grammar
            try:
                self.figures((self.first,), ids, PROBE)
            except (RejectedError, UnusableError) as error:
                reasons.append(str(error))
            else:
                return
        raise RouteError(f"tokens cannot be forced: {'; '.join(reasons)}")

    def _refuse_other_distributions(self) -> None:
        """Refuse figures that change when a token is forced: they would be those of the sampler, not of the model."""
        body = {"prompt": [self.first], "n_predict": 1, "n_probs": LISTED, "temperature": 0, "cache_prompt": False}
        free = field(self._root("completion", body), "completion_probabilities", 0)
        for entry in listed(free, "top_logprobs")[1:4]:
            (forced,) = self.figures((self.first,), (int(field(entry, "id")),), None)
            if abs(forced - checked_number(field(entry, "logprob"))) > SAME:
                raise RouteError(f"a forced token has log-probability {forced:.4f}, a free one {entry['logprob']:.4f}")

    def ids_of(self, text: str, *, parse_special: bool = False) -> tuple[int, ...]:
        """The token ids of a text, without any that open or end it."""
        return self._tokens(text, add_special=False, parse_special=parse_special)

    def _tokens(self, text: str, **options: bool) -> tuple[int, ...]:
        body = {"content": text, "parse_special": False, **options}
        return tuple(int(token) for token in listed(self._root("tokenize", body), "tokens"))

    def text_of(self, ids: Sequence[int]) -> str:
        """The text of token ids."""
        return str(field(self._root("detokenize", {"tokens": list(ids)}), "content"))

    def _prompt_of_chat(self, said: str) -> str:
        turns = [{"role": "user", "content": said}]
        # a template that writes today's date would give another score every day
        body = {"messages": turns, "chat_template_kwargs": {"date_string": UNDATED}}
        return str(field(self._root("apply-template", body), "prompt"))

    def figures(self, before: tuple[int, ...], ids: tuple[int, ...], spelling: str | None) -> tuple[float, ...]:
        """Force ``ids`` after the ids ``before``."""
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
            "prompt": list(before),
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
