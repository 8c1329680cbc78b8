"""The training loop: batches, a schedule, early stopping, and a file from which an interrupted run is resumed."""

from __future__ import annotations

import os
import re
import warnings
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

import numpy as np

from biascheck.core.errors import BiascheckWarning, UsageError
from biascheck.core.files import full_disk_in, remove, replacing
from biascheck.core.progress import progress
from biascheck.mitigation.recipes import Recipe

# The validation score that epochs are compared by: the loss on held-out data, or the share predicted wrongly.


def validation_name(recipe: Recipe) -> str:
    """The name of the recipe's validation score: "loss", or "error" (one minus the accuracy). Lower is better."""
    return "error" if recipe.chosen_epoch == "highest accuracy" else "loss"


def summed_score(logits: Any, labels: Any, recipe: Recipe) -> float:
    """The score summed over the rows of logits: −ln P of each label, or 1 if another class is the most probable.

    A tie of the label with another class counts as wrong unless the label comes first.
    """
    import torch

    if validation_name(recipe) == "error":
        return float((logits.argmax(dim=-1) != labels).sum())
    return float(torch.nn.functional.cross_entropy(logits, labels, reduction="sum"))


# Batches of inputs of similar length, in an order that follows from seed and epoch.

POOL = 16
"""The number of batches in a pool; inputs of similar length are batched within a pool."""


def batches_by_length(lengths: Sequence[int], batch: int, *, seed: int, epoch: int) -> list[list[int]]:
    """The indices of all inputs in a new order; those of similar length together, as far as the shuffling allows."""
    order = np.random.default_rng([seed, epoch]).permutation(len(lengths)).tolist()
    pool = POOL * batch
    pools = [sorted(order[at : at + pool], key=lengths.__getitem__) for at in range(0, len(order), pool)]
    by_length = [index for members in pools for index in members]
    found = [by_length[at : at + batch] for at in range(0, len(by_length), batch)]
    turns = np.random.default_rng([seed, epoch, 1]).permutation(len(found)).tolist()
    return [found[turn] for turn in turns]


# Parameters of a model that are frozen while it is fine-tuned.

_LAYER = re.compile(r"\b(?:layer|layers|h|blocks?)\.(\d+)\.")
_EMBEDDING = re.compile(r"embed|\bwte\.|\bwpe\.")


def freeze(model: Any, recipe: Recipe) -> None:
    """Freeze what the recipe says; what is already frozen, such as the base under an adapter, stays frozen."""
    for name, parameter in model.named_parameters():
        parameter.requires_grad = parameter.requires_grad and not _is_frozen(name, recipe)


def _is_frozen(parameter: str, recipe: Recipe) -> bool:
    layer = _LAYER.search(parameter)
    if layer is None:
        return recipe.freeze_embeddings and _EMBEDDING.search(parameter) is not None
    return int(layer[1]) < recipe.frozen_layers


# The state file of a training run: parameters, optimizer and history.
#
# A file that does not belong to the run is never fatal, whether it is damaged, empty, of another model or recipe, or
# not a file at all. It is renamed, with a warning, and the run starts again.

FORMAT = "biascheck training 2"


class ForeignStateError(ValueError):
    """A state that is not one of this run; the message says in which way."""


def partial_of(path: Path) -> Path:
    """The file that is being written before it takes the place of the state."""
    return path.with_name(f"{path.name}.partial")


def write_state(path: Path, state: Mapping[str, Any]) -> None:
    """Write a state so that a reader sees either the earlier one or this one, complete."""
    import torch

    path.parent.mkdir(parents=True, exist_ok=True)
    partial = partial_of(path)
    try:
        remove(partial)
        with replacing(path, partial) as file:
            torch.save({"format": FORMAT, **state}, file)
    except (OSError, RuntimeError) as error:
        found = full_disk_in(error) or (error if isinstance(error, OSError) else None)
        if found is None:
            raise
        raise UsageError(
            f"the training state cannot be written to {path.parent} ({found}); free some space there, "
            "and the same call resumes from the last state that was written"
        ) from error


def read_state(path: Path) -> dict[str, Any]:
    """Read a state without running code from it; anything that is not a whole state is a ForeignStateError."""
    import torch

    if not path.is_file():  # a folder, a pipe, a link to nothing
        raise ForeignStateError("not a regular file")
    try:
        with zipfile.ZipFile(path) as archive:  # torch does not compare the checksums of the parts
            damaged = archive.testzip()
        if damaged is not None:
            raise ForeignStateError(f"{damaged} does not match its checksum")
        state = torch.load(path, map_location="cpu", weights_only=True)
    except (ForeignStateError, MemoryError):
        raise
    except Exception as error:  # zipfile, pickle and torch raise what they like
        raise ForeignStateError(
            f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else 'empty'}"
        ) from error
    if not isinstance(state, dict) or state.pop("format", None) != FORMAT:
        raise ForeignStateError(f"not in the format {FORMAT!r}")
    return state


