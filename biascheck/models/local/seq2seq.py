"""Encoder-decoder models of Hugging Face transformers (T5, BART): the context is encoded, the continuation decoded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import takewhile
from typing import ClassVar, Literal

from biascheck.core.errors import ScoreError, UsageError
from biascheck.core.progress import progress
from biascheck.models.local.causal import Writer
from biascheck.models.local.transformers import TransformersModel, refuse_constant
from biascheck.models.scoring.continuations import EMPTY
from biascheck.models.scoring.cost import active_estimate
from biascheck.models.scoring.encode import tokenise
from biascheck.models.scoring.engine import evaluating, padded
from biascheck.models.scoring.queries import Answer, ContinuationQuery, Refusal


@dataclass(frozen=True, slots=True)
class _Exchange:
    """What the encoder reads, what the decoder has said before, and the tokens that are scored."""

    read: tuple[int, ...]
    said: tuple[int, ...]
    tokens: tuple[int, ...]

    @property
    def decoded(self) -> tuple[int, ...]:
        return (*self.said, *self.tokens[:-1])

    def __len__(self) -> int:
        return max(len(self.read), len(self.said) + len(self.tokens))


class TransformersSeq2SeqModel(TransformersModel):
    """T5, BART and their kin: ln P(continuation | context), and what they write for a prompt.

    The continuation is tokenised by itself, as the target that the model was trained to write: there is no token that
    it could share with the context. Hidden states are those of two towers and are not offered.
    """

    kind: ClassVar[Literal["seq2seq"]] = "seq2seq"
    as_encoder: ClassVar[None] = None  # type: ignore[assignment]

    def continuations(self, queries: Sequence[ContinuationQuery]) -> list[Answer | Refusal]:
        """ln P of each continuation, written by the decoder for its context."""
        asked = list(self._encoded(queries))
        distinct = sorted({one for one in asked if isinstance(one, _Exchange)}, key=lambda one: (len(one), one.read))
        scores: dict[_Exchange, float] = {}
        if (estimate := active_estimate()) is not None:
            estimate.add(self.name, inputs=len(distinct), tokens=sum(map(len, distinct)), seconds=0.0)
            return [one if isinstance(one, Refusal) else Answer(-float(len(one)), len(one.tokens)) for one in asked]
        with progress(self.name, total=len(distinct), unit="texts") as advance:
            for batch in self._batches(distinct):
                scores.update(zip(batch, self._scores(batch), strict=True))
                advance(len(batch))
        return [one if isinstance(one, Refusal) else Answer(scores[one], len(one.tokens)) for one in asked]

    def generate(self, prompts: Sequence[str], *, max_tokens: int) -> list[str | Refusal]:
        """What the decoder writes for each prompt."""
        if max_tokens < 1:
            raise UsageError(f"max_tokens is {max_tokens}; ask for at least one token")
        writer = Writer(
            self.torch_model, self.tokenizer, self._pad_token, self.device, None, self.token_budget, decodes_apart=True
        )
        encoded = [tuple(one.ids) for one in tokenise(prompts, self.tokenizer)]
        return writer.write(encoded, max_tokens, title=self.name)

    def _encoded(self, queries: Sequence[ContinuationQuery]) -> Iterator[_Exchange | Refusal]:
        start = self._start_token
        contexts = tokenise((query.context for query in queries), self.tokenizer)
        targets = tokenise((query.continuation.strip() for query in queries), self.tokenizer)
        for context, target in zip(contexts, targets, strict=True):
            tokens = tuple(token for token, special in zip(target.ids, target.special, strict=True) if not special)
            opening = target.ids[: sum(1 for _ in takewhile(bool, target.special))] if tokens else []
            one = _Exchange(tuple(context.ids), (start, *opening), tokens)
            if not tokens:
                yield EMPTY
            elif self.max_length is not None and len(one) > self.max_length:
                yield Refusal(f"{len(one)} tokens, and this model reads at most {self.max_length}; shorten the text")
            else:
                yield one

    @property
    def _start_token(self) -> int:
        settings = (getattr(self.torch_model, "generation_config", None), self.torch_model.config)
        found = (getattr(one, "decoder_start_token_id", None) for one in settings)
        return next((token for token in found if token is not None), self._pad_token)

    @cached_property
    def _tried(self) -> bool:
        """A trial with one text, once for each model: does it run, and tell one token from another?"""
        start = padded([[self._start_token]], pad=self._pad_token, device=self.device)["input_ids"]
        run = partial(self.torch_model, **self._trial_input(), decoder_input_ids=start)
        refuse_constant(self.name, self.torch_model, lambda: run().logits)
        return True

    def _batches(self, exchanges: Sequence[_Exchange]) -> Iterator[list[_Exchange]]:
        current: list[_Exchange] = []
        for one in exchanges:
            if current and (len(current) + 1) * len(one) > self.token_budget:
                yield current
                current = []
            current.append(one)
        if current:
            yield current

    def _scores(self, batch: Sequence[_Exchange]) -> list[float]:
        import torch

        _ = self._tried
        read = padded([one.read for one in batch], pad=self._pad_token, device=self.device)
        said = padded([one.decoded for one in batch], pad=self._pad_token, device=self.device)
        with torch.inference_mode(), evaluating(self.torch_model):
            logits = self.torch_model(**read, decoder_input_ids=said["input_ids"]).logits.float()
        found = []
        for row, one in enumerate(batch):
            first = len(one.said) - 1
            places = logits[row, first : first + len(one.tokens)]
            chosen = places[torch.arange(len(one.tokens)), torch.tensor(one.tokens, device=self.device)]
            found.append(float((chosen - places.logsumexp(dim=-1)).double().sum()))
        if any(score != score for score in found):
            raise ScoreError(f"{self.name}: a log-probability is not a number; the weights are damaged")
        return found
