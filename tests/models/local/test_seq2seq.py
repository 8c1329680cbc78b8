"""Encoder-decoder models: what the decoder writes for a context, against its plain forward pass."""

from __future__ import annotations

import pytest
import torch
import transformers as hf

from biascheck.core.errors import CapabilityError, ModelError
from biascheck.models.base import capabilities_of, require_capability
from biascheck.models.local.loader import load
from biascheck.models.scoring.continuations import ChoiceQuery, choose
from biascheck.models.scoring.queries import ContinuationQuery, Refusal
from support.tiny import pair, roberta_tokenizer


def _t5():
    tokenizer = pair("gpt2")[1]
    config = hf.T5Config(
        vocab_size=len(tokenizer),
        d_model=32,
        d_kv=16,
        d_ff=48,
        num_layers=2,
        num_heads=2,
        initializer_factor=3.0,
        decoder_start_token_id=0,
        pad_token_id=0,
        eos_token_id=0,
    )
    return hf.T5ForConditionalGeneration(config), tokenizer


def _bart():
    tokenizer = roberta_tokenizer()
    config = hf.BartConfig(
        vocab_size=len(tokenizer),
        d_model=32,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=48,
        decoder_ffn_dim=48,
        max_position_embeddings=64,
        init_std=0.25,
        bos_token_id=0,
        pad_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=2,
        forced_eos_token_id=None,
    )
    return hf.BartForConditionalGeneration(config), tokenizer


@pytest.fixture(params=[_t5, _bart], ids=["t5", "bart"], scope="module")
def built(request):
    torch.manual_seed(3)
    model, tokenizer = request.param()
    return model.eval(), tokenizer


def decoded(model, tokenizer, context: str, target: str) -> float:
    """Each token of the target by a forward pass of its own; BART's targets begin with <s>, which is not scored."""
    start = [model.config.decoder_start_token_id]
    if isinstance(model, hf.BartForConditionalGeneration):
        start = [*start, tokenizer.bos_token_id]
    tokens = tokenizer.encode(target, add_special_tokens=False)
    total = 0.0
    for place, token in enumerate(tokens):
        with torch.no_grad():
            out = model(
                input_ids=torch.tensor([tokenizer(context)["input_ids"]]),
                decoder_input_ids=torch.tensor([[*start, *tokens[:place]]]),
            )
        total += float(out.logits[0, -1].double().log_softmax(-1)[token])
    return total


CASES = [("Who is a nurse? My son", "My son"), ("The man is a plumber.", "nurse at work"), ("My son", "a")]


def test_a_continuation_is_what_the_decoder_writes_for_its_context(built):
    model = load(built)
    answers = model.continuations([ContinuationQuery(context, f" {target}") for context, target in CASES])
    expected = [decoded(*built, context, target) for context, target in CASES]
    assert [answer.log_probability for answer in answers] == pytest.approx(expected, rel=1e-5)
    assert [a.pieces for a in answers] == [len(built[1].encode(t, add_special_tokens=False)) for _, t in CASES]
    assert isinstance(model.continuations([ContinuationQuery("a", " ")])[0], Refusal)


def test_options_are_chosen_and_text_is_written(built):
    model = load(built)
    [choice] = choose(model, [ChoiceQuery("Who is a nurse?", ("My son", "My daughter"))])
    assert sum(choice.shares) == pytest.approx(1)
    alone = [model.generate([context], max_tokens=5)[0] for context, _ in CASES]
    assert model.generate([context for context, _ in CASES], max_tokens=5) == alone


def test_it_can_be_asked_for_continuations_and_for_nothing_else(built):
    model = load(built)
    assert capabilities_of(model) == {"scores continuations", "generates"}
    with pytest.raises(CapabilityError):
        require_capability(model, ("embeds words",), "WEAT")


def test_a_folder_is_loaded_and_known_by_its_files(built, tmp_path):
    for part in built:
        part.save_pretrained(tmp_path)
    model = load(tmp_path, name="folder")
    asked = [ContinuationQuery(*case) for case in CASES]
    found = [answer.log_probability for answer in model.continuations(asked)]
    assert found == pytest.approx([a.log_probability for a in load(built).continuations(asked)], rel=1e-5)
    assert model.kind == "seq2seq"
    assert model.about["architecture"] == type(built[0]).__name__


def test_empty_weights_are_refused():
    model, tokenizer = _bart()
    with torch.no_grad():
        for weights in model.parameters():
            weights.zero_()
    with pytest.raises(ModelError, match="the outputs are constant"):
        load((model, tokenizer)).continuations([ContinuationQuery("My son", "is")])
