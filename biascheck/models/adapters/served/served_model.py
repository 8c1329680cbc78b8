"""Adapters for models behind an endpoint: one that scores text, and one that only generates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from biascheck.models.adapters.served.asking import Asker, Question, answered, as_answer
from biascheck.models.adapters.served.handshake import Handshake
from biascheck.models.adapters.served.routes import Route
from biascheck.models.scoring.queries import Answer, Refusal, SentenceQuery

__all__ = ["ServedGenerator", "ServedModel"]


class ServedGenerator:
    """A model behind an endpoint that gives text and no log-probabilities of ours."""

    def __init__(self, handshake: Handshake, asker: Asker, *, name: str) -> None:
        self.name = name
        self.handshake = handshake
        self.treatment: tuple[str, ...] = ()
        self._asker = asker

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @property
    def fingerprint(self) -> str:
        """A digest of what the server says of itself and of what it makes of a few sentences."""
        return self._asker.identity

    @property
    def about(self) -> dict[str, str]:
        """The model in words for a reader of its results."""
        route = self.handshake.route
        how = {"scored by": route.name, "opening token": route.opening} if route is not None else {}
        return {**self.handshake.facts.in_words, **how, "endpoint gives": ", ".join(self.handshake.abilities)}

    def generate(self, prompts: Sequence[str], *, max_tokens: int = 64) -> list[str]:
        """What the model answers to each prompt, as one turn of the user; always the likeliest token."""
        questions: list[Question] = [("generate", prompt, max_tokens) for prompt in prompts]
        chat = self.handshake.chat
        return self._asker.answers(questions, lambda question: chat.generate(str(question[1]), max_tokens))


class ServedModel(ServedGenerator):
    """A model behind an endpoint that gives the log-probabilities of a text."""

    kind: ClassVar[Literal["causal"]] = "causal"

    @property
    def _route(self) -> Route:
        assert self.handshake.route is not None
        return self.handshake.route

    def likelihood(self, queries: Sequence[SentenceQuery]) -> list[Answer | Refusal]:
        """ln P of each sentence after the opening token."""
        return self._scored([("sentence", query.text) for query in queries])

    def _scored(self, questions: Sequence[Question]) -> list[Answer | Refusal]:
        found = self._asker.answers(questions, self._figures)
        return [as_answer(figures) for figures in found]

    def _figures(self, question: Question) -> list[float] | Refusal:
        _, text = question
        return answered(lambda: list(self._route.read(str(text)).log_probabilities), self.name)
