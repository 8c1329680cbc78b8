"""llama.cpp's ``/completion``: the tokens of a text are forced one after the other, shared beginnings once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from threading import Lock
from typing import Any

from biascheck.models.scoring.continuations import UNDATED
from biascheck.models.scoring.encode import END_OF_TEXT
from biascheck.models.served.routes import (
    PROBE,
    RouteError,
    TokenRoute,
    UnusableError,
    checked_number,
    field,
    listed,
    short,
)
from biascheck.models.served.transport import RejectedError, Transport

# The figures of texts that were asked before, token by token, for texts that begin alike.

LIMIT = 400_000
"""Tokens to remember, about 100 MB; past that all are forgotten, and beginnings are asked again."""


class KnownBeginnings:
    """A tree of tokens: ln P of each after all before it. Safe to share between threads."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._roots: dict[tuple[int, ...], int] = {}
        self._after: dict[tuple[int, int], tuple[int, float]] = {}
        self._lock = Lock()

    def of(self, before: tuple[int, ...], ids: Sequence[int]) -> tuple[float, ...]:
        """The figures of as many of ``ids`` as are known after ``before``, from the first on."""
        found: list[float] = []
        with self._lock:
            node = self._roots.get(before)
            for token in ids:
                if node is None or (step := self._after.get((node, token))) is None:
                    break
                node, score = step
                found.append(score)
        return tuple(found)

    def add(self, before: tuple[int, ...], ids: Sequence[int], scores: Sequence[float]) -> None:
        """Remember the figure of each of ``ids`` after ``before``."""
        with self._lock:
            if len(self._after) + len(ids) > self._limit:
                self._roots.clear()
                self._after.clear()
            node = self._roots.setdefault(before, self._new_node())
            for token, score in zip(ids, scores, strict=True):
                node, _ = self._after.setdefault((node, token), (self._new_node(), score))

    def _new_node(self) -> int:
        return len(self._roots) + len(self._after)


# llama.cpp's ``/completion``: the tokens of a text are forced one after the other, and ``n_probs`` says what
# the model itself gave each of them.
#
# The OpenAI routes of llama.cpp ignore ``echo``. Its own route reports the log-probability of the token that
# was sampled, from the model's own distribution before any sampler. A grammar of token ids leaves the sampler
# no choice but the text, so that one request scores it. Servers without such grammars get one request for each
# token, with a ``logit_bias``. A token that is only part of a character breaks the grammar, and its figure is
# withheld until the character is whole: it is looked up in the list of all next tokens.
#
# A text that begins like one asked before is asked from where it departs: the server keeps the states of the
# beginning. That is done only where the handshake finds the figures to be the same as without.

BIAS = 1e4
FORCED_LISTED = 10
ALL = 10_000_000
"""More than any vocabulary has; the server lists what it has."""
TOKEN_TOLERANCE = 1e-3
EQUAL = 1e-5
"""A figure after a kept beginning may differ by this much from the one after a beginning that was read anew."""


