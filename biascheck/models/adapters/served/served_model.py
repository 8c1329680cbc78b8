"""Adapters for models behind an endpoint: one that scores text, one that also chats, one that only generates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal

from biascheck.cache.document_cache import digest_of
from biascheck.errors import UsageError
from biascheck.models.adapters.served.asking import Asker, ServedQuestion, answered, as_answer
from biascheck.models.adapters.served.handshake import Handshake
from biascheck.models.adapters.served.routes import Route
from biascheck.models.scoring.continuation_encoding import EMPTY, SENTENCE_REQUEST
from biascheck.models.scoring.queries import Answer, ContinuationQuery, Framing, Refusal, SentenceQuery

__all__ = ["ServedChatModel", "ServedGenerator", "ServedModel", "ServedTokenLister"]


class ServedGenerator:
    """A model behind an endpoint that answers a user's turn, and gives no log-probabilities of a text of ours."""

    framing: Framing = "chat"

    def __init__(self, handshake: Handshake, asker: Asker, *, name: str) -> None:
        self.name = name
        self.handshake = handshake
        self.treatment: tuple[str, ...] = ()
        self.asker = asker

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @property
    def fingerprint(self) -> str:
        """A digest of what the server says of itself and of what it makes of a few sentences."""
        return self.asker.identity

    @property
    def about(self) -> dict[str, str]:
        """The model in words for a reader of its results."""
        route = self.handshake.route
        how = {"scored by": route.name, "opening token": route.opening} if route is not None else {}
        gives = ", ".join(self.handshake.abilities)
        return {**self.handshake.facts.in_words, **how, "endpoint gives": gives, "framing": self.framing}

    def generate(self, prompts: Sequence[str], *, max_tokens: int) -> list[str | Refusal]:
        """What the model writes after each prompt; in chat framing, its answer to what the user said."""
        if max_tokens < 1:
            raise UsageError(f"max_tokens is {max_tokens}; ask for at least one token")
        chat = self.handshake.chat
        write = chat.reply if self.framing == "chat" else chat.text_after
        questions: list[ServedQuestion] = [("generate", self.framing, max_tokens, prompt) for prompt in prompts]
        return self._answers(questions, lambda question: write(str(question[-1]), max_tokens))

    def _answers(self, questions: Sequence[ServedQuestion], ask: Callable[[ServedQuestion], Any]) -> list[Any]:
        return self.asker.answers(questions, lambda question: answered(lambda: ask(question), self.name))


class ServedTokenLister(ServedGenerator):
    """A chat endpoint that lists the likeliest first tokens of an answer: it scores answers of one token among them."""

    def continuations(self, queries: Sequence[ContinuationQuery]) -> list[Answer | Refusal]:
        """ln P of an answer of one token to what the user said; what is not listed is refused, never guessed."""
        chat = self.handshake.chat
        questions: list[ServedQuestion] = [("first tokens", query.context) for query in queries]
        found = self._answers(questions, lambda question: chat.first_tokens(str(question[1])))
        return [self._listed(query, likely) for query, likely in zip(queries, found, strict=True)]

    def _listed(self, query: ContinuationQuery, likely: dict[str, float] | list[float] | Refusal) -> Answer | Refusal:
        if isinstance(likely, Refusal):
            return likely
        if isinstance(likely, list):  # made up, while a run is planned
            return as_answer(likely)
        wanted = query.continuation.lstrip()
        if wanted not in likely:
            return Refusal(
                f"{wanted!r} is not among the {len(likely)} likeliest tokens that the endpoint lists; use an endpoint "
                "with log-probabilities of the prompt"
            )
        return Answer(likely[wanted], 1)


class ServedModel(ServedGenerator):
    """A model behind an endpoint that gives the log-probabilities of a text."""

    kind: ClassVar[Literal["causal"]] = "causal"
    framing: Framing = "raw"

    @property
    def route(self) -> Route:
        """How the server is asked."""
        assert self.handshake.route is not None
        return self.handshake.route

    def likelihood(self, queries: Sequence[SentenceQuery]) -> list[Answer | Refusal]:
        """ln P of each sentence after the opening token; in chat framing, as the answer to a request for a sentence."""
        if self.framing == "chat":
            return self.continuations([ContinuationQuery(SENTENCE_REQUEST, query.text) for query in queries])
        questions: list[ServedQuestion] = [("sentence", query.text) for query in queries]
        found = self._answers(questions, lambda question: list(self.route.read(str(question[1])).log_probabilities))
        return [as_answer(scores) for scores in found]

    def continuations(self, queries: Sequence[ContinuationQuery]) -> list[Answer | Refusal]:
        """ln P(continuation | context) of each query; in chat framing, of the answer to what the user said."""
        chat = self.framing == "chat"

        def ask(question: ServedQuestion) -> list[float]:
            return list(self.route.continuation(str(question[2]), str(question[3]), chat=chat))

        whole = [query for query in queries if query.continuation]
        questions: list[ServedQuestion] = [
            ("after", self.framing, query.context, query.continuation) for query in whole
        ]
        found = dict(zip(questions, self._answers(questions, ask), strict=True))
        return [
            as_answer(found["after", self.framing, query.context, query.continuation]) if query.continuation else EMPTY
            for query in queries
        ]


class ServedChatModel(ServedModel):
    """A served model with a chat template: what it scores can be framed as the answer to a user's turn."""

    def framed(self, framing: Framing) -> ServedChatModel:
        """The same endpoint, asked raw or by the chat template."""
        if framing not in ("raw", "chat"):
            raise UsageError(f"framing {framing!r} is not 'raw' or 'chat'")
        if framing == self.framing:
            return self
        other = ServedChatModel(self.handshake, self.asker, name=self.name)
        other.framing = framing
        named = tuple(one for one in self.treatment if one != "chat")
        other.treatment = (*named, "chat") if framing == "chat" else named
        return other

    @property
    def fingerprint(self) -> str:
        """A digest of what the server says and does and, unless it is raw, of the framing."""
        digest = self.asker.identity
        return digest if self.framing == "raw" else digest_of(["framing", self.framing, SENTENCE_REQUEST, digest])
