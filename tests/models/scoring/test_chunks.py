"""Queries in chunks: any chunk size gives the scores of one plan, and nothing runs twice."""

import copy
from contextlib import contextmanager
from dataclasses import asdict, replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, strategies as st

import biascheck
from biascheck import measures
from biascheck.core.errors import ScoreError, UsageError
from biascheck.corpora import (
    Documents,
    builtin_decisions,
    builtin_preferences,
    builtin_questions,
    builtin_triples,
    corpus_from_templates,
    winograd,
)
from biascheck.models.scoring import chunks, plan as plan_chunks
from biascheck.models.scoring.chunks import ScoreMemory, answer, asked_in_chunks, chunks_of, remembering
from biascheck.models.scoring.encode import Encoded
from biascheck.models.scoring.engine import LocalEngine, execute, placed_on
from biascheck.models.scoring.plan import Budget, make_plan
from biascheck.models.scoring.queries import Refusal
from support.loaded_tiny import loaded

BUDGET = Budget(tokens=24, readings=5)


class HashEngine:
    """Log-probabilities that follow from input, position and token alone; counts what it runs."""

    def __init__(self):
        self.ran = []

    def run(self, inputs, readings):
        self.ran += [(tuple(inputs[r.input]), r.position, r.token) for r in readings]
        return np.array([-0.1 * (1 + hash((tuple(inputs[r.input]), r.position, r.token)) % 97) for r in readings])


IDS = st.lists(st.integers(0, 3), min_size=1, max_size=4).map(tuple)


@st.composite
def queries(draw):
    ids = draw(IDS)
    if draw(st.integers(0, 9)) == 0:
        return Refusal("no")
    positions = draw(st.lists(st.integers(0, len(ids) - 1), min_size=1, max_size=3, unique=True))
    return Encoded(ids, tuple(positions), tuple(draw(st.integers(0, 2)) for _ in positions))


def asking(engine):
    def ask(encoded):
        return answer(make_plan(encoded, BUDGET), lambda plan: execute(plan, engine), BUDGET, owner="tiny")

    return ask


@given(st.lists(queries(), max_size=40), st.integers(1, 12))
def test_chunks_of_any_size_answer_like_one_plan_and_run_nothing_twice(encoded, size):
    whole, parts = HashEngine(), HashEngine()
    expected = list(asked_in_chunks(asking(whole), encoded))
    with chunks_of(size):
        assert list(asked_in_chunks(asking(parts), iter(encoded))) == expected
    assert sorted(parts.ran) == sorted(whole.ran)
    assert len(set(parts.ran)) == len(parts.ran)


@given(st.lists(queries(), max_size=30), st.integers(0, 5))
def test_a_full_memory_recomputes_the_same_answers(encoded, most):
    engine = HashEngine()
    expected = execute(make_plan(encoded, BUDGET), engine)
    memory = ScoreMemory(most)
    with remembering(memory):
        assert [one for query in encoded for one in asking(engine)([query])] == expected
    assert len(memory) <= most


def test_models_do_not_share_what_they_remember():
    memory, first, second = ScoreMemory(), HashEngine(), HashEngine()
    plan = make_plan([Encoded((1, 2), (0,), (1,))], BUDGET)
    with remembering(memory):
        for engine in (first, second):
            answer(plan, lambda plan, engine=engine: execute(plan, engine), BUDGET, owner=str(id(engine)))
    assert len(second.ran) == 1


def test_queries_are_read_no_further_than_the_next_chunk():
    taken = []
    source = (taken.append(n) or n for n in range(100))
    with chunks_of(10):
        assert next(asked_in_chunks(lambda chunk: chunk, source)) == 0
    assert len(taken) == 10


def test_a_model_that_leaves_a_question_out_is_refused():
    with pytest.raises(ScoreError, match="gave 1 answers to 2 questions"):
        list(asked_in_chunks(lambda chunk: chunk[:1], [1, 2]))
    with pytest.raises(UsageError, match="a chunk of 0 queries"), chunks_of(0):
        pass


JOBS = corpus_from_templates(
    "jobs",
    templates=["{target} is a {attribute}.", "{target} works as a {attribute}."],
    targets=[{"male": "my brother", "female": "my sister"}, {"male": "this man", "female": "this woman"}],
    attributes=["nurse", "plumber", "cook", "clerk", "baker", "pilot"],
    fillers=["person", "man of work"],
)
T2 = winograd("T2")
PRONOUNS = replace(T2, pairs=T2.pairs[::40])
TEXTS = Documents.of(
    "texts", [f"He is a {job}. My brother saw her as she was at work." for job in ("nurse", "cook", "clerk", "pilot")]
)


