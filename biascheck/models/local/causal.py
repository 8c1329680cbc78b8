"""Adapters for causal language models of Hugging Face transformers, scored raw or by their chat template."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

from biascheck.core.errors import UsageError
from biascheck.core.progress import progress
from biascheck.core.store import digest_of
from biascheck.models.local.transformers import TransformersModel, vocabulary_of
from biascheck.models.scoring.continuations import SENTENCE_REQUEST, encode_continuations, encode_prompts
from biascheck.models.scoring.encode import encode_sentences
from biascheck.models.scoring.engine import Readout, TorchEngine, evaluating
from biascheck.models.scoring.plan import ScoringPlan, make_plan
from biascheck.models.scoring.prefixes import (
    TreeEngine,
    attention_window,
    row_length,
    share_beginnings,
    why_not_shared,
    without_unread,
)
from biascheck.models.scoring.queries import Answer, ContinuationQuery, Framing, Refusal, SentenceQuery

# Replies of a causal model to a prompt, the most probable token each time.


@dataclass(frozen=True)
class Writer:
    """A model, its tokenizer and the number of tokens that may be in memory at once.

    Generation is greedy, without sampling or penalties, whatever the model's own settings say, so that replies are
    reproducible. It ends with the model's end-of-text token or after ``max_tokens``.
    """

    model: Any
    tokenizer: Any
    pad_token: int
    device: str
    max_length: int | None
    token_budget: int
    decodes_apart: bool = False
    """Whether a separate decoder generates from what an encoder has read."""

    def write(self, prompts: Sequence[tuple[int, ...]], max_tokens: int, *, title: str) -> list[str | Refusal]:
        """The text generated after each prompt, in order."""
        written: dict[tuple[int, ...], str | Refusal] = {}
        fitting = []
        for ids in dict.fromkeys(prompts):
            if self.max_length is not None and len(ids) + max_tokens > self.max_length:
                reason = f"{len(ids)} tokens and {max_tokens} to generate, this model reads at most {self.max_length}"
                written[ids] = Refusal(f"{reason}; shorten the prompt or request fewer tokens")
            else:
                fitting.append(ids)
        with progress(title, total=len(fitting), unit="texts") as advance:
            for batch in self._batches(sorted(fitting, key=len), max_tokens):
                written.update(zip(batch, self._continue(batch, max_tokens), strict=True))
                advance(len(batch))
        return [written[ids] for ids in prompts]

    def _batches(self, prompts: Sequence[tuple[int, ...]], max_tokens: int) -> Iterator[list[tuple[int, ...]]]:
        current: list[tuple[int, ...]] = []
        for ids in prompts:
            if current and (len(current) + 1) * (len(ids) + max_tokens) > self.token_budget:
                yield current
                current = []
            current.append(ids)
        if current:
            yield current

    def _continue(self, prompts: Sequence[tuple[int, ...]], max_tokens: int) -> list[str]:
        import torch
        from transformers import GenerationConfig

        longest = max(map(len, prompts))
        ids = torch.full((len(prompts), longest), self.pad_token)
        attention = torch.zeros_like(ids)
        for row, prompt in enumerate(prompts):
            # a decoder continues from the end of its row, an encoder reads from the beginning
            place = slice(0, len(prompt)) if self.decodes_apart else slice(longest - len(prompt), longest)
            ids[row, place] = torch.tensor(prompt)
            attention[row, place] = 1
        plain = GenerationConfig(
            do_sample=False,
            max_new_tokens=max_tokens,
            pad_token_id=self.pad_token,
            eos_token_id=self._setting("eos_token_id", self.tokenizer.eos_token_id),
            decoder_start_token_id=self._setting("decoder_start_token_id", None),
        )
        with torch.inference_mode(), evaluating(self.model), _by_settings(self.model, plain):
            out = self.model.generate(ids.to(self.device), attention_mask=attention.to(self.device))
        written = out if self.decodes_apart else out[:, longest:]
        return [str(text) for text in self.tokenizer.batch_decode(written, skip_special_tokens=True)]

    def _setting(self, name: str, default: Any) -> Any:
        own = (getattr(self.model, "generation_config", None), self.model.config)
        found = (getattr(one, name, None) for one in own)
        return next((value for value in found if value is not None), default)


@contextmanager
def _by_settings(model: Any, settings: Any) -> Iterator[None]:
    """Generate by these settings alone: transformers takes missing settings from the model's own."""
    before = model.generation_config
    model.generation_config = settings
    try:
        yield
    finally:
        model.generation_config = before


