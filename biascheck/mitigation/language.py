"""Language models trained further on treated text: inputs, hidden tokens, and the checkpoints that result."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass
from functools import cache, partial
from itertools import chain, takewhile
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from biascheck.core.errors import UsageError
from biascheck.corpora.documents import Documents
from biascheck.corpora.rewriting.counterfactual import Changes, Counterfactual, counterfactual
from biascheck.corpora.rewriting.names import NameMap, first_names
from biascheck.corpora.rewriting.rewriter import Rewriter
from biascheck.corpora.rewriting.terms import gender_terms
from biascheck.corpora.sentence import sentences_of
from biascheck.mitigation.checkpoints import fetch_checkpoint, with_adapter, write_checkpoint
from biascheck.mitigation.recipes import LanguageRecipe, recipe_named
from biascheck.mitigation.training import History, batches_by_length, freeze, summed_score, train, validation_name
from biascheck.models.base import fills_masks, require_capability, scores_text
from biascheck.models.local.causal import TransformersCausalModel
from biascheck.models.local.classifier import Window, read_through
from biascheck.models.local.loader import load
from biascheck.models.local.transformers import TransformersMaskedModel, TransformersModel
from biascheck.models.scoring.engine import logits_at, padded

if TYPE_CHECKING:
    from numpy.typing import NDArray


# Text for masked language modelling: windows, and the tokens of them that are masked.
#
# Every draw takes a generator, so that a window and its mask can be reproduced.

TokenWindow = list[int]
Corruption = Literal["mask", "bert"]
IGNORED = -100
SHORTEST = 8


def cut_windows(texts: Sequence[str], tokenizer: Any, longest: int, rng: np.random.Generator) -> list[TokenWindow]:
    """Cut every text into windows of at most ``longest`` tokens, including those that open and close it.

    A text that fits stays whole. A longer one is cut at random lengths from half to the full window, so that
    windows of all sources share batches of equal length and no step is spent on padding.
    """
    windows: list[TokenWindow] = []
    opening, closing = _ends(tokenizer)
    room = longest - len(opening) - len(closing)
    for pieces in tokenizer(list(texts), add_special_tokens=False, verbose=False)["input_ids"]:
        start = 0
        while len(pieces) - start >= SHORTEST:
            length = room if len(pieces) - start <= room else int(rng.integers(room // 2, room + 1))
            windows.append([*opening, *pieces[start : start + length], *closing])
            start += length
    return windows


def pad(windows: Sequence[Sequence[int]], filler: int) -> NDArray[np.int64]:
    """Stack windows as rows of one array, filled on the right."""
    width = max(map(len, windows))
    return np.array([[*window, *[filler] * (width - len(window))] for window in windows], dtype=np.int64)


def mask_for_training(
    ids: NDArray[np.int64], tokenizer: Any, share: float, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Choose ordinary tokens with probability ``share`` and corrupt them; return the input and the labels."""
    special = [tokenizer.cls_token_id, tokenizer.sep_token_id, tokenizer.pad_token_id]
    ordinary = ~np.isin(ids, [token for token in special if token is not None])
    chosen = ordinary & (rng.random(ids.shape) < share)
    return corrupt(ids, chosen, tokenizer, rng, "bert"), np.where(chosen, ids, IGNORED)


