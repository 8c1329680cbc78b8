"""The plan as plain data: deduplication, packing and description."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, strategies as st

from biascheck.models.scoring.encode import Encoded
from biascheck.models.scoring.plan import Budget, TokenReading, make_plan
from biascheck.models.scoring.queries import Refusal
from support.oracle import query
from support.tiny import loaded


def test_identical_inputs_are_read_once():
    """Two words at the mask of one sentence are one input; the prior of two professions is one input."""
    asked = [
        query("My son is a nurse.", "son"),
        query("My daughter is a nurse.", "daughter"),  # the same input as above, another token
        query("My son is a nurse.", "son"),  # the same in every way
        query("My son is a nurse.", "son", "nurse"),
        query("My son is a plumber.", "son", "plumber"),  # the prior above: both professions are one token
        query("My son is a plumber.", "son"),
    ]
    plan = loaded("bert-uncased").plan(asked)

    assert plan.distinct_inputs == 3
    assert len(plan.readings) == 4
    assert plan.queries == ((0,), (1,), (0,), (2,), (2,), (3,))
    assert plan.tokens == 3 * 8  # [CLS] my son is a nurse . [SEP]
    assert plan.padded_tokens == 24
    assert str(plan) == "6 queries → 3 distinct inputs in 1 batches, 24 tokens (24 padded)"


def test_padding_is_counted_and_short_inputs_share_a_batch():
    encoded = [Encoded((1,) * 3, (1,), (9,)), Encoded((1,) * 10, (1,), (9,)), Encoded((2,) * 5, (1,), (9,))]
    plan = make_plan(encoded, Budget(tokens=12))

    assert [batch.inputs for batch in plan.batches] == [(0, 2), (1,)]
    assert plan.tokens == 18
    assert plan.padded_tokens == 2 * 5 + 10
    assert str(plan) == "3 queries → 3 distinct inputs in 2 batches, 18 tokens (20 padded)"


def test_a_refusal_takes_no_input_and_keeps_its_place():
    refusal = Refusal("no")
    plan = make_plan([refusal, Encoded((1, 2), (0, 1), (5, 6)), refusal], Budget())
    assert plan.queries == (refusal, (0, 1), refusal)
    assert plan.readings == (TokenReading(0, 0, 5), TokenReading(0, 1, 6))
    assert plan.distinct_inputs == 1


def test_no_query_is_no_batch():
    plan = make_plan([], Budget())
    assert plan.batches == ()
    assert plan.padded_tokens == 0
    assert str(plan) == "0 queries → 0 distinct inputs in 0 batches, 0 tokens (0 padded)"


@pytest.mark.parametrize("readings", [1, 2, 3])
def test_the_reading_budget_counts_positions_not_tokens(readings):
    """Two tokens at one position need one row of logits."""
    encoded = [Encoded((n, 0), (0,), (token,)) for n in range(6) for token in (7, 8)]
    plan = make_plan(encoded, Budget(tokens=1_000, readings=readings))
    assert [len(batch.inputs) for batch in plan.batches] == [readings] * (6 // readings)


@st.composite
def encodings(draw):
    length = draw(st.integers(1, 12))
    ids = tuple(draw(st.lists(st.integers(0, 2), min_size=length, max_size=length)))
    positions = tuple(draw(st.lists(st.integers(0, length - 1), min_size=1, max_size=4, unique=True)))
    tokens = tuple(draw(st.integers(0, 3)) for _ in positions)
    return Encoded(ids, positions, tokens)


@given(
    encoded=st.lists(encodings(), max_size=60),
    tokens=st.integers(1, 60),
    readings=st.integers(1, 20),
)
def test_every_input_and_every_reading_is_in_exactly_one_batch_within_budget(encoded, tokens, readings):
    plan = make_plan(encoded, Budget(tokens=tokens, readings=readings))

    assert sorted(plan.inputs) == sorted({item.ids for item in encoded})
    assert Counter(i for batch in plan.batches for i in batch.inputs) == Counter(range(len(plan.inputs)))
    assert Counter(r for batch in plan.batches for r in batch.readings) == Counter(range(len(plan.readings)))
    for batch in plan.batches:
        assert {plan.readings[r].input for r in batch.readings} == set(batch.inputs)
        padded = len(batch.inputs) * max(len(plan.inputs[i]) for i in batch.inputs)
        rows = {(plan.readings[r].input, plan.readings[r].position) for r in batch.readings}
        assert len(batch.inputs) == 1 or (padded <= tokens and len(rows) <= readings)


@given(encoded=st.lists(encodings(), max_size=40), tokens=st.integers(1, 60))
def test_a_plan_contains_what_the_queries_request(encoded, tokens):
    plan = make_plan(encoded, Budget(tokens=tokens))
    for item, wanted in zip(encoded, plan.queries, strict=True):
        found = [plan.readings[r] for r in wanted]
        assert [plan.inputs[reading.input] for reading in found] == [item.ids] * len(item.positions)
        assert [(r.position, r.token) for r in found] == list(zip(item.positions, item.tokens, strict=True))
