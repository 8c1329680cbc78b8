"""A tiny BERT trained on the exact probabilities of the world, until its gaps are the planted ones.

With p the true and q the model's distribution at a mask, the loss of a lesson is::

    KL(p ‖ q) + ½ · mean over the words of p of (ln q − ln p)²

The first term is masked-language training itself; the second makes rare words count as much as common ones, since a
gap is a difference of logarithms. The same seed on the same machine and library gives the same weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from math import cos, pi
from typing import Any

import numpy as np

from biascheck.standards.lessons import Lesson, indifferent_lessons, spelled_lessons, world_lessons
from biascheck.standards.vocabulary import LONGEST_INPUT, build_tokenizer
from biascheck.standards.world import World

__all__ = ["AT_PARITY", "SEED", "Training", "train_standard"]

SEED = 20_200_515
MASKED_MORE_OFTEN = 20


@dataclass(frozen=True)
class Training:
    """How a standard is trained; part of the name under which one is cached.

    The world comes first and alone: how many masks a hidden profession leaves is the hardest thing in it to
    tell, and is not learnt beside everything else. From step ``world_alone`` on, the other lessons join in.
    """

    hidden: int = 64
    heads: int = 4
    spread: float = 0.1
    layers: int = 1
    steps: int = 1_300
    world_alone: int = 700
    warm_up: int = 40
    rate: float = 3e-3
    world_batch: int = 128
    words_batch: int = 96
    german_batch: int = 64
    spelled_batch: int = 16
    weight_of_others: float = 0.3


AT_PARITY = Training(steps=1_200, world_alone=0, weight_of_others=0.5)
"""Masks tell nothing at parity, so nothing has to come first; the other words are learnt better this way."""


@dataclass(frozen=True)
class _Table:
    """Lessons as tensors, padded to the longest among them."""

    ids: Any
    attention: Any
    positions: Any
    truth: Any
    cards: Sequence[int]
    """The rows in a deck: those with the attribute masked several times, as every gap rests on them."""


def train_standard(world: World, *, seed: int = SEED, training: Training | None = None) -> tuple[Any, Any]:
    """Train a model of the world from nothing; the random state outside is left alone."""
    import torch

    training = training or (AT_PARITY if world.dose == 0 else Training())
    tokenizer = build_tokenizer()
    rng = np.random.default_rng(seed)
    tables = [*_known_tables(world), _table(spelled_lessons(tokenizer, rng), len(tokenizer))]
    with _one_thread(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = _untrained(len(tokenizer), training)
        _teach(model, tables, rng, training)
    return model.eval(), tokenizer


@lru_cache(maxsize=1)
def _known_tables(world: World) -> tuple[_Table, ...]:
    """What does not depend on the seed: models of one world share it."""
    tokenizer = build_tokenizer()
    indifferent = (indifferent_lessons(tokenizer, language) for language in ("en", "de"))
    return tuple(_table(lessons, len(tokenizer)) for lessons in (world_lessons(world, tokenizer), *indifferent))


def _table(lessons: Sequence[Lesson], vocabulary: int) -> _Table:
    import torch

    longest = max(len(lesson.ids) for lesson in lessons)
    ids = torch.zeros(len(lessons), longest, dtype=torch.long)
    attention, truth = torch.zeros_like(ids), torch.zeros(len(lessons), vocabulary)
    for row, lesson in enumerate(lessons):
        ids[row, : len(lesson.ids)] = torch.tensor(lesson.ids)
        attention[row, : len(lesson.ids)] = 1
        truth[row, list(lesson.truth)] = torch.tensor(list(lesson.truth.values()))
    positions = torch.tensor([lesson.position for lesson in lessons])
    cards = [row for row, lesson in enumerate(lessons) for _ in range(MASKED_MORE_OFTEN if lesson.masked else 1)]
    return _Table(ids, attention, positions, truth, cards)


def _untrained(vocabulary: int, training: Training) -> Any:
    from transformers import BertConfig, BertForMaskedLM

    return BertForMaskedLM(
        BertConfig(
            vocab_size=vocabulary,
            hidden_size=training.hidden,
            num_hidden_layers=training.layers,
            num_attention_heads=training.heads,
            initializer_range=training.spread,
            intermediate_size=2 * training.hidden,
            max_position_embeddings=LONGEST_INPUT,
            type_vocab_size=1,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
        )
    )


def _teach(model: Any, tables: Sequence[_Table], rng: np.random.Generator, training: Training) -> None:
    import torch

    optimiser = torch.optim.AdamW(model.parameters(), lr=training.rate, weight_decay=0.0)
    sizes = (training.world_batch, training.words_batch, training.german_batch, training.spelled_batch)
    decks = [_shuffled(table.cards, size, rng) for table, size in zip(tables, sizes, strict=True)]
    model.train()
    for step in range(training.steps):
        for group in optimiser.param_groups:
            group["lr"] = training.rate * _schedule(step, training)
        optimiser.zero_grad()
        _loss(model, tables[0], next(decks[0])).backward()
        if step >= training.world_alone:
            other = 1 + step % 3  # the world in every step, the others in turn
            _loss(model, tables[other], next(decks[other])).mul(training.weight_of_others).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()


def _schedule(step: int, training: Training) -> float:
    if step < training.warm_up:
        return (step + 1) / training.warm_up
    return 0.5 * (1 + cos(pi * (step - training.warm_up) / (training.steps - training.warm_up)))


def _shuffled(cards: Sequence[int], size: int, rng: np.random.Generator) -> Iterator[list[int]]:
    """Batches without end; every card comes once before any comes again."""
    waiting: list[int] = []
    while True:
        while len(waiting) < size:
            waiting += rng.permutation(cards).tolist()
        yield waiting[:size]
        del waiting[:size]


def _loss(model: Any, table: _Table, rows: Sequence[int]) -> Any:
    attention = table.attention[rows]
    width = int(attention.sum(dim=1).max())
    states = model.bert(table.ids[rows, :width], attention_mask=attention[:, :width]).last_hidden_state
    asked = states[range(len(rows)), table.positions[rows]]
    found = model.cls(asked).log_softmax(dim=-1)
    truth = table.truth[rows]
    possible = truth > 0
    error = (found - truth.clamp_min(1e-30).log()) * possible
    divergence = -(truth * error).sum(dim=-1)
    return (divergence + 0.5 * error.square().sum(dim=-1) / possible.sum(dim=-1)).mean()


@contextmanager
def _one_thread() -> Iterator[None]:
    """Sums in another order are other sums: the number of threads must not decide the weights."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