def masked():
    return biascheck.load("reference:tiny")


def causal():
    return loaded("gpt2")


def classifier():
    """The tiny model with a random head for two classes."""
    import torch
    from transformers import BertForSequenceClassification

    config = copy.deepcopy(masked().torch_model.config)
    config.update({"id2label": {0: "negative", 1: "positive"}, "initializer_range": 0.5})
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        made = BertForSequenceClassification(config)
    return biascheck.load((made.eval(), masked().tokenizer), name="classifier")


FAMILIES = {
    "association": (masked, lambda model: measures.association(model, JOBS)),
    "association, causal": (causal, lambda model: measures.association(model, JOBS)),
    "pseudo-likelihood": (masked, lambda model: measures.preference_share(model, few(builtin_preferences()))),
    "likelihood": (causal, lambda model: measures.preference_share(model, few(builtin_preferences()))),
    "triples": (masked, lambda model: measures.stereotype_score(model, few(builtin_triples()))),
    "triples, causal": (causal, lambda model: measures.stereotype_score(model, few(builtin_triples()))),
    "questions": (masked, lambda model: measures.question_answers(model, few(builtin_questions()), method="text")),
    "pronouns": (masked, lambda model: measures.pronoun_gap(model, PRONOUNS)),
    "pronouns, online": (masked, lambda model: measures.pronoun_gap(model, PRONOUNS, online=True)),
    "pronouns, causal": (causal, lambda model: measures.pronoun_gap(model, PRONOUNS)),
    "pronouns, causal and online": (causal, lambda model: measures.pronoun_gap(model, PRONOUNS, online=True)),
    "decisions": (causal, lambda model: measures.decision_scores(model, short(few(builtin_decisions())))),
    "sentiment": (classifier, lambda model: measures.sentiment_delta(model, JOBS)),
    "held-out loss": (masked, lambda model: measures.held_out_loss(model, TEXTS)),
    "held-out loss, causal": (causal, lambda model: measures.held_out_loss(model, TEXTS)),
    "pronoun error": (masked, lambda model: measures.pronoun_error(model, TEXTS)),
}


def few(items):
    return replace(items, items=items.items[:8])


def short(decisions):
    """With texts that fit into the 64 tokens of the tiny models."""
    asked = [replace(one, text=f"He is {one.labels['age'] - n}.") for n, one in enumerate(decisions.items)]
    return replace(decisions, items=tuple(asked))


@pytest.fixture(scope="module")
def whole():
    """Each family in one plan, measured once."""
    found = {}

    def measured(family):
        if family not in found:
            make, measure = FAMILIES[family]
            model = make()
            found[family] = model, measure, measure(model)
        return found[family]

    return measured


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("size", [1, 7])
def test_every_measure_gives_the_same_figure_in_chunks(family, size, whole):
    """Batches of a real model differ between chunks, and so do the last digits of what float32 adds up in them."""
    model, measure, expected = whole(family)
    asked = []
    with chunks_of(size), counting(asked):
        parts = measure(model)
    assert len(asked) > 1
    assert [item.id for item in parts.items] == [item.id for item in expected.items]
    assert parts.skipped == expected.skipped
    assert parts.estimate == pytest.approx(expected.estimate, abs=1e-5)
    for one, other in zip(parts.items, expected.items, strict=True):
        assert asdict(replace(one, score=0.0, groups={})) == asdict(replace(other, score=0.0, groups={}))
        assert one.score == pytest.approx(other.score, abs=1e-4)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_measure_gives_the_same_bits_where_its_plans_run_in_chunks(family, whole):
    model, measure, expected = whole(family)
    ran = []
    with placed_on(LocalEngine(chunk_tokens=1)), counting(ran, plan_chunks, "_chunk"):
        parts = measure(model)
    assert ran
    assert parts.items == expected.items
    assert (parts.skipped, parts.estimate, parts.interval) == (expected.skipped, expected.estimate, expected.interval)


@contextmanager
def counting(calls, module=chunks, name="_checked"):
    """Note every call of a function of a module."""
    function = getattr(module, name)

    def noted(*arguments):
        calls.append(arguments)
        return function(*arguments)

    with patch.object(module, name, noted):
        yield
