"""Adapters for causal language models of Hugging Face transformers, scored raw or by their chat template."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from biascheck.cache.document_cache import digest_of
from biascheck.errors import UsageError
from biascheck.models.adapters.transformers import TransformersModel
from biascheck.models.scoring.continuation_encoding import SENTENCE_REQUEST, encode_continuations
from biascheck.models.scoring.encoding import encode_sentences
from biascheck.models.scoring.engine import execute
from biascheck.models.scoring.plan import ScoringPlan, make_plan
from biascheck.models.scoring.queries import Answer, ContinuationQuery, Framing, Refusal, SentenceQuery

__all__ = ["TransformersCausalModel", "TransformersChatModel"]


class TransformersCausalModel(TransformersModel):
    """GPT-2, Llama, SmolLM … scored by the likelihood of whole sentences, or of continuations of a context."""

    kind: ClassVar[Literal["causal"]] = "causal"
    framing: Framing = "raw"

    def plan(self, queries: Sequence[SentenceQuery]) -> ScoringPlan:
        """Say what answering the queries will cost, without answering them."""
        if self.framing == "chat":
            return self.plan_continuations([ContinuationQuery(SENTENCE_REQUEST, query.text) for query in queries])
        return make_plan(encode_sentences(queries, self.tokenizer, max_length=self.max_length), self._budget)

    def plan_continuations(self, queries: Sequence[ContinuationQuery]) -> ScoringPlan:
        """Say what scoring the continuations will cost, without scoring them."""
        encoded = encode_continuations(queries, self.tokenizer, framing=self.framing, max_length=self.max_length)
        return make_plan(encoded, self._budget)

    def likelihood(self, queries: Sequence[SentenceQuery]) -> list[Answer | Refusal]:
        """ln P of each sentence after the opening token; in chat framing, as the answer to a request for a sentence."""
        return execute(self.plan(queries), self._engine, title=self.name)

    def continuations(self, queries: Sequence[ContinuationQuery]) -> list[Answer | Refusal]:
        """ln P(continuation | context) of each query; in chat framing, of the answer to what the user said."""
        return execute(self.plan_continuations(queries), self._engine, title=self.name)


class TransformersChatModel(TransformersCausalModel):
    """A causal model with a chat template: what it scores can be framed as the answer to a user's turn."""

    def framed(self, framing: Framing) -> TransformersChatModel:
        """The same weights, asked raw or by the chat template."""
        if framing not in ("raw", "chat"):
            raise UsageError(f"framing {framing!r} is not 'raw' or 'chat'")
        if framing == self.framing:
            return self
        other = TransformersChatModel(
            self._shared_pair,
            name=self.name,
            prints=lambda: self.prints,
            device=self.device,
            token_budget=self.token_budget,
        )
        other.framing = framing
        named = tuple(one for one in self.treatment if one != "chat")
        other.treatment = (*named, "chat") if framing == "chat" else named
        return other

    @property
    def fingerprint(self) -> str:
        """A digest of weights, tokenizer, precision and, unless it is raw, the framing."""
        digest = self.prints.digest
        return digest if self.framing == "raw" else digest_of(["framing", self.framing, SENTENCE_REQUEST, digest])

    def _shared_pair(self) -> tuple[Any, Any]:
        return self.torch_model, self.tokenizer
