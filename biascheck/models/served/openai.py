"""The routes of OpenAI and vLLM: completions with ``echo``, chat completions, and the scores of a prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp
from typing import Any

from biascheck.models.served.routes import (
    OPENINGS,
    PROBE,
    ROUNDING,
    UNREADABLE,
    NoAnswerError,
    RouteError,
    ServedTokenScores,
    TokenRoute,
    TooLongError,
    UnusableError,
    checked,
    checked_number,
    field,
    listed,
    short,
)
from biascheck.models.served.transport import RejectedError, Transport

# The completions of OpenAI with ``echo``: the server repeats the prompt with its log-probabilities.
#
# Servers that ignore ``echo`` in silence answer with tokens of their own instead. Each answer is therefore
# believed only if its tokens spell the prompt.


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
    raise UnusableError(f"the tokens spell {short(spelt)}, not the prompt")


# Chat completions: what an endpoint generates, and the most probable first tokens where it lists them.
#
# A list can be wrong, too. It is believed only if it has probabilities (finite, in falling order, at most 1 in
# all), begins with what the model says, comes back the same, and changes with the question.

CHAT_LISTED = 20
CHAT_TOLERANCE = 0.02
CHAT_PROBES = ("Is the sky blue? Answer yes or no.", "Name a colour.")


HELD_BACK = "a content filter held the answer back"
REFUSED_BY_MODEL = "the model refused to answer"
CUT_OFF = "the answer was cut off before its end"
BLANK = "the answer is blank"
NO_ANSWER = (HELD_BACK, REFUSED_BY_MODEL, CUT_OFF, BLANK)
"""Why a reply is no answer. It is counted as such, and never kept: another day the endpoint may answer."""


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
        except (UnusableError, RejectedError, NoAnswerError) as error:
            self.unlisted = str(error)
            return
        self.listed = len(first)
        self.abilities = ("top-k only", "generation")

    def first_tokens(self, said: str) -> dict[str, float]:
        """The most probable first tokens of the answer to a user's turn, with ln P of each."""
        answer = self._asked(said, 1, {"logprobs": True, "top_logprobs": CHAT_LISTED})
        _refuse_held_back(field(answer, "choices", 0))
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
        return _finished(field(answer, "choices", 0))

    def text_after(self, prompt: str, max_tokens: int) -> str:
        """What the model writes after a prompt, always the likeliest token; it need not come to an end."""
        body = {"model": self._model, "prompt": prompt, "max_tokens": max_tokens, "temperature": 0}
        answer = self._transport.post(f"{self._transport.endpoint.api}/completions", body)
        _refuse_held_back(field(answer, "choices", 0))
        return _written(field(answer, "choices", 0, "text"))

    def _asked(self, prompt: str, max_tokens: int, more: dict[str, Any]) -> Any:
        body = {"model": self._model, "messages": [{"role": "user", "content": prompt}], "temperature": 0}
        url = f"{self._transport.endpoint.api}/chat/completions"
        return self._transport.post(url, {**body, "max_tokens": max_tokens, **more})


def _finished(choice: Any) -> str:
    """The text of a finished reply; NoAnswerError where there is none."""
    message = field(choice, "message")
    _refuse_held_back(choice)
    if message.get("refusal"):
        raise NoAnswerError(REFUSED_BY_MODEL)
    if choice.get("finish_reason") == "length":
        raise NoAnswerError(CUT_OFF)
    return _written(message.get("content"))


def _refuse_held_back(choice: Any) -> None:
    if choice.get("finish_reason") == "content_filter":
        raise NoAnswerError(HELD_BACK)


def _written(text: Any) -> str:
    if not isinstance(text, str) or not text.strip():
        raise NoAnswerError(BLANK)
    return text


def _refuse_other_lists(first: Mapping[str, float], again: Mapping[str, float], other: Mapping[str, float]) -> None:
    common = first.keys() & again.keys()
    if len(common) < len(first) / 2 or any(abs(first[token] - again[token]) > CHAT_TOLERANCE for token in common):
        raise UnusableError("the same question has other likeliest tokens the second time")
    if first == other:
        raise UnusableError("two questions have the same likeliest tokens")


# vLLM's ``prompt_logprobs``: the log-probability of every token of the prompt, by its id.


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
