"""Language models trained further on treated text: the checkpoints that mitigation is about."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, Literal

from biascheck.corpora.documents import Documents
from biascheck.corpora.rewriting.counterfactual import Changes, Counterfactual, counterfactual
from biascheck.corpora.rewriting.names import NameMap, first_names
from biascheck.debias.checkpoints import fetch_checkpoint, write_checkpoint
from biascheck.debias.freezing import freeze
from biascheck.debias.language_task import LanguageTask
from biascheck.debias.low_rank import with_adapter
from biascheck.debias.recipes import LanguageRecipe, recipe_named
from biascheck.debias.training import History, train
from biascheck.debias.validation import validation_name
from biascheck.errors import UsageError
from biascheck.models.adapters.causal import TransformersCausalModel
from biascheck.models.adapters.transformers import TransformersMaskedModel
from biascheck.models.capabilities import fills_masks, require_capability
from biascheck.models.loading.loader import load

__all__ = ["LanguageModel", "checkpoint_folder", "fine_tune", "held_out", "treated"]

LANGUAGE_VERSION = 2
"""Raise it when the same recipe, data and base give another checkpoint: it is part of the key."""
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
    """Train a masked or causal model further on documents, treated as the recipe says; or take an earlier checkpoint.

    The checkpoint is an ordinary transformers folder in the cache, under the recipe and the fingerprints of base and
    documents; an interrupted run goes on where it was. Of the documents, those of :func:`held_out` are not trained on.
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
    """The folder of the checkpoint that :func:`fine_tune` loads; trained first where there is none."""
    names = name_map or first_names()
    facts = _facts(base, documents, recipe, names)
    build = partial(_build, base=base, documents=documents, recipe=recipe, names=names, facts=facts)
    return fetch_checkpoint(f"{base.name}-{recipe.name}", facts, build)


def held_out(documents: Documents, recipe: str | LanguageRecipe) -> Documents:
    """The documents, as they are, on which a checkpoint of this recipe was not trained."""
    recipe = recipe_named(recipe)
    if not recipe.validation:
        raise UsageError(f"the recipe {recipe.name} keeps nothing aside; measure the loss on another text")
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
    """Which head a checkpoint has: the one its base is scored with."""
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
    """What a card and a record tell of a run."""

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
    validated = f"{outcome.figure} on what was kept aside: {outcome.before:.4f} before, then after each epoch {losses}"
    if not outcome.inputs[1]:
        validated = "nothing was kept aside, so that no epoch was compared"
    return f"""# {base.name}, trained further by the recipe {recipe.name}

Made by biascheck. Whether it is less biased, and whether it has kept what it knew, is for a comparison to show:
`biascheck.assert_reduced` and `biascheck.assert_utility_kept`.

- base: {base.name}, fingerprint {base.fingerprint}
- text: {documents.name}, {len(documents):,} documents, fingerprint {documents.fingerprint}
- treatment: {changes.method}; {changes.changed:,} documents changed; terms before: {changes.before};
  after: {changes.after}
- inputs: {outcome.inputs[0]:,} trained on, {outcome.inputs[1]:,} kept aside
- {validated}; the weights are those of epoch {outcome.history.best_epoch + 1} ({recipe.chosen_epoch})

## Recipe

{settings}
"""
