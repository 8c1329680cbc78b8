"""A plan in chunks: nothing is lost or taken apart, and finished chunks outlive an interruption."""

from __future__ import annotations

import numpy as np
import pytest

import biascheck as bc
from biascheck.core.errors import UsageError
from biascheck.core.store import DocumentCache, caching
from biascheck.models.scoring.engine import LocalEngine, TorchEngine, execute, placed_on
from biascheck.models.scoring.plan import Chunk, chunks_of_plan, localised, padded_tokens
from biascheck.models.scoring.queries import SentenceQuery
from support.oracle import query
from support.tiny import CAUSAL, MASKED, loaded, with_budget

WORDS = ["nurse", "plumber", "clerk", "driver", "cook", "guard"]
MASKED_QUERIES = [query(f"My son is a {word} at work{end}", "son") for word in WORDS for end in (".", " now.")]
SENTENCES = [SentenceQuery(f"My son is a {word} at work{end}") for word in WORDS for end in (".", " now.", " today.")]


def plans():
    masked, causal = with_budget(MASKED[0], 32), with_budget(CAUSAL[0], 64)
    return {"masked": masked.plan(MASKED_QUERIES), "causal": causal.plan(SENTENCES)}


@pytest.mark.parametrize("kind", ["masked", "causal"])
@pytest.mark.parametrize("tokens", [1, 100, 10_000])
def test_chunks_have_the_batches_of_the_plan_in_their_order(kind, tokens):
    plan = plans()[kind]
    assert (plan.sharing is not None) == (kind == "causal")
    found = list(chunks_of_plan(plan, tokens))
    batches = [batch for _, chunk in found for batch in chunk.batches()]
    wanted = [localised(plan, batch) for batch in plan.batches]
    assert batches == wanted
    assert [getattr(row, "parents", None) for inputs, _ in batches for row in inputs] == [
        getattr(row, "parents", None) for inputs, _ in wanted for row in inputs
    ]
    assert [row for rows, _ in found for row in rows] == [row for batch in plan.batches for row in batch.readings]
    assert sum(chunk.tokens for _, chunk in found) == plan.tokens
    assert len(found) == {1: len(plan.batches), 10_000: 1}.get(tokens, len(found))


def test_a_chunk_is_as_large_as_allowed():
    plan = plans()["masked"]
    sizes = [padded_tokens(plan, batch) for batch in plan.batches]
    held = iter(sizes)
    for _, chunk in chunks_of_plan(plan, 100):
        inside = sum(next(held) for _ in chunk.inputs)
        assert inside <= 100 or len(chunk.inputs) == 1


def test_another_question_has_another_digest():
    one, other = (next(chunks_of_plan(plan, 10_000))[1] for plan in plans().values())
    again = Chunk.of(list(one.batches()))
    moved = Chunk(one.ids, one.lengths, one.parents, one.asked[::-1].copy(), one.inputs, one.readings)
    assert again.digest == one.digest
    assert len({one.digest, other.digest, moved.digest}) == 3


class Counting(TorchEngine):
    """Counts batches, and stops after some of them as Ctrl-C does."""

    def __init__(self, engine, stop_after=None):
        self.__dict__.update(engine.__dict__)
        self.batches, self.stop_after = [], stop_after

    def run(self, inputs, readings):
        if self.stop_after is not None and len(self.batches) >= self.stop_after:
            raise KeyboardInterrupt
        self.batches.append(tuple(map(tuple, inputs)))
        return super().run(inputs, readings)


def measured(engine, plan, cache, key="result"):
    def compute():
        answers = execute(plan, engine, identity=lambda: "model")
        return [answer.log_probability for answer in answers]

    with caching(cache), placed_on(LocalEngine(chunk_tokens=24)):
        return cache.fetch(key, compute)


def test_what_was_finished_before_an_interruption_is_not_scored_again(tmp_path):
    model = with_budget(MASKED[0], 8)
    plan = model.plan(MASKED_QUERIES)
    whole = measured(Counting(model._engine), plan, DocumentCache(None))
    first = Counting(model._engine, stop_after=5)
    with pytest.raises(KeyboardInterrupt):
        measured(first, plan, DocumentCache(tmp_path / "results"))
    kept = list((tmp_path / "scores").glob("*.npy"))
    second = Counting(model._engine)

    assert kept
    assert measured(second, plan, DocumentCache(tmp_path / "results")) == whole
    twice = set(first.batches) & set(second.batches)
    chunk = max(len(chunk.inputs) for _, chunk in chunks_of_plan(plan, 24))
    assert len(twice) < chunk  # the chunk in flight, no more
    assert set(first.batches) | set(second.batches) == {tuple(localised(plan, batch)[0]) for batch in plan.batches}
    assert list((tmp_path / "scores").glob("*.npy")) == []  # the result is stored, its scores are not needed


def test_a_damaged_file_of_scores_is_computed_again(tmp_path):
    model = with_budget(MASKED[0], 8)
    plan = model.plan(MASKED_QUERIES)
    whole = measured(Counting(model._engine), plan, DocumentCache(None))
    with pytest.raises(KeyboardInterrupt):
        measured(Counting(model._engine, stop_after=7), plan, DocumentCache(tmp_path / "results"))
    first, *others = sorted((tmp_path / "scores").glob("*.npy"))
    first.write_bytes(b"\x93NUMPY")
    np.save(others[0].open("wb"), np.zeros(1))
    others[1].write_bytes(b"")
    assert measured(Counting(model._engine), plan, DocumentCache(tmp_path / "results")) == whole


@pytest.mark.parametrize("cache", [DocumentCache(None), None])
def test_without_a_cache_nothing_is_kept(tmp_path, cache, monkeypatch):
    monkeypatch.setenv("BIASCHECK_CACHE", str(tmp_path))
    model = loaded(MASKED[0])
    with caching(cache), placed_on(LocalEngine(chunk_tokens=16)):
        execute(model.plan(MASKED_QUERIES), model._engine, identity=lambda: "model")
    assert list(tmp_path.rglob("*")) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"address": "spark"}, "no engine 'spark'; there are: local, ray"),
        ({"address": "ray", "actors": 0}, "actors is 0, and an engine needs at least 1"),
        ({"address": "ray", "cpus": 0}, "0 processors and 0 GPUs is not possible"),
        ({"address": "local", "actors": 2}, "the engine local is one process"),
        ({"address": "local", "chunk_tokens": 0}, "chunk_tokens is 0"),
    ],
)
def test_an_engine_that_cannot_be_is_refused(arguments, said):
    with pytest.raises(UsageError, match=said), bc.engine(**arguments):
        pass


def test_the_threads_of_the_local_engine_are_put_back():
    import torch

    before = torch.get_num_threads()
    with bc.engine("local", threads=before + 1):
        assert torch.get_num_threads() == before + 1
    assert torch.get_num_threads() == before