def require_alike(found: object, expected: Mapping[str, Any], what: str) -> None:
    """Require tensors of the expected names, shapes and types."""
    import torch

    if not isinstance(found, dict) or found.keys() != expected.keys():
        raise ForeignStateError(f"its {what} have other names")
    for name, value in expected.items():
        given = found[name]
        if not isinstance(given, torch.Tensor) or (given.shape, given.dtype) != (value.shape, value.dtype):
            raise ForeignStateError(f"its {what} have other shapes or types, {name} first")


def set_aside(path: Path, fault: ForeignStateError) -> Path:
    """Rename a state that cannot be resumed, and warn about it."""
    numbered = (path.with_name(f"{path.name}.damaged-{number}") for number in count(1))
    aside = next(name for name in numbered if not os.path.lexists(name))
    path.rename(aside)
    message = (
        f"training state {path} cannot be resumed ({fault}); it is renamed to {aside.name}, and training starts again"
    )
    warnings.warn(message, BiascheckWarning, stacklevel=4)
    return aside


# The training loop: a schedule, a seed, early stopping, and a run that can be interrupted and resumed.
#
# Nothing random is carried from step to step: batches follow from the seed and the epoch, dropout from the seed
# and the step. Only the parameters, the optimizer and the count therefore have to be stored; a run that
# was interrupted ends with the same weights, bit for bit, as one that was not (on the same machine with the
# same number of threads).

SAVE_EVERY_SECONDS = 30.0


class Task(Protocol):
    """The task-specific parts of the loop: the batches of an epoch, their loss, and the validation score."""

    def batches(self, epoch: int) -> Sequence[Any]:
        """The batches of an epoch; every epoch has equally many."""

    def loss(self, model: Any, batch: Any) -> Any:
        """The loss of one batch, a tensor to differentiate."""

    def validate(self, model: Any) -> float:
        """A score on data that is not trained on; lower is better."""


@dataclass
class History:
    """The progress of a run: steps taken, and the validation score after each epoch."""

    step: int = 0
    losses: list[float] = field(default_factory=list)
    best_epoch: int = -1
    stopped: bool = False

    def after_epoch(self, figure: float, recipe: Recipe) -> bool:
        """Record a validation score; return whether this epoch's weights are the best so far."""
        self.losses.append(figure)
        last = recipe.chosen_epoch == "last"
        best = last or self.best_epoch < 0 or figure < self.losses[self.best_epoch]
        if best:
            self.best_epoch = len(self.losses) - 1
        self.stopped = len(self.losses) - 1 - self.best_epoch >= recipe.patience
        return best


def train(
    model: Any,
    task: Task,
    recipe: Recipe,
    *,
    state: Path | None = None,
    title: str = "training",
    save_every: float = SAVE_EVERY_SECONDS,
) -> History:
    """Train the parameters of ``model`` that require a gradient, and restore those of the epoch that the recipe
    chooses.

    ``state`` is a file in which the run stores its progress, at most every ``save_every`` seconds; where it exists, the
    run is resumed from it. One that is damaged or of another run is renamed with a warning, and the run starts again.
    """
    import torch

    run = _TrainingRun(model, task, recipe)
    if state is not None and os.path.lexists(state):
        run = _resumed(run, state)
    with torch.random.fork_rng(devices=[]), progress(title, total=run.total, unit="steps") as advance:
        advance(run.history.step)
        saved = monotonic()
        while not run.finished:
            run.advance_one_step()
            advance(1)
            if state is not None and monotonic() - saved >= save_every:
                run.save(state)
                saved = monotonic()
        if state is not None:
            run.save(state)
    run.take_best()
    return run.history


