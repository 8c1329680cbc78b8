"""Models with given probabilities, so that a test knows the answer in advance.

``is_fake`` marks them: they skip the readability check.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from math import inf, log
from typing import Any, ClassVar
from uuid import uuid4

from biascheck.core.errors import UsageError
from biascheck.models.scoring.queries import (
    Answer,
    ContinuationQuery,
    Framing,
    MaskedQuery,
    Masking,
    MultiToken,
    Refusal,
    SentenceQuery,
    State,
    WordQuery,
)

MASK = "[MASK]"


class TableModel:
    """A masked model that looks up every probability in a table.

    ``probabilities`` maps a word that may occur in the sentence (a profession) to the probability of each
    target, in lower case; ``prior`` applies if none of these words is visible, because it is masked or
    because the table does not contain it::

        TableModel({"nurse": {"he": 0.2, "she": 0.8}}, prior={"he": 0.5, "she": 0.5})
    """

    is_fake: ClassVar[bool] = True

    def __init__(
        self,
        probabilities: Mapping[str, Mapping[str, float]],
        prior: Mapping[str, float],
        *,
        name: str = "table",
    ) -> None:
        self._probabilities = probabilities
        self._prior = prior
        self.name = name
        self.asked: list[MaskedQuery] = []

    @property
    def fingerprint(self) -> str:
        """A digest of the table, in its order: if two of its words are visible, the first counts."""
        rows = [(word, sorted(row.items())) for word, row in self._probabilities.items()]
        return hashlib.sha256(repr((rows, sorted(self._prior.items()))).encode()).hexdigest()

    def fill(
        self,
        queries: Sequence[MaskedQuery],
        *,
        masking: Masking = Masking(),  # noqa: ARG002, B008 - the table has no tokens
        multi_token: MultiToken = "joint",  # noqa: ARG002
    ) -> list[Answer | Refusal]:
        """Look up each target under the visible word."""
        self.asked.extend(queries)
        return [self._look_up(query) for query in queries]

    def _look_up(self, query: MaskedQuery) -> Answer | Refusal:
        target = query.target.of(query.text).lower()
        context = _masked(query)
        row = next((row for word, row in self._probabilities.items() if word in context), self._prior)
        if target not in row:
            return Refusal(f"{target!r} is not in this model's vocabulary; choose another word or drop it")
        return Answer(log(row[target]) if row[target] > 0 else -inf, 1)


def _masked(query: MaskedQuery) -> str:
    """The text with its target and everything hidden masked, from the right so that offsets stay valid."""
    text = query.text
    for span in sorted((query.target, *query.hidden), reverse=True):
        text = text[: span.start] + MASK + text[span.end :]
    return text


class SentenceTable:
    """A causal model that looks up the log-probability of every sentence, or computes it with a function."""

    is_fake: ClassVar[bool] = True

    def __init__(
        self, log_probability: Mapping[str, float] | Callable[[str], float], *, name: str = "sentences"
    ) -> None:
        self._function = log_probability if callable(log_probability) else log_probability.__getitem__
        self._identity = uuid4().hex if callable(log_probability) else repr(sorted(log_probability.items()))
        self.name = name
        self.asked: list[SentenceQuery] = []

    @property
    def fingerprint(self) -> str:
        """A digest of the table; a function has none, so each model made from one gets its own."""
        return hashlib.sha256(self._identity.encode()).hexdigest()

    def likelihood(self, queries: Sequence[SentenceQuery]) -> list[Answer | Refusal]:
        """Look up each sentence."""
        self.asked.extend(queries)
        try:
            return [Answer(self._function(query.text), len(query.text.split())) for query in queries]
        except KeyError as error:
            raise UsageError(f"the sentence table has no entry {error}; add it or pass a function") from error


class ContinuationTable:
    """A model that looks up ln P(continuation | context) by the two texts, or computes it with a function.

    ``None`` refuses. Given another table for chat framing, ``framed("chat")`` answers from that one::

        ContinuationTable({("Answer:", " yes"): log(0.8), ("Answer:", " no"): log(0.2)})
    """

    is_fake: ClassVar[bool] = True

    def __init__(
        self,
        log_probability: Mapping[tuple[str, str], float] | Callable[[str, str], float | None],
        *,
        chat: Mapping[tuple[str, str], float] | Callable[[str, str], float | None] | None = None,
        name: str = "continuations",
    ) -> None:
        self._tables = {"raw": log_probability, "chat": log_probability if chat is None else chat}
        self._identity = _identity(log_probability), _identity(chat)
        self.name = name
        self.framing: Framing = "raw"
        self.treatment: tuple[str, ...] = ()
        self.asked: list[ContinuationQuery] = []

    @property
    def fingerprint(self) -> str:
        """A digest of the tables and the framing; a function has none, so each model made from one gets its own."""
        return hashlib.sha256(repr((self._identity, self.framing)).encode()).hexdigest()

    def framed(self, framing: Framing) -> ContinuationTable:
        """The same tables in this framing."""
        other = copy(self)
        other.framing = framing
        other.treatment = ("chat",) if framing == "chat" else ()
        return other

    def continuations(self, queries: Sequence[ContinuationQuery]) -> list[Answer | Refusal]:
        """Look up each continuation."""
        self.asked.extend(queries)
        return [self._answer(query) for query in queries]

    def _answer(self, query: ContinuationQuery) -> Answer | Refusal:
        table = self._tables[self.framing]
        where = (query.context, query.continuation)
        found = table(*where) if callable(table) else table.get(where)
        if found is None:
            return Refusal(f"{query.continuation!r} is not in this model's table; add it or drop it")
        return Answer(found, max(1, len(query.continuation.split())))


def _identity(table: object) -> str:
    return repr(sorted(table.items())) if isinstance(table, Mapping) else uuid4().hex


class ReplyTable:
    """A generator that looks up every reply by its prompt, or computes it with a function; ``None`` refuses."""

    is_fake: ClassVar[bool] = True

    def __init__(self, replies: Mapping[str, str] | Callable[[str], str | None], *, name: str = "replies") -> None:
        self._function = replies if callable(replies) else replies.get
        self.fingerprint = hashlib.sha256(_identity(replies).encode()).hexdigest()
        self.name = name
        self.asked: list[str] = []

    def generate(self, prompts: Sequence[str], *, max_tokens: int) -> list[str | Refusal]:
        """Look up each reply; the first ``max_tokens`` words of it."""
        self.asked.extend(prompts)
        return [self._reply(prompt, max_tokens) for prompt in prompts]

    def _reply(self, prompt: str, max_tokens: int) -> str | Refusal:
        found = self._function(prompt)
        if found is None:
            return Refusal(f"there is no reply to {prompt!r}; add one")
        return " ".join(found.split(" ")[:max_tokens])


class FunctionEncoder:
    """An encoder whose vectors a function computes, from the word as it is written and its text; ``None`` refuses."""

    is_fake: ClassVar[bool] = True
    can_mask = False

    def __init__(self, vector: Callable[[str, str], Any], *, name: str = "function") -> None:
        self._vector = vector
        self.name = name
        self.fingerprint = uuid4().hex
        self.asked: list[WordQuery] = []

    def words(self, queries: Sequence[WordQuery]) -> list[State | Refusal]:
        """Compute the vector of each word."""
        self.asked.extend(queries)
        return [self._state(query.word, query.text) for query in queries]

    def sentences(self, texts: Sequence[str]) -> list[State | Refusal]:
        """Compute the vector of each text, which is passed as its own word."""
        return [self._state(text, text) for text in texts]

    def _state(self, word: str, text: str) -> State | Refusal:
        import numpy as np  # importing biascheck.testing stays cheap

        vector = self._vector(word, text)
        if vector is None:
            return Refusal(f"{word!r} has no vector in this function; leave it out")
        return State(np.asarray(vector, dtype=np.float32), 1)
