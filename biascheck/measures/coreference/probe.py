"""A small classifier on frozen vectors: by cross-validation, every item is predicted by a probe that never saw it.

One hidden layer of 31 units, dropout 0.6 and an L2 penalty of 0.1 on the output weights, as in Kurita et al. 2019, §4,
after a public notebook; inputs are standardised in the place of the notebook's batch normalisation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biascheck.cache.progress import progress
from biascheck.errors import UsageError

__all__ = ["Probe", "grouped_folds", "predicted_by_others"]


@dataclass(frozen=True)
class Probe:
    """How a probe is built and trained; the defaults are the paper's where it states them."""

    hidden: int = 31
    dropout: float = 0.6
    penalty: float = 0.1
    learning_rate: float = 1e-3
    batch: int = 64
    epochs: int = 100
    patience: int = 10
    held_back: float = 0.1


def predicted_by_others(
    features: NDArray[np.float32],
    labels: NDArray[np.intp],
    groups: Sequence[str],
    *,
    classes: int,
    folds: int = 5,
    repeats: int = 1,
    seed: int = 0,
    probe: Probe = Probe(),
) -> NDArray[np.float64]:
    """The probability of each class for each item, from probes trained on the other folds.

    Items of one group (a page) are in one fold. With ``repeats`` the folds are dealt anew and the probabilities
    averaged.
    """
    total = np.zeros((len(labels), classes))
    with progress("probe", total=folds * repeats, unit="fits") as advance:
        for repeat in range(repeats):
            fold_of = grouped_folds(groups, folds, np.random.default_rng([seed, repeat]))
            for fold in range(folds):
                test = fold_of == fold
                trained = _train(features[~test], labels[~test], classes, probe, seed * 1_000 + repeat * folds + fold)
                total[test] += trained(features[test])
                advance(1)
    return total / repeats


def grouped_folds(groups: Sequence[str], folds: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Which fold each item is in: groups in random order, each into the fold that has the fewest items so far."""
    names, place = np.unique(np.asarray(groups), return_inverse=True)
    if not 2 <= folds <= len(names):
        raise UsageError(f"{len(names)} groups do not go into {folds} folds; give 2 to {len(names)}")
    sizes = np.bincount(place)
    filled = np.zeros(folds, dtype=np.intp)
    fold_of = np.empty(len(names), dtype=np.intp)
    for group in rng.permutation(len(names)):
        fold_of[group] = int(np.argmin(filled))
        filled[fold_of[group]] += sizes[group]
    return np.asarray(fold_of[place])


def _train(features: NDArray[np.float32], labels: NDArray[np.intp], classes: int, probe: Probe, seed: int) -> Any:
    """Train until the held-back part no longer improves; return a function from features to probabilities."""
    import torch

    centre, scale = features.mean(axis=0), features.std(axis=0) + 1e-6

    def standardised(rows: NDArray[np.float32]) -> Any:
        return torch.from_numpy(((rows - centre) / scale).astype(np.float32))

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        order = torch.randperm(len(labels))
        held = max(classes, int(probe.held_back * len(labels)))
        x, y = standardised(features), torch.from_numpy(labels.astype(np.int64))
        network = _network(features.shape[1], classes, probe)
        _fit(network, x[order[held:]], y[order[held:]], x[order[:held]], y[order[:held]], probe)

    def probabilities(rows: NDArray[np.float32]) -> NDArray[np.float64]:
        with torch.inference_mode():
            return np.asarray(network(standardised(rows)).double().softmax(dim=1).numpy())

    return probabilities


def _network(width: int, classes: int, probe: Probe) -> Any:
    from torch import nn

    return nn.Sequential(
        nn.Linear(width, probe.hidden), nn.ReLU(), nn.Dropout(probe.dropout), nn.Linear(probe.hidden, classes)
    )


def _fit(network: Any, x: Any, y: Any, x_held: Any, y_held: Any, probe: Probe) -> None:
    """Adam on the cross-entropy with the penalty; the weights of the best epoch are kept."""
    import torch
    from torch.nn.functional import cross_entropy

    optimiser = torch.optim.Adam(network.parameters(), lr=probe.learning_rate)
    best, kept, waited = float("inf"), network.state_dict(), 0
    for _ in range(probe.epochs):
        network.train()
        for batch in torch.randperm(len(y)).split(probe.batch):
            optimiser.zero_grad()
            loss = cross_entropy(network(x[batch]), y[batch]) + probe.penalty * network[-1].weight.square().sum()
            loss.backward()
            optimiser.step()
        network.eval()
        with torch.no_grad():
            held = float(cross_entropy(network(x_held), y_held))
        waited = 0 if held < best - 1e-4 else waited + 1
        if waited == 0:
            best, kept = held, {name: value.clone() for name, value in network.state_dict().items()}
        if waited >= probe.patience:
            break
    network.load_state_dict(kept)