def corrupt(
    ids: NDArray[np.int64],
    chosen: NDArray[np.bool_],
    tokenizer: Any,
    rng: np.random.Generator,
    corruption: Corruption,
) -> NDArray[np.int64]:
    """Mask the chosen tokens: all of them, or 80 % masked, 10 % replaced by a random token, 10 % unchanged."""
    if corruption == "mask":
        return np.where(chosen, tokenizer.mask_token_id, ids)
    fate = rng.random(ids.shape)
    # BERT's vocabulary begins with a thousand special, unused and one-letter tokens.
    foreign = rng.integers(min(1000, len(tokenizer) // 2), len(tokenizer), ids.shape)
    masked = np.where(chosen & (fate < 0.8), tokenizer.mask_token_id, ids)
    return np.where(chosen & (fate >= 0.9), foreign, masked)


def _ends(tokenizer: Any) -> tuple[list[int], list[int]]:
    """The special tokens that this tokenizer puts before and after a text."""
    found = tokenizer("a", return_special_tokens_mask=True)
    ids, special = found["input_ids"], found["special_tokens_mask"]
    opening = sum(1 for _ in takewhile(bool, special))
    closing = sum(1 for _ in takewhile(bool, reversed(special)))
    return ids[:opening], ids[len(ids) - closing :]


# Documents as a task for the training loop: inputs, what is masked in them, and the loss of restoring it.

FITTED, HELD_OUT = 0, 1
LARGEST = 32


@dataclass(frozen=True, slots=True)
class LanguageExample:
    """One input of the model; ``pronouns`` are the positions to restore, if only these are."""

    ids: tuple[int, ...]
    pronouns: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SeededBatch:
    """A batch, and the seed of its masks."""

    examples: tuple[LanguageExample, ...]
    seed: tuple[int, ...]


@dataclass(frozen=True)
class LanguageTask:
    """Restore masked tokens, masked pronouns, or the next token."""

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
        """Encode both parts for a base model, if there are two; a part without a single input is an error."""
        causal = scores_text(base)
        if recipe.objective == "pronouns":
            require_capability(base, ("fills masks",), "objective='pronouns', unlike 'language',")
        trained_on = _encoded(fitted, recipe, base.tokenizer)
        aside = () if held_out is None else _encoded(held_out, recipe, base.tokenizer)
        return cls(trained_on, aside, recipe, base.tokenizer, causal, base.device)

    def batches(self, epoch: int) -> list[SeededBatch]:
        """All inputs in a new order, each batch with new masks."""
        lengths = [len(example.ids) for example in self.fitted]
        found = batches_by_length(lengths, self.recipe.batch, seed=self.recipe.seed, epoch=epoch)
        return [
            SeededBatch(tuple(self.fitted[index] for index in members), (self.recipe.seed, FITTED, epoch, number))
            for number, members in enumerate(found)
        ]

    def loss(self, model: Any, batch: SeededBatch) -> Any:
        """Mean of −ln P of what was masked."""
        import torch

        logits, labels = self._restored(model, batch)
        return torch.nn.functional.cross_entropy(logits, labels)

    def validate(self, model: Any) -> float:
        """The loss or the error on the held-out part, with the same masks at every call; lower is better.

        It is 0 after every epoch if nothing is held out.
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
        """Logits at the positions to restore, and the original tokens."""
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
        while not (labels != IGNORED).any():  # a short sentence in which nothing was masked has no loss
            share = min(1.0, 2 * share)
            inputs, labels = mask_for_training(ids, self.tokenizer, share, rng)
        return inputs, labels


def _encoded(part: Documents, recipe: LanguageRecipe, tokenizer: Any) -> tuple[LanguageExample, ...]:
    examples = examples_of(part, recipe, tokenizer)
    if not examples:
        wanted = "gendered pronoun" if recipe.objective == "pronouns" else "sentence"
        raise UsageError(f"{part.name}: no {wanted} for training or validation; give more text")
    return examples


def examples_of(documents: Documents, recipe: LanguageRecipe, tokenizer: Any) -> tuple[LanguageExample, ...]:
    """The inputs of documents under a recipe."""
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


# Language models trained further on treated text: the checkpoints of mitigation.

LANGUAGE_VERSION = 2
"""Raise it when the same recipe, data and base give another checkpoint: it is part of the cache key."""
RECORD = "training.json"

LanguageModel = TransformersMaskedModel | TransformersCausalModel


def fine_tune(
    base: LanguageModel,
    documents: Documents,
    recipe: str | LanguageRecipe = "lora",
    *,
    name_map: NameMap | None = None,
    name: str | None = None,
) -> LanguageModel:
    """Train a masked or causal model further on documents, treated as the recipe says; or load an earlier checkpoint.

    The checkpoint is an ordinary transformers folder in the cache, under the recipe and the fingerprints of base and
    documents; an interrupted run is resumed. The documents of :func:`held_out` are not trained on.
    """
    recipe = recipe_named(recipe)
    require_capability(base, ("fills masks", "scores text"), "fine_tune (classifiers are made by fine_tune_classifier)")
    folder = checkpoint_folder(base, documents, recipe, name_map)
    loaded: LanguageModel = load(folder, kind=_head(base), name=name or base.name, device=base.device, lazy=True)
    loaded.treatment = (*base.treatment, recipe.name)
    return loaded


def checkpoint_folder(
    base: LanguageModel, documents: Documents, recipe: LanguageRecipe, name_map: NameMap | None = None
) -> Path:
    """The folder of the checkpoint that :func:`fine_tune` loads; trained first if there is none."""
    names = name_map or first_names()
    facts = _facts(base, documents, recipe, names)
    build = partial(_build, base=base, documents=documents, recipe=recipe, names=names, facts=facts)
    return fetch_checkpoint(f"{base.name}-{recipe.name}", facts, build)


def held_out(documents: Documents, recipe: str | LanguageRecipe) -> Documents:
    """The documents, untreated, that a checkpoint of this recipe was not trained on."""
    recipe = recipe_named(recipe)
    if not recipe.validation:
        raise UsageError(f"the recipe {recipe.name} holds out no documents; measure the loss on another text")
    return documents.split(recipe.validation, seed=recipe.seed)[1]


def treated(documents: Documents, recipe: str | LanguageRecipe, *, name_map: NameMap | None = None) -> Counterfactual:
    """The documents as a model of this recipe reads them, and what was changed in them."""
    recipe = recipe_named(recipe)
    return counterfactual(
        documents,
        recipe.treatment,
        terms=recipe.terms,
        names=recipe.names,
        name_map=name_map,
        contradictions=recipe.contradictions,
        seed=recipe.seed,
    )


def _head(base: LanguageModel) -> Literal["masked", "causal"]:
    """The head of a checkpoint: the one its base is scored with."""
    return "masked" if fills_masks(base) else "causal"


def _facts(base: LanguageModel, documents: Documents, recipe: LanguageRecipe, names: NameMap) -> dict[str, Any]:
    return {
        "version": LANGUAGE_VERSION,
        "kind": _head(base),
        "recipe": asdict(recipe),
        "documents": documents.fingerprint,
        "names": names.fingerprint,
        "base": base.fingerprint,
    }


@dataclass(frozen=True)
class _TrainingOutcome:
    """The facts of a run for a card and a record."""

    history: History
    figure: str
    before: float
    inputs: tuple[int, int]
    minutes: float
    changes: Changes

    def as_dict(self) -> dict[str, Any]:
        return {
            f"{self.figure}_before": self.before,
            {"loss": "losses", "error": "errors"}[self.figure]: self.history.losses,
            "kept_epoch": self.history.best_epoch + 1,
            "inputs": list(self.inputs),
            "minutes": round(self.minutes, 2),
            "changes": self.changes.as_dict(),
        }


def _build(
    folder: Path,
    state: Path,
    *,
    base: LanguageModel,
    documents: Documents,
    recipe: LanguageRecipe,
    names: NameMap,
    facts: dict[str, Any],
) -> None:
    began = monotonic()
    found = treated(documents, recipe, name_map=names)
    parts = found.documents.split(recipe.validation, seed=recipe.seed) if recipe.validation else ()
    fitted, aside = parts or (found.documents, None)
    task = LanguageTask.of(fitted, aside, recipe, base)
    original = deepcopy(base.torch_model)
    model, finished = with_adapter(original, recipe)
    freeze(model, recipe)
    _require_parameters(model, recipe)
    before = _validated(task, model)
    history = train(model, task, recipe, state=state, title=f"{base.name} by {recipe.name}")
    inputs = (len(task.fitted), len(task.held_out))
    outcome = _TrainingOutcome(
        history, validation_name(recipe), before, inputs, (monotonic() - began) / 60, found.changes
    )
    plain = finished()
    plain.config.architectures = [type(plain).__name__]
    write_checkpoint(plain, base.tokenizer, folder, facts=facts, card=_card(base, documents, recipe, outcome))
    (folder / RECORD).write_text(json.dumps(outcome.as_dict(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _require_parameters(model: Any, recipe: LanguageRecipe) -> None:
    if not any(parameter.requires_grad for parameter in model.parameters()):
        raise UsageError(
            f"recipe {recipe.name!r} leaves nothing to train: it freezes {recipe.frozen_layers} layers, and this model "
            "has no more; give a recipe with fewer frozen_layers"
        )


def _validated(task: LanguageTask, model: Any) -> float:
    import torch

    model.eval()
    with torch.inference_mode():
        return task.validate(model)


def _card(base: LanguageModel, documents: Documents, recipe: LanguageRecipe, outcome: _TrainingOutcome) -> str:
    settings = "\n".join(f"- {key}: {value}" for key, value in asdict(recipe).items())
    losses = ", ".join(f"{loss:.4f}" for loss in outcome.history.losses)
    changes = outcome.changes
    validated = f"{outcome.figure} on held-out text: {outcome.before:.4f} before, then after each epoch {losses}"
    if not outcome.inputs[1]:
        validated = "nothing was held out, so no epochs were compared"
    return f"""# {base.name}, trained further by the recipe {recipe.name}

Made by biascheck. Whether it is less biased, and whether it is still as good a model, is shown by a comparison:
`biascheck.assert_reduced` and `biascheck.assert_utility_kept`.

- base: {base.name}, fingerprint {base.fingerprint}
- text: {documents.name}, {len(documents):,} documents, fingerprint {documents.fingerprint}
- treatment: {changes.method}; {changes.changed:,} documents changed; terms before: {changes.before};
  after: {changes.after}
- inputs: {outcome.inputs[0]:,} trained on, {outcome.inputs[1]:,} held out
- {validated}; the weights are those of epoch {outcome.history.best_epoch + 1} ({recipe.chosen_epoch})

## Recipe

{settings}
"""
