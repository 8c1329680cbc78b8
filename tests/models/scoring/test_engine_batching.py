"""A score belongs to its sentence: batch size, order, neighbours and repetition must not move it."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings, strategies as st

from biascheck.models.local.loader import load
from biascheck.models.scoring.queries import MaskedQuery, SentenceQuery
from support.oracle import query
from support.tiny import loaded, pair, with_budget

ACCURACY = 1e-5
WORDS = ("son", "daughter", "boyfriend", "nurse")
ENDS = ("", " at work", " and the man had a good day at work", " of the woman, and she is the nurse of the man")
QUERIES = [query(f"My {word} is a plumber{end}.", word, "plumber") for word in WORDS[:3] for end in ENDS]
QUERIES += [query(f"My {word} is a plumber{end}.", word) for word in WORDS[:3] for end in ENDS]
SENTENCES = [SentenceQuery(asked.text) for asked in QUERIES[:12]]


def _scores(answers):
    return [answer.log_probability for answer in answers]


@pytest.mark.parametrize("budget", [1, 64, 2048])
@pytest.mark.parametrize("family", ["bert-uncased", "roberta", "modernbert", "deberta-v2"])
def test_the_token_budget_does_not_move_a_score(family, budget):
    one_by_one = [_score_alone(family, asked) for asked in QUERIES]
    assert _scores(with_budget(family, budget).fill(QUERIES)) == pytest.approx(one_by_one, abs=ACCURACY)


@pytest.mark.parametrize("budget", [1, 64, 2048])
@pytest.mark.parametrize("family", ["gpt2", "llama"])
def test_the_token_budget_does_not_move_a_likelihood(family, budget):
    model = with_budget(family, budget)
    one_by_one = [_scores(model.likelihood([asked]))[0] for asked in SENTENCES]
    assert _scores(model.likelihood(SENTENCES)) == pytest.approx(one_by_one, abs=ACCURACY)


def test_answers_come_in_the_order_of_the_queries():
    model = loaded("bert-uncased")
    expected = dict(zip(QUERIES, _scores(model.fill(QUERIES)), strict=True))
    shuffled = random.Random(5).sample(QUERIES, len(QUERIES))
    assert _scores(model.fill(shuffled)) == pytest.approx([expected[q] for q in shuffled], abs=ACCURACY)


_alone: dict[tuple[str, MaskedQuery], float] = {}


def _score_alone(family: str, asked: MaskedQuery) -> float:
    if (family, asked) not in _alone:
        _alone[family, asked] = _scores(loaded(family).fill([asked]))[0]
    return _alone[family, asked]


@pytest.mark.parametrize("family", ["bert-uncased", "roberta"])
@settings(max_examples=25)
@given(asked=st.lists(st.sampled_from(QUERIES), min_size=1, max_size=30), budget=st.integers(1, 400))
def test_any_company_in_any_order_with_repeats_leaves_a_score_as_it_is(family, asked, budget):
    expected = [_score_alone(family, one) for one in asked]
    assert _scores(with_budget(family, budget).fill(asked)) == pytest.approx(expected, abs=ACCURACY)


@pytest.mark.parametrize("family", ["bert-uncased", "gpt2"])
def test_a_corpus_ten_times_as_large_needs_no_larger_batch(family):
    """Watched at the model itself: what goes in, and how many rows of logits come out."""
    model = load(pair(family))
    seen: list[tuple[int, int]] = []

    def watch(_module, _args, kwargs, output):
        seen.append((kwargs["input_ids"].numel(), output.logits.shape[1]))

    def run(copies: int) -> tuple[int, int, int]:
        seen.clear()
        texts = [f"My {'son ' * (n % 7)}daughter is a {'nurse ' * (n // 7)}plumber." for n in range(7 * copies)]
        if model.kind == "masked":
            model.fill([query(text, "daughter") for text in texts])
        else:
            model.likelihood([SentenceQuery(text) for text in texts])
        return len(seen), max(tokens for tokens, _ in seen), max(rows for _, rows in seen)

    model.token_budget = 128
    hook = model.torch_model.register_forward_hook(watch, with_kwargs=True)
    try:
        run(1)  # a new model is tried on texts of ours first
        (few, small, _), (many, large, rows) = run(2), run(20)
    finally:
        hook.remove()
    assert many > few
    assert small <= 128
    assert large <= 128
    assert rows <= 128


def test_the_rows_of_logits_in_memory_are_bounded_by_the_vocabulary(monkeypatch):
    """Every token of a causal input is read; 300 tokens at 40 rows in memory are at least 8 batches."""
    model = load(pair("gpt2"))
    monkeypatch.setattr("biascheck.models.local.transformers.LOGITS_IN_MEMORY", 40 * len(model.tokenizer))
    plan = model.plan([SentenceQuery(f"{chr(96 + n)} {'son ' * n}nurse.") for n in range(1, 25)])
    places = [{plan.readings[r].position + 64 * plan.readings[r].input for r in b.readings} for b in plan.batches]
    assert all(len(read) <= 40 for read in places)
    assert len(plan.batches) >= len(plan.readings) / 40 > 7
