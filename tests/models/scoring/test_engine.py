"""States that reach the head, hooks left on the model, and scores that are not finite."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from biascheck.core.errors import ScoreError
from biascheck.models.local.loader import load
from biascheck.models.scoring.encode import encode_sentences
from biascheck.models.scoring.engine import TorchEngine, execute
from biascheck.models.scoring.plan import Budget, TokenReading, make_plan
from biascheck.models.scoring.queries import SentenceQuery
from support.oracle import ids_by_tokens, masked_score, query
from support.tiny import CAUSAL, MASKED, fresh_pair, loaded, pair

QUERIES = [
    query("My son is a nurse.", "son"),
    query("My boyfriend is a nurse at work.", "boyfriend", "nurse"),
    query("My daughter is a plumber at work, and she is the woman.", "daughter"),
]


def _hooks(model) -> int:
    return sum(len(module._forward_hooks) + len(module._forward_pre_hooks) for module in model.modules())


def _head_of(model):
    return model.get_output_embeddings()


def _positions_through_head(model, run) -> int:
    run()  # a new model is tried once on a sentence of ours, which is not what is counted
    seen = []
    handle = _head_of(model).register_forward_hook(lambda _m, args, _o: seen.append(args[0].shape[:-1].numel()))
    try:
        run()
    finally:
        handle.remove()
    return sum(seen)


@pytest.mark.parametrize("family", MASKED)
def test_the_head_sees_only_the_positions_that_are_asked_for(family):
    model = loaded(family)
    plan = model.plan(QUERIES)
    asked = {(reading.input, reading.position) for reading in plan.readings}

    passed = _positions_through_head(model.torch_model, lambda: model.fill(QUERIES))

    assert passed == len(asked) < plan.tokens / 2


@pytest.mark.parametrize("family", CAUSAL)
def test_the_head_of_a_causal_model_sees_every_distinct_prefix_that_goes_on_once(family):
    model = loaded(family)
    sentences = [SentenceQuery(asked.text) for asked in QUERIES]
    inputs = [item.ids for item in encode_sentences(sentences, model.tokenizer)]
    prefixes = {ids[:end] for ids in inputs for end in range(1, len(ids))}

    passed = _positions_through_head(model.torch_model, lambda: model.likelihood(sentences))

    assert passed == len(prefixes) == model.plan(sentences).tokens < sum(map(len, inputs)) - len(inputs)


@pytest.mark.parametrize("family", ["bert-uncased", "modernbert"])
def test_the_model_is_left_without_hooks(family):
    model = load(pair(family))
    model.fill(QUERIES)
    assert _hooks(model.torch_model) == 0


@pytest.mark.parametrize("stop", [KeyboardInterrupt, RuntimeError])
def test_the_model_is_left_without_hooks_when_stopped_in_the_middle(stop):
    model = load(fresh_pair("bert-uncased"))
    before = model.fill(QUERIES)

    def interrupt(*_):
        raise stop("stopped")

    handle = _head_of(model.torch_model).register_forward_hook(interrupt)
    with pytest.raises(stop, match="stopped"):
        model.fill(QUERIES)
    handle.remove()

    assert _hooks(model.torch_model) == 0
    after = [answer.log_probability for answer in model.fill(QUERIES)]
    assert after == pytest.approx([answer.log_probability for answer in before], abs=1e-5)


class MixesPositions(torch.nn.Module):
    """A language model whose head needs all positions: it adds the first state to every other."""

    def __init__(self, model):
        super().__init__()
        self.inner, self.config = model, model.config
        self.base_model = model.base_model

    def forward(self, input_ids, attention_mask):
        states = self.base_model(input_ids, attention_mask=attention_mask).last_hidden_state
        if states.shape[:2] != input_ids.shape:
            states = torch.zeros(*input_ids.shape, states.shape[-1])
        mixed = states + states[:, :1]
        return type("Output", (), {"logits": self.inner.cls(mixed)})()


def test_a_head_that_is_not_applied_position_by_position_gets_the_whole_sentence():
    model, tokenizer = pair("bert-uncased")
    mixing = MixesPositions(model).eval()
    engine = TorchEngine(mixing, pad_token=tokenizer.pad_token_id, device="cpu")
    ids = ids_by_tokens(tokenizer, QUERIES[0])
    longer = ids_by_tokens(tokenizer, QUERIES[2])
    readings = [TokenReading(0, 2, 7), TokenReading(1, 2, 9), TokenReading(1, 3, 9)]

    scores = engine.run([ids, longer], readings)

    with torch.no_grad():
        for score, reading in zip(scores, readings, strict=True):
            row = torch.tensor([[ids, longer][reading.input]])
            logits = mixing(row, torch.ones_like(row)).logits[0, reading.position]
            assert score == pytest.approx(float(logits.log_softmax(-1)[reading.token]), abs=1e-5)


def test_scoring_leaves_a_model_in_training_as_it_was():
    model, tokenizer = fresh_pair("bert-uncased")
    model.train()  # dropout would show
    adapter = load((model, tokenizer))
    state = torch.random.get_rng_state()
    [first], [second] = adapter.fill(QUERIES[:1]), adapter.fill(QUERIES[:1])
    assert first.log_probability == pytest.approx(second.log_probability, abs=1e-5)
    assert torch.equal(state, torch.random.get_rng_state())
    assert all(parameter.grad is None for parameter in model.parameters())
    assert model.training
    model.eval()
    expected = masked_score(model, tokenizer, QUERIES[0], ids_by_tokens(tokenizer, QUERIES[0]))
    assert first.log_probability == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("damage", [float("nan"), float("inf")])
def test_damaged_weights_are_an_error_that_names_the_remedy(damage):
    model, tokenizer = fresh_pair("bert-uncased")
    with torch.no_grad():
        model.bert.encoder.layer[0].output.dense.bias[3] = damage
    with pytest.raises(ScoreError) as caught:
        load((model, tokenizer), name="damaged").fill(QUERIES[:1])
    assert str(caught.value) == (
        "damaged: 1 of 1 log-probabilities are not finite; "
        "the weights are damaged or the precision is too low (try dtype='float32')"
    )


class Counting:
    """An engine whose answer is the reading's own token number, so that sums are known."""

    def __init__(self):
        self.inputs = []

    def run(self, inputs, readings):
        self.inputs += inputs
        return np.array([-float(reading.token) for reading in readings])


def test_an_answer_is_the_sum_of_its_readings_and_its_number_of_tokens():
    asked = [query("My boyfriend is a nurse.", "boyfriend"), query("My son is a nurse.", "son")]
    model = loaded("bert-uncased")
    engine = Counting()
    plan = model.plan(asked * 2)
    answers = execute(plan, engine)
    for one, answer in zip(asked * 2, answers, strict=True):
        ids = model.tokenizer.convert_tokens_to_ids(model.tokenizer.tokenize(one.target.of(one.text)))
        assert (answer.log_probability, answer.pieces) == (-sum(ids), len(ids))
    assert len(engine.inputs) == 2


def test_a_plan_of_refusals_alone_runs_nothing():
    engine = Counting()
    [refusal] = loaded("bert-uncased").fill([query("My ☃ is a nurse.", "☃")])
    assert execute(make_plan([refusal], Budget()), engine) == [refusal]
    assert engine.inputs == []
