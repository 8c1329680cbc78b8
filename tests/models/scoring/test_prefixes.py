"""Shared prefixes run once: equal scores, fewer tokens, and a reason for models that cannot share."""

from __future__ import annotations

import pytest
import torch
import transformers as hf
from hypothesis import given, strategies as st

from biascheck.models.local.loader import load
from biascheck.models.scoring.encode import Encoded, encode_sentences
from biascheck.models.scoring.engine import execute
from biascheck.models.scoring.plan import Budget, make_plan
from biascheck.models.scoring.prefixes import TreeEngine, row_length, share_beginnings, without_unread
from biascheck.models.scoring.queries import Refusal, SentenceQuery
from support.tiny import SIZES, _mistral, fresh_pair, loaded, pair

SHARING = ["gpt2", "llama", "qwen2", "gemma2", "mistral"]
TEXTS = [
    f"{who} {what}{end}"
    for who in ("My son", "My daughter", "This man", "The son of the nurse")
    for what in ("is a nurse", "is a plumber", "works as a plumber", "had a good day")
    for end in (".", " at work.")
]
QUERIES = [SentenceQuery(text) for text in TEXTS]


def alone(model, tokenizer) -> list[float]:
    """Each sentence by itself through the plain model, whatever our plan and engine do."""
    scores = []
    for item in encode_sentences(QUERIES, tokenizer):
        with torch.no_grad():
            logits = model(torch.tensor([item.ids])).logits[0].double().log_softmax(-1)
        scores.append(float(logits[list(item.positions), list(item.tokens)].sum()))
    return scores


def scores_of(answers) -> list[float]:
    return [answer.log_probability for answer in answers]


@pytest.mark.parametrize("family", SHARING)
def test_scores_are_those_of_every_sentence_by_itself(family):
    model = loaded(family)
    plan = model.plan(QUERIES)
    assert plan.sharing is not None
    assert plan.unshared == ""
    assert plan.tokens < plan.sharing.tokens / 1.5
    assert scores_of(model.likelihood(QUERIES)) == pytest.approx(alone(*pair(family)), abs=1e-5)


@pytest.mark.parametrize("family", SHARING)
def test_without_rounding_nothing_differs(family):
    """In float64 a wrong position, or one token too many in sight, has no rounding to hide behind."""
    model, tokenizer = fresh_pair(family)
    model = model.double()
    budget = Budget(tokens=64, readings=64)
    encoded = without_unread(encode_sentences(QUERIES, tokenizer))
    plan = share_beginnings(make_plan(encoded, budget), budget, 30)
    assert len(plan.batches) > 1
    assert plan.sharing is not None
    found = scores_of(execute(plan, TreeEngine(model, pad_token=0, device="cpu")))
    # rotary positions and some softmaxes are float32 in transformers, whatever the model
    assert found == pytest.approx(alone(model, tokenizer), abs=3e-6)


def test_every_distinct_prefix_runs_once():
    model, tokenizer = fresh_pair("gpt2")
    adapter = load((model, tokenizer))
    inputs = [item.ids for item in encode_sentences(QUERIES, tokenizer)]
    prefixes = {ids[:end] for ids in inputs for end in range(1, len(ids))}
    plan = adapter.plan(QUERIES)
    ran = []
    hook = model.transformer.wte.register_forward_hook(lambda _m, args, _o: ran.append(args[0].numel()))
    adapter.likelihood(QUERIES)
    hook.remove()
    # rows hold 64 tokens here, and a beginning is repeated in each row that it is in
    assert len(prefixes) <= plan.tokens <= len(prefixes) + 8 * len(plan.inputs)
    assert sum(ran) == plan.padded_tokens
    assert str(plan) == (
        f"32 queries → 32 distinct inputs in {len(plan.batches)} batches, {sum(map(len, inputs)) - 32} tokens, "
        f"with shared prefixes {plan.tokens} tokens ({plan.padded_tokens} padded)"
    )


inputs = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=8), min_size=1, max_size=30)


