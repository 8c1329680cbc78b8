"""Batches of inputs of like length, in an order that follows from seed and epoch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["batches_by_length"]

POOL = 16
"""Batches are made of inputs of like length, within pools of so many batches."""


def batches_by_length(lengths: Sequence[int], batch: int, *, seed: int, epoch: int) -> list[list[int]]:
    """The indices of all inputs in a new order; those of like length together, as far as the shuffling allows."""
    order = np.random.default_rng([seed, epoch]).permutation(len(lengths)).tolist()
    pool = POOL * batch
    pools = [sorted(order[at : at + pool], key=lengths.__getitem__) for at in range(0, len(order), pool)]
    by_length = [index for members in pools for index in members]
    found = [by_length[at : at + batch] for at in range(0, len(by_length), batch)]
    turns = np.random.default_rng([seed, epoch, 1]).permutation(len(found)).tolist()
    return [found[turn] for turn in turns]
