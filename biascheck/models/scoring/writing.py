"""What a causal model writes after a prompt, the most probable token each time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from biascheck.cache.progress import progress
from biascheck.models.scoring.engine import evaluating
from biascheck.models.scoring.queries import Refusal

__all__ = ["Writer"]


@dataclass(frozen=True)
class Writer:
    """A model, its tokenizer and how many tokens may be in memory at once.

    Writing is greedy, without sampling or penalties, whatever the model's own settings say, so that a reply can be
    obtained again. It ends with the model's end-of-text token or after ``max_tokens``.
    """

    model: Any
    tokenizer: Any
    pad_token: int
    device: str
    max_length: int | None
    token_budget: int
    decodes_apart: bool = False
    """Whether a decoder of its own writes what an encoder has read."""

    def write(self, prompts: Sequence[tuple[int, ...]], max_tokens: int, *, title: str) -> list[str | Refusal]:
        """The text written after each prompt, in order."""
        written: dict[tuple[int, ...], str | Refusal] = {}
        fitting = []
        for ids in dict.fromkeys(prompts):
            if self.max_length is not None and len(ids) + max_tokens > self.max_length:
                reason = f"{len(ids)} tokens and {max_tokens} to write, and this model reads at most {self.max_length}"
                written[ids] = Refusal(f"{reason}; shorten the prompt or ask for fewer tokens")
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
            # a decoder writes on from the end of its row, an encoder reads from the beginning
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
    """Generate by these settings alone: transformers fills what a call leaves out from the model's own."""
    before = model.generation_config
    model.generation_config = settings
    try:
        yield
    finally:
        model.generation_config = before