@given(texts=inputs, length=st.integers(8, 60))
def test_a_row_contains_its_texts_and_nothing_else(texts, length):
    encoded = [Encoded(tuple(ids), tuple(range(len(ids))), tuple(ids)) for ids in texts]
    plan = make_plan([*encoded, Refusal("no")], Budget())
    shared = share_beginnings(plan, Budget(), length)
    if shared.sharing is None:
        assert shared is plan
        return
    assert max(map(len, shared.inputs)) <= length
    assert shared.queries[-1] == Refusal("no")
    for ids, readings in zip(texts, shared.queries[:-1], strict=True):
        found = [shared.readings[r] for r in readings]
        row, parents = shared.inputs[found[0].input], shared.sharing.parents[found[0].input]
        assert [row[reading.position] for reading in found] == ids
        assert [parents[reading.position] for reading in found] == [-1, *(r.position for r in found[:-1])]
    if len(shared.inputs) == 1:
        assert shared.tokens == len({tuple(ids[:end]) for ids in texts for end in range(1, len(ids) + 1)})
    assert (shared.distinct_inputs, shared.sharing.tokens) == (plan.distinct_inputs, plan.tokens)


def test_texts_without_a_common_beginning_are_not_laid_out_in_rows():
    encoded = [Encoded((n, n + 1, n + 2), (0, 1), (1, 1)) for n in range(0, 90, 3)]
    plan = make_plan(encoded, Budget())
    assert share_beginnings(plan, Budget(), 30) is plan


def test_rows_are_no_longer_than_budget_model_and_window_allow():
    assert row_length(20, Budget(2_048, 1_000), (None, None)) == 256
    assert row_length(200, Budget(2_048, 1_000), (None, None)) == 800
    assert row_length(200, Budget(2_048, 500), (None, None)) == 500
    assert row_length(20, Budget(2_048, 1_000), (64, 48)) == 48
    assert row_length(20, Budget(8, 8), (None, None)) == 20


def test_a_window_shorter_than_a_text_is_respected():
    model, tokenizer = _mistral(sliding_window=4)
    adapter = load((model, tokenizer))
    longest = max(len(item.ids) for item in encode_sentences(QUERIES, tokenizer)) - 1
    plan = adapter.plan(QUERIES)
    assert plan.sharing is None
    assert plan.unshared == f"a layer sees 4 tokens, and a text has {longest}"
    assert str(plan).endswith(f"; prefixes are not shared: {plan.unshared}")
    assert scores_of(adapter.likelihood(QUERIES)) == pytest.approx(alone(model, tokenizer), abs=1e-5)


def test_a_window_longer_than_every_text_does_not_matter():
    model, tokenizer = _mistral(sliding_window=24)
    adapter = load((model, tokenizer))
    plan = adapter.plan(QUERIES)
    assert max(map(len, plan.inputs)) <= 24
    assert plan.sharing is not None
    assert scores_of(adapter.likelihood(QUERIES)) == pytest.approx(alone(model, tokenizer), abs=1e-5)


def _mamba(tokenizer):
    config = hf.MambaConfig(vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=2, state_size=4)
    return hf.MambaForCausalLM(config)


def _bloom(tokenizer):
    config = hf.BloomConfig(vocab_size=len(tokenizer), hidden_size=32, n_layer=2, n_head=2, initializer_range=0.25)
    return hf.BloomForCausalLM(config)


def _recurrent_gemma(tokenizer):
    config = hf.RecurrentGemmaConfig(
        vocab_size=len(tokenizer),
        num_key_value_heads=1,
        head_dim=16,
        attention_window_size=64,
        **(SIZES | {"num_hidden_layers": 3}),  # the third has attention
    )
    return hf.RecurrentGemmaForCausalLM(config)


@pytest.mark.parametrize("build", [_mamba, _bloom, _recurrent_gemma])
def test_who_cannot_share_says_so_and_scores_without(build):
    """A recurrence reads the row as one text; ALiBi measures distances in the row."""
    tokenizer = pair("gpt2")[1]
    torch.manual_seed(3)
    model = build(tokenizer).eval()
    adapter = load((model, tokenizer))
    plan = adapter.plan(QUERIES)
    assert plan.sharing is None
    assert model.config.model_type in plan.unshared
    assert scores_of(adapter.likelihood(QUERIES)) == pytest.approx(alone(model, tokenizer), abs=1e-5)