class ForcedTokensRoute(TokenRoute):
    """``/tokenize``, then ``/completion`` with the tokens forced by a grammar, or one by one."""

    abilities = ("prompt log-probabilities", "full next-token distribution")

    def __init__(self, transport: Transport, model: str, props: dict[str, Any]) -> None:
        super().__init__(transport, model)
        self._props = props
        self._by_grammar = True
        self._beginnings: KnownBeginnings | None = None
        self._word = 0
        self._parts: set[int] = set()  # tokens that are only part of a character, as far as met

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
        ids = self.ids_of(PROBE)
        self._word = ids[0]
        self._find_way(ids)
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
                self.scores((self.first,), ids, PROBE)
            except (RejectedError, UnusableError) as error:
                reasons.append(str(error))
            else:
                return
        raise RouteError(f"tokens cannot be forced: {'; '.join(reasons)}")

    def _refuse_other_distributions(self) -> None:
        """Refuse figures that change when a token is forced: they would be those of the sampler, not of the model."""
        body = {
            "prompt": [self.first],
            "n_predict": 1,
            "n_probs": FORCED_LISTED,
            "temperature": 0,
            "cache_prompt": False,
        }
        free = field(self._root("completion", body), "completion_probabilities", 0)
        for entry in listed(free, "top_logprobs")[1:4]:
            (forced,) = self.scores((self.first,), (int(field(entry, "id")),), None)
            if abs(forced - checked_number(field(entry, "logprob"))) > TOKEN_TOLERANCE:
                raise RouteError(f"a forced token has log-probability {forced:.4f}, a free one {entry['logprob']:.4f}")

    def ids_of(self, text: str, *, parse_special: bool = False) -> tuple[int, ...]:
        """The token ids of a text, without any that open or end it."""
        return self._tokens(text, add_special=False, parse_special=parse_special)

    def _tokens(self, text: str, **options: bool) -> tuple[int, ...]:
        body = {"content": text, "parse_special": False, "with_pieces": True, **options}
        tokens = listed(self._root("tokenize", body), "tokens")
        described = [token if isinstance(token, dict) else {"id": token} for token in tokens]
        # the piece of such a token is a list of bytes
        self._parts |= {int(field(token, "id")) for token in described if isinstance(token.get("piece"), list)}
        return tuple(int(field(token, "id")) for token in described)

    def text_of(self, ids: Sequence[int]) -> str:
        """The text of token ids."""
        return str(field(self._root("detokenize", {"tokens": list(ids)}), "content"))

    def _prompt_of_chat(self, said: str) -> str:
        turns = [{"role": "user", "content": said}]
        # a template that writes today's date would give another score every day
        body = {"messages": turns, "chat_template_kwargs": {"date_string": UNDATED}}
        return str(field(self._root("apply-template", body), "prompt"))

    def share_beginnings(self, texts: Sequence[str]) -> None:
        """Ask a text only from where it departs from an earlier one, from here on, if no figure of these changes."""
        if all(self._is_same_after_a_beginning(text) for text in texts):
            self._beginnings = KnownBeginnings()

    def _is_same_after_a_beginning(self, text: str) -> bool:
        ids = self.ids_of(text)
        half = len(ids) // 2
        # asked right before, so that a server with one slot has its states when the end is asked for
        anew = self._asked((self.first,), ids, text, kept=False)[half:]
        try:
            kept = self._asked((self.first, *ids[:half]), ids[half:], text, kept=True)
        except (RejectedError, UnusableError):
            return False
        return all(abs(one - other) <= EQUAL for one, other in zip(kept, anew, strict=True))

    def scores(self, before: tuple[int, ...], ids: tuple[int, ...], spelling: str | None) -> tuple[float, ...]:
        """Force ``ids`` after the ids ``before``; of a beginning that is known, only what follows it."""
        if self._beginnings is None:
            return self._asked(before, ids, spelling, kept=False)
        known = self._beginnings.of(before, ids)
        rest = ids[len(known) :]
        if not rest:
            return known
        found = (*known, *self._asked((*before, *ids[: len(known)]), rest, spelling, kept=True))
        self._beginnings.add(before, ids, found)
        return found

    def _asked(
        self, before: tuple[int, ...], ids: tuple[int, ...], spelling: str | None, *, kept: bool
    ) -> tuple[float, ...]:
        """The figures of ``ids`` from the server; with ``kept`` it may go on from the states of an earlier text."""
        if self._by_grammar and self._parts.isdisjoint(ids):
            return self._by_one_grammar(before, ids, spelling, kept)
        scores: list[float] = []
        for is_part, group in groupby(ids, key=self._parts.__contains__):
            stretch = tuple(group)
            if self._by_grammar and not is_part:
                scores += self._by_one_grammar(before, stretch, None, kept)
            else:
                one_by_one = self._in_list if is_part else self._by_bias
                scores += [one_by_one((*before, *stretch[:at]), token, kept) for at, token in enumerate(stretch)]
            before += stretch
        return tuple(scores)

    def _by_one_grammar(
        self, before: tuple[int, ...], ids: tuple[int, ...], spelling: str | None, kept: bool
    ) -> tuple[float, ...]:
        grammar = "root ::= " + " ".join(f"<[{token}]>" for token in ids)
        answer = self._completion(before, len(ids), kept, grammar=grammar)
        content = str(answer.get("content", ""))
        if spelling is not None and not _ends(spelling, content, whole=before == (self.first,)):
            raise UnusableError(f"the tokens of {short(spelling)} spell {short(content)}")
        return _scores_of(ids, answer)

    def _by_bias(self, before: tuple[int, ...], token: int, kept: bool) -> float:
        return _scores_of((token,), self._completion(before, 1, kept, logit_bias=[[token, BIAS]]))[0]

    def _in_list(self, before: tuple[int, ...], token: int, kept: bool) -> float:
        """The figure of a token among those of all next tokens; what is written is a whole word."""
        written = [[self._word, BIAS]]
        answer = self._completion(before, 1, kept, logit_bias=written, n_probs=ALL)
        for entry in listed(answer, "completion_probabilities", 0, "top_logprobs"):
            if field(entry, "id") == token:
                return checked_number(field(entry, "logprob"))
        raise UnusableError(f"token {token} is not in the list of next tokens")

    def _completion(self, before: tuple[int, ...], count: int, kept: bool, **how: Any) -> Any:
        body = {"prompt": list(before), "n_predict": count, "n_probs": 1, "temperature": 0, "cache_prompt": kept}
        return self._root("completion", {**body, **how})


def _scores_of(ids: tuple[int, ...], answer: Any) -> tuple[float, ...]:
    entries = listed(answer, "completion_probabilities")
    if [field(entry, "id") for entry in entries] != list(ids):
        raise UnusableError(f"{len(ids)} tokens were to be forced, and {len(entries)} others came back")
    return tuple(checked_number(field(entry, "logprob")) for entry in entries)


def _ends(text: str, content: str, *, whole: bool) -> bool:
    """Whether a text is, or where only its end was asked for ends with, what the server wrote.

    Some tokenizers add a space before the first word.
    """
    return content.lstrip(" ") == text.lstrip(" ") if whole else text.endswith(content)
