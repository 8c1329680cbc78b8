"""Documents as a task for the training loop: inputs, what is hidden in them, and the loss of restoring it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from biascheck.corpora.documents import Documents
from biascheck.corpora.rewriting.rewriter import Rewriter
from biascheck.corpora.rewriting.terms import gender_terms
from biascheck.corpora.words import sentences_of
from biascheck.debias.batching import batches_by_length
from biascheck.debias.corruption import IGNORED, corrupt, cut_windows, mask_for_training, pad
from biascheck.debias.recipes import LanguageRecipe
from biascheck.debias.validation import summed_score
from biascheck.errors import UsageError
from biascheck.models.adapters.transformers import TransformersModel
from biascheck.models.capabilities import require_capability, scores_text
from biascheck.models.scoring.engine import logits_at, padded
from biascheck.models.scoring.windows import Window, read_through

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LanguageExample", "LanguageTask", "examples_of"]

FITTED, HELD_OUT = 0, 1
LARGEST = 32


@dataclass(frozen=True, slots=True)
class LanguageExample:
    """What the model reads at once; ``pronouns`` are the positions to restore, where only these are."""

    ids: tuple[int, ...]
    pronouns: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SeededBatch:
    """A batch, and where the randomness of its masks begins."""

    examples: tuple[LanguageExample, ...]
    seed: tuple[int, ...]


@dataclass(frozen=True)
class LanguageTask:
    """Restore hidden pieces, hidden pronouns, or the next piece."""

    fitted: tuple[LanguageExample, ...]
    held_out: tuple[LanguageExample, ...]
    recipe: LanguageRecipe
    tokenizer: Any
    causal: bool
    device: str

    @classmethod
    def of(
        cls, fitted: Documents, held_out: Documents | None, recipe: LanguageRecipe, base: TransformersModel
    ) -> LanguageTask:
        """Encode both parts for a base model, where there are two; a part without a single input is refused."""
        causal = scores_text(base)
        if recipe.objective == "pronouns":
            require_capability(base, ("fills masks",), "objective='pronouns', unlike 'language',")
        trained_on = _encoded(fitted, recipe, base.tokenizer)
        aside = () if held_out is None else _encoded(held_out, recipe, base.tokenizer)
        return cls(trained_on, aside, recipe, base.tokenizer, causal, base.device)

    def batches(self, epoch: int) -> list[SeededBatch]:
        """All inputs in a new order, each batch with masks of its own."""
        lengths = [len(example.ids) for example in self.fitted]
        found = batches_by_length(lengths, self.recipe.batch, seed=self.recipe.seed, epoch=epoch)
        return [
            SeededBatch(tuple(self.fitted[index] for index in members), (self.recipe.seed, FITTED, epoch, number))
            for number, members in enumerate(found)
        ]

    def loss(self, model: Any, batch: SeededBatch) -> Any:
        """Mean of −ln P of what was hidden."""
        import torch

        logits, labels = self._restored(model, batch)
        return torch.nn.functional.cross_entropy(logits, labels)

    def validate(self, model: Any) -> float:
        """The loss or the error over the part kept aside, with the same masks at every call; lower is better.

        It is 0 after every epoch where nothing is kept aside.
        """
        examples = sorted(self.held_out, key=lambda example: len(example.ids))
        total, count = 0.0, 0
        for at in range(0, len(examples), LARGEST):
            drawn = SeededBatch(tuple(examples[at : at + LARGEST]), (self.recipe.seed, HELD_OUT, at))
            logits, labels = self._restored(model, drawn)
            total += summed_score(logits, labels, self.recipe)
            count += len(labels)
        return total / count if count else 0.0

    def _restored(self, model: Any, batch: SeededBatch) -> tuple[Any, Any]:
        """Logits at the positions to restore, and what stood there."""
        import torch

        inputs, labels = self._hidden(batch)
        rows, columns = np.nonzero(labels != IGNORED)
        lengths = [len(example.ids) for example in batch.examples]
        ready = padded(
            [row[:length].tolist() for row, length in zip(inputs, lengths, strict=True)],
            pad=self.tokenizer.pad_token_id or 0,
            device=self.device,
        )
        places = (torch.from_numpy(indices).to(self.device) for indices in (rows, columns))
        return logits_at(model, ready, *places), torch.from_numpy(labels[rows, columns]).to(self.device)

    def _hidden(self, batch: SeededBatch) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        ids = pad([example.ids for example in batch.examples], self.tokenizer.pad_token_id or 0)
        if self.causal:
            return ids, _next_pieces(ids, batch.examples)
        rng = np.random.default_rng(batch.seed)
        if self.recipe.objective == "pronouns":
            chosen = np.zeros(ids.shape, dtype=np.bool_)
            for row, example in enumerate(batch.examples):
                chosen[row, list(example.pronouns)] = True
            return corrupt(ids, chosen, self.tokenizer, rng, "mask"), np.where(chosen, ids, IGNORED)
        share = self.recipe.masked
        inputs, labels = mask_for_training(ids, self.tokenizer, share, rng)
        while not (labels != IGNORED).any():  # a short sentence of which nothing was drawn has no loss
            share = min(1.0, 2 * share)
            inputs, labels = mask_for_training(ids, self.tokenizer, share, rng)
        return inputs, labels


def _encoded(part: Documents, recipe: LanguageRecipe, tokenizer: Any) -> tuple[LanguageExample, ...]:
    examples = examples_of(part, recipe, tokenizer)
    if not examples:
        wanted = "gendered pronoun" if recipe.objective == "pronouns" else "sentence"
        raise UsageError(f"{part.name}: not one {wanted} to train on or to validate with; give more text")
    return examples


def examples_of(documents: Documents, recipe: LanguageRecipe, tokenizer: Any) -> tuple[LanguageExample, ...]:
    """The inputs that documents give by a recipe."""
    if recipe.unit == "windows" and recipe.objective == "language":
        rng = np.random.default_rng([recipe.seed, 3])
        return tuple(LanguageExample(tuple(ids)) for ids in cut_windows(documents.texts, tokenizer, recipe.pieces, rng))
    sentences = list(chain.from_iterable(sentences_of(text) for text in documents.texts))
    if recipe.objective == "pronouns":
        return tuple(_with_pronouns(sentences, recipe, tokenizer))
    inputs = read_through(Window(recipe.pieces), sentences, tokenizer)
    return tuple(LanguageExample(ids) for ids in inputs if len(ids) > 2)


def _with_pronouns(sentences: Sequence[str], recipe: LanguageRecipe, tokenizer: Any) -> Iterator[LanguageExample]:
    finder = _pronoun_finder()
    kept = [sentence for sentence in sentences if finder.find(sentence)]
    if not kept:
        return
    encoded = tokenizer(kept, truncation=True, max_length=recipe.pieces, return_offsets_mapping=True)
    for sentence, ids, offsets in zip(kept, encoded["input_ids"], encoded["offset_mapping"], strict=True):
        spans = finder.find(sentence)
        positions = tuple(
            n for n, (a, b) in enumerate(offsets) if a < b and any(s.start < b and a < s.end for s in spans)
        )
        if positions:
            yield LanguageExample(tuple(ids), positions)


@cache
def _pronoun_finder() -> Rewriter:
    return Rewriter(gender_terms("pro"))


def _next_pieces(ids: NDArray[np.int64], examples: Sequence[LanguageExample]) -> NDArray[np.int64]:
    labels = np.full(ids.shape, IGNORED, dtype=np.int64)
    for row, example in enumerate(examples):
        last = len(example.ids) - 1
        labels[row, :last] = ids[row, 1 : last + 1]
    return labels
