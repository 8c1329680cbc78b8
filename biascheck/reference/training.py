"""A tiny BERT trained on the exact probabilities of the world, until its gaps are the planted ones.

With p the true and q the model's distribution at a mask, the loss of a lesson is::

    KL(p ‖ q) + ½ · mean over the words of p of (ln q − ln p)²

The first term is masked-language training itself; the second makes rare words count as much as common ones, since a
gap is a difference of logarithms. The same seed on the same machine and library gives the same weights.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from math import cos, pi
from typing import Any

import numpy as np

from biascheck.reference.lessons import (
    LONGEST_INPUT,
    Lesson,
    Taught,
    build_tokenizer,
    german_lessons,
    indifferent_lessons,
    pronoun_lessons,
    spelled_lessons,
    world_lessons,
)
from biascheck.reference.world import GermanWorld, World

SEED = 20_200_515
MASKED_MORE_OFTEN = {"world": 20, "words": 20, "german": 20, "pronouns": 3, "spelled": 1}
"""Weight of lessons with a masked attribute: they are few, and every gap rests on them."""


@dataclass(frozen=True)
class Training:
    """The training recipe of a reference model, whatever its dose; part of the name under which it is cached.

    ``world`` to ``spelled`` are the lessons of each kind in one step; made-up words, long because they are spelled,
    come in every third.
    """

    hidden: int = 64
    heads: int = 4
    spread: float = 0.1
    layers: int = 2
    steps: int = 1_000
    warm_up: int = 40
    rate: float = 3e-3
    world: int = 96
    pronouns: int = 128
    words: int = 64
    german: int = 48
    spelled: int = 16
    spelled_every: int = 3


GERMAN = Training(german=128, steps=600)
"""A German world is smaller: its sentences are the only ones that are learnt."""


@dataclass(frozen=True)
class _LessonTable:
    """Lessons of one kind as tensors, padded to the longest among them."""

    ids: Any
    attention: Any
    positions: Any
    words: Any
    truth: Any
    cards: Sequence[int]
    """The rows in a deck, some of them repeated."""


def train_standard(world: World, *, seed: int = SEED, training: Training | None = None) -> tuple[Any, Any]:
    """Train a model of the world from scratch; the global random state is unchanged."""
    tokenizer = build_tokenizer()
    rng = np.random.default_rng(seed)
    tables = _known_tables(world) | {"spelled": _table("spelled", spelled_lessons(tokenizer, rng))}
    return _trained(tables, rng, seed, training or Training()), tokenizer


def train_german(
    world: GermanWorld, *, seed: int = SEED, training: Training | None = None, taught: Taught | None = None
) -> tuple[Any, Any]:
    """Train a model of a German world from scratch, on its sentences or those that ``taught`` selects."""
    tokenizer = build_tokenizer()
    tables = {"german": _table("german", german_lessons(world, tokenizer, taught))}
    return _trained(tables, np.random.default_rng(seed), seed, training or GERMAN), tokenizer


def _trained(tables: Mapping[str, _LessonTable], rng: np.random.Generator, seed: int, training: Training) -> Any:
    import torch

    with _one_thread(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = _untrained(len(build_tokenizer()), training)
        _teach(model, tables, rng, training)
    return model.eval()


@lru_cache(maxsize=1)
def _known_tables(world: World) -> dict[str, _LessonTable]:
    """The parts that do not depend on the seed: models of one world share them."""
    tokenizer = build_tokenizer()
    lessons = {
        "world": world_lessons(world, tokenizer),
        "pronouns": pronoun_lessons(world, tokenizer),
        "words": indifferent_lessons(tokenizer, "en"),
        "german": indifferent_lessons(tokenizer, "de"),
    }
    return {kind: _table(kind, members) for kind, members in lessons.items()}


def _table(kind: str, lessons: Sequence[Lesson]) -> _LessonTable:
    return _LessonTable(
        ids=_padded(lesson.ids for lesson in lessons),
        attention=_padded([1] * len(lesson.ids) for lesson in lessons),
        positions=_padded([lesson.position] for lesson in lessons).squeeze(1),
        words=_padded(list(lesson.truth) for lesson in lessons),
        truth=_padded(list(lesson.truth.values()) for lesson in lessons),
        cards=[n for n, lesson in enumerate(lessons) for _ in range(MASKED_MORE_OFTEN[kind] if lesson.masked else 1)],
    )


def _padded(rows: Iterable[Sequence[float]]) -> Any:
    """A tensor, padded with zeros after the end of the shorter rows."""
    import torch

    return torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True)


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


def _teach(model: Any, tables: Mapping[str, _LessonTable], rng: np.random.Generator, training: Training) -> None:
    import torch

    optimiser = torch.optim.AdamW(model.parameters(), lr=training.rate, betas=(0.9, 0.99), weight_decay=0.0)
    decks = {kind: _shuffled(table.cards, getattr(training, kind), rng) for kind, table in tables.items()}
    model.train()
    for step in range(training.steps):
        for group in optimiser.param_groups:
            group["lr"] = training.rate * _schedule(step, training)
        optimiser.zero_grad()
        for kind, table in tables.items():
            if kind != "spelled" or step % training.spelled_every == 0:
                _loss(model, table, next(decks[kind])).backward()
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


def _loss(model: Any, table: _LessonTable, rows: Sequence[int]) -> Any:
    attention = table.attention[rows]
    width = int(attention.sum(dim=1).max())
    states = model.bert(table.ids[rows, :width], attention_mask=attention[:, :width]).last_hidden_state
    asked = states[range(len(rows)), table.positions[rows]]
    found = model.cls(asked).log_softmax(dim=-1).gather(1, table.words[rows])
    truth = table.truth[rows]
    possible = truth > 0
    error = (found - truth.clamp_min(1e-30).log()) * possible
    divergence = -(truth * error).sum(dim=-1)
    return (divergence + 0.5 * error.square().sum(dim=-1) / possible.sum(dim=-1)).mean()


@contextmanager
def _one_thread() -> Iterator[None]:
    """Fix the number of threads: sums in another order differ, and the weights must not depend on it."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