class _TrainingRun:
    def __init__(self, model: Any, task: Task, recipe: Recipe) -> None:
        self.model, self.task, self.recipe = model, task, recipe
        self.trained = {name: p for name, p in model.named_parameters() if p.requires_grad}
        self.optimizer = _optimizer(self.trained, recipe)
        self.batches = task.batches(0)
        self.per_epoch = len(self.batches)
        self.total = recipe.epochs * self.per_epoch
        self.history = History()
        self.best: dict[str, Any] = {}

    @property
    def finished(self) -> bool:
        return self.history.stopped or self.history.step >= self.total

    def advance_one_step(self) -> None:
        epoch, place = divmod(self.history.step, self.per_epoch)
        if place == 0:
            self.batches = self.task.batches(epoch)
        self._learn(self.batches[place])
        self.history.step += 1
        if place == self.per_epoch - 1 and self.history.after_epoch(self._validate(), self.recipe):
            self.best = {name: p.detach().clone() for name, p in self.trained.items()}

    def _learn(self, batch: Any) -> None:
        import torch

        step = self.history.step
        torch.manual_seed(int(np.random.SeedSequence([self.recipe.seed, step]).generate_state(1)[0]))
        self.model.train()
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate(step, self.total, self.recipe)
        self.task.loss(self.model, batch).backward()
        torch.nn.utils.clip_grad_norm_(self.trained.values(), self.recipe.clip)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)

    def _validate(self) -> float:
        import torch

        self.model.eval()
        with torch.inference_mode():
            return self.task.validate(self.model)

    def take_best(self) -> None:
        self._set(self.best)
        self.model.eval()

    def _set(self, values: dict[str, Any]) -> None:
        import torch

        with torch.no_grad():
            for name, value in values.items():
                self.trained[name].copy_(value)

    def save(self, path: Path) -> None:
        """Store everything that a resumed run needs."""
        held = {name: parameter.detach() for name, parameter in self.trained.items()}
        kept = {"model": held, "best": self.best, "optimizer": self.optimizer.state_dict()}
        write_state(path, {"run": self._identity, "history": vars(self.history), **kept})

    def restore(self, path: Path) -> None:
        """Resume a stored run; if the file is not one of this run, the parameters are unchanged."""
        state = read_state(path)
        if state.get("run") != self._identity:
            raise ForeignStateError("it is of another recipe or number of steps")
        history = self._history_in(state)
        require_alike(state.get("model"), self.trained, "parameters")
        require_alike(state.get("best"), self.trained if history.losses else {}, "best parameters")
        self._restore_optimizer(state.get("optimizer"))
        self._set(state["model"])
        self.best, self.history = state["best"], history
        if not self.finished:
            self.batches = self.task.batches(self.history.step // self.per_epoch)

    @property
    def _identity(self) -> dict[str, Any]:
        return {"recipe": repr(self.recipe), "steps": self.total}

    def _history_in(self, state: dict[str, Any]) -> History:
        """The history of a state, which must be consistent with its own losses."""
        try:
            found = History(**state["history"])
            again = History(step=found.step)
            for loss in found.losses:
                again.after_epoch(loss, self.recipe)
            epochs, within = found.step // self.per_epoch, 0 <= found.step <= self.total
        except (KeyError, TypeError, ValueError) as error:
            raise ForeignStateError(f"its history cannot be read: {error}") from error
        if found != again or len(found.losses) != epochs or not within:
            raise ForeignStateError("its history contradicts itself")
        return found

    def _restore_optimizer(self, found: Any) -> None:
        parameters = [p for group in self.optimizer.param_groups for p in group["params"]]
        try:
            for place, moments in found["state"].items():
                # torch would take moments of any shape and fail a step later
                held = {name: value for name, value in moments.items() if name != "step"}
                require_alike(held, dict.fromkeys(("exp_avg", "exp_avg_sq"), parameters[place]), "moments")
            self.optimizer.load_state_dict(found)
        except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
            raise ForeignStateError(f"its optimizer does not fit: {error}") from error


def _resumed(run: _TrainingRun, state: Path) -> _TrainingRun:
    try:
        run.restore(state)
    except ForeignStateError as fault:
        set_aside(state, fault)
        return _TrainingRun(run.model, run.task, run.recipe)
    return run


def learning_rate(step: int, total: int, recipe: Recipe) -> float:
    """The rate of a step: a linear rise over the warm-up, then a linear fall to zero after the last step."""
    rising = round(recipe.warmup * total)
    if step < rising:
        return recipe.learning_rate * (step + 1) / rising
    return recipe.learning_rate * (total - step) / max(1, total - rising)


def _optimizer(parameters: dict[str, Any], recipe: Recipe) -> Any:
    """AdamW; vectors (biases, layer norms) are not decayed."""
    import torch

    matrices = [p for p in parameters.values() if p.dim() > 1]
    vectors = [p for p in parameters.values() if p.dim() <= 1]
    groups = [{"params": matrices, "weight_decay": recipe.weight_decay}, {"params": vectors, "weight_decay": 0.0}]
    return torch.optim.AdamW([group for group in groups if group["params"]], lr=recipe.learning_rate)