class TransformersCausalModel(TransformersModel):
    """GPT-2, Llama, SmolLM … scored by the likelihood of whole sentences, or of continuations of a context."""

    kind: ClassVar[Literal["causal"]] = "causal"
    engine: ClassVar[type[TorchEngine]] = TreeEngine
    framing: Framing = "raw"

    def plan(self, queries: Sequence[SentenceQuery]) -> ScoringPlan:
        """Estimate the cost of the queries, without answering them."""
        if self.framing == "chat":
            return self.plan_continuations(_requested(queries))
        return self._shared(self._sentence_plan(queries))

    def plan_continuations(self, queries: Sequence[ContinuationQuery]) -> ScoringPlan:
        """Estimate the cost of scoring the continuations, without scoring them."""
        return self._shared(self._continuation_plan(queries))

    def likelihood(self, queries: Sequence[SentenceQuery]) -> list[Answer | Refusal]:
        """ln P of each sentence after the opening token; in chat framing, as the answer to a request for a sentence."""
        if self.framing == "chat":
            return self.continuations(_requested(queries))
        return self._answered(self._sentence_plan(queries))

    def continuations(self, queries: Sequence[ContinuationQuery]) -> list[Answer | Refusal]:
        """ln P(continuation | context) of each query; in chat framing, as the answer to the user's turn."""
        return self._answered(self._continuation_plan(queries))

    def generate(self, prompts: Sequence[str], *, max_tokens: int) -> list[str | Refusal]:
        """The text generated after each prompt; in chat framing, the answer to the user's turn."""
        if max_tokens < 1:
            raise UsageError(f"max_tokens is {max_tokens}; request at least one token")
        writer = Writer(
            self.torch_model, self.tokenizer, self._pad_token, self.device, self.max_length, self.token_budget
        )
        encoded = list(encode_prompts(prompts, self.tokenizer, framing=self.framing))
        return writer.write(encoded, max_tokens, title=self.name)

    @property
    def about(self) -> dict[str, str]:
        """A description of the model for readers of its results; loads it."""
        return {**super().about, "framing": self.framing}

    def _sentence_plan(self, queries: Sequence[SentenceQuery]) -> ScoringPlan:
        encoded = encode_sentences(queries, self.tokenizer, max_length=self.max_length)
        return make_plan(without_unread(encoded), self._budget)

    def _continuation_plan(self, queries: Sequence[ContinuationQuery]) -> ScoringPlan:
        encoded = encode_continuations(queries, self.tokenizer, framing=self.framing, max_length=self.max_length)
        return make_plan(without_unread(encoded), self._budget)

    def _run(self, plan: ScoringPlan, *, readout: Readout) -> list[Answer | Refusal]:
        return super()._run(self._shared(plan), readout=readout)

    def _shared(self, plan: ScoringPlan) -> ScoringPlan:
        """The plan with shared prefixes run once, if this model allows that."""
        if len(plan.inputs) < 2:
            return plan
        longest = max(map(len, plan.inputs))
        window = attention_window(self.outline)
        if window is not None and window < longest:
            return replace(plan, unshared=f"a layer sees {window} tokens, and a text has {longest}")
        if self._why_not_shared:
            return replace(plan, unshared=self._why_not_shared)
        length = row_length(longest, self._budget, (self.max_length, window))
        return share_beginnings(plan, self._budget, length)

    @cached_property
    def _why_not_shared(self) -> str:
        known = min(len(self.tokenizer), vocabulary_of(self.outline, default=len(self.tokenizer)))
        return why_not_shared(self._placed(), self.outline, known)


class TransformersChatModel(TransformersCausalModel):
    """A causal model with a chat template: it can score text as the answer to a user's turn."""

    def framed(self, framing: Framing) -> TransformersChatModel:
        """The same weights, prompted raw or by the chat template."""
        if framing not in ("raw", "chat"):
            raise UsageError(f"framing {framing!r} is not 'raw' or 'chat'")
        if framing == self.framing:
            return self
        other = TransformersChatModel(
            self._shared_pair,
            name=self.name,
            fingerprint=lambda: self.pair_fingerprint,
            device=self.device,
            token_budget=self.token_budget,
        )
        other.framing = framing
        other.reference = self.reference
        other.sketch = None if self.sketch is None else lambda: (self.outline, self.tokenizer)
        named = tuple(one for one in self.treatment if one != "chat")
        other.treatment = (*named, "chat") if framing == "chat" else named
        return other

    @property
    def fingerprint(self) -> str:
        """A digest of weights, tokenizer, precision and, unless it is raw, the framing."""
        digest = self.pair_fingerprint.digest
        return digest if self.framing == "raw" else digest_of(["framing", self.framing, SENTENCE_REQUEST, digest])

    def _shared_pair(self) -> tuple[Any, Any]:
        return self.torch_model, self.tokenizer


def _requested(queries: Sequence[SentenceQuery]) -> list[ContinuationQuery]:
    return [ContinuationQuery(SENTENCE_REQUEST, query.text) for query in queries]
