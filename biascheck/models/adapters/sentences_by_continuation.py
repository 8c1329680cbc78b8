"""Whole sentences from a model that scores continuations only: a sentence is what follows nothing, or a request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from biascheck.models.capabilities import ContinuationModel, capabilities_of, scores_continuations
from biascheck.models.scoring.continuation_encoding import SENTENCE_REQUEST
from biascheck.models.scoring.queries import Answer, ContinuationQuery, Refusal, SentenceQuery

__all__ = ["SentencesByContinuation", "with_sentences"]


class SentencesByContinuation:
    """A model asked for ``ln P(sentence | "")``; in chat framing, for the sentence as the answer to a request."""

    def __init__(self, model: ContinuationModel) -> None:
        self.model = model

    def __repr__(self) -> str:
        return f"sentences({self.model!r})"

    def __getattr__(self, name: str) -> Any:
        if name == "model":  # a copy under construction has none yet
            raise AttributeError(name)
        return getattr(self.model, name)  # name, fingerprint, treatment, framing … are those of the model inside

    def likelihood(self, queries: Sequence[SentenceQuery]) -> list[Answer | Refusal]:
        """ln P of each sentence."""
        context = SENTENCE_REQUEST if getattr(self.model, "framing", "raw") == "chat" else ""
        return self.model.continuations([ContinuationQuery(context, query.text) for query in queries])


def with_sentences(model: Any, needs: Sequence[str]) -> Any:
    """The model, able to score whole sentences where that is needed and continuations are all that it scores."""
    found = capabilities_of(model)
    if "scores text" in needs and not found & set(needs) and scores_continuations(model):
        return SentencesByContinuation(model)
    return model
