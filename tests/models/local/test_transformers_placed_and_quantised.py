"""Layers on several devices, and quantised checkpoints: scores are those of the same weights in one place."""

from __future__ import annotations

import sys
from importlib.util import find_spec

import pytest
import torch
import transformers

from biascheck.core.errors import ModelError, UsageError
from biascheck.models.local.loader import load
from biascheck.models.local.transformers import entrance_of, is_placed, quantisation_of
from biascheck.models.scoring.queries import SentenceQuery
from support.tiny import fresh_pair

QUERIES = [SentenceQuery(f"My {who} is a {job}.") for who in ("son", "daughter") for job in ("nurse", "plumber")]
SPREAD = {
    "model.embed_tokens": "cpu",
    "model.rotary_emb": "cpu",
    "model.layers.0": "cpu",
    "model.layers.1": "disk",
    "model.norm": "cpu",
    "lm_head": "cpu",
}


@pytest.fixture
def folder(tmp_path):
    model, tokenizer = fresh_pair("llama")
    model.save_pretrained(tmp_path / "llama")
    tokenizer.save_pretrained(tmp_path / "llama")
    return tmp_path / "llama"


def scores(model):
    return [answer.log_probability for answer in model.likelihood(QUERIES)]


@pytest.mark.parametrize("device_map", ["auto", {"": "cpu"}, SPREAD], ids=["auto", "one", "spread"])
def test_a_spread_model_scores_as_one_in_one_place(folder, device_map):
    whole, spread = load(folder), load(folder, device_map=device_map)
    assert scores(spread) == pytest.approx(scores(whole), abs=1e-6)
    assert spread.fingerprint == whole.fingerprint  # where it runs does not change what it is
    assert (is_placed(spread.torch_model), spread.device) == (True, "cpu")


def test_a_layer_on_disk_is_brought_in_by_its_hook(folder):
    """One layer has no numbers in memory, so that nothing but the hook can have brought them."""
    spread = load(folder, device_map=SPREAD)
    away = {parameter.device.type for parameter in spread.torch_model.model.layers[1].parameters()}
    assert away == {"meta"}
    assert entrance_of(spread.torch_model) == "cpu"
    assert scores(spread) == pytest.approx(scores(load(folder)), abs=1e-6)
    with pytest.raises(ModelError, match=r"is not in memory.*load it by its folder"):
        load((spread.torch_model, spread.tokenizer))


def test_a_spread_encoder_gives_the_same_states(folder):
    whole, spread = (load(folder, kind="encoder", **how) for how in ({}, {"device_map": "auto"}))
    texts = [query.text for query in QUERIES]
    for one, other in zip(whole.sentences(texts), spread.sentences(texts), strict=True):
        assert one.vector == pytest.approx(other.vector, abs=1e-6)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"device_map": "cuda:0"}, r"'cuda:0' is not one of auto, .*for a single device use device='cuda:0'"),
        ({"device_map": "auto", "device": "cpu"}, "a device or a device map, not both"),
    ],
)
def test_a_map_that_says_nothing_is_refused(folder, options, reason):
    with pytest.raises(UsageError, match=reason):
        load(folder, **options)


def test_a_model_in_memory_is_where_it_is(folder):
    with pytest.raises(UsageError, match="for the folder of a whole model"):
        load(fresh_pair("llama"), device_map="auto")
    assert folder.is_dir()


def test_without_accelerate_the_remedy_is_named(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "accelerate", None)
    with pytest.raises(ModelError, match=r"a device map needs accelerate, .* pip install 'pytest-biascheck\[local\]'"):
        load(folder, device_map="auto")


def test_what_a_configuration_says_of_its_quantisation():
    model, _ = fresh_pair("llama")
    assert quantisation_of(model) == ""
    model.config.quantization_config = {"quant_method": "gptq", "bits": 4}
    assert quantisation_of(model) == "gptq, 4 bits"
    model.config.quantization_config = transformers.BitsAndBytesConfig(load_in_8bit=True)
    assert quantisation_of(model).startswith("bitsandbytes")


@pytest.fixture
def torchao_folder(folder, tmp_path):
    """A real checkpoint of torchao, eight bits for each weight, written and read by transformers."""
    if find_spec("torchao") is None:
        pytest.skip("needs torchao")
    from torchao.quantization import Int8WeightOnlyConfig

    how = transformers.TorchAoConfig(Int8WeightOnlyConfig())
    made = transformers.AutoModelForCausalLM.from_pretrained(folder, quantization_config=how, dtype=torch.float32)
    made.save_pretrained(tmp_path / "int8")
    transformers.AutoTokenizer.from_pretrained(folder).save_pretrained(tmp_path / "int8")
    return tmp_path / "int8"


def test_a_quantised_checkpoint_loads_by_its_folder(folder, torchao_folder):
    plain, rounded = load(folder), load(torchao_folder)
    assert rounded.about["quantisation"].startswith("torchao")
    assert "quantisation" not in plain.about
    assert rounded.fingerprint != plain.fingerprint
    assert scores(rounded) == pytest.approx(by_hand(rounded), abs=1e-4)
    assert scores(rounded) != pytest.approx(scores(plain), abs=1e-7)  # eight bits are not 32
    assert scores(rounded) == pytest.approx(scores(plain), abs=0.2)


def test_a_change_of_quantised_weights_in_memory_is_seen(torchao_folder):
    rounded = load(torchao_folder)
    before = rounded.fingerprint
    assert rounded.fingerprint == before
    with torch.no_grad():
        rounded.torch_model.model.layers[0].mlp.up_proj.weight.qdata[0, 0] ^= 1
    assert rounded.fingerprint != before


def by_hand(loaded):
    """Each sentence by itself through the model as transformers reads it."""
    found = []
    for item in QUERIES:
        ids = loaded.tokenizer(item.text, add_special_tokens=False).input_ids
        start = loaded.plan([item]).inputs[0][0]
        with torch.inference_mode():
            logs = loaded.torch_model(torch.tensor([[start, *ids]])).logits[0].double().log_softmax(-1)
        found.append(sum(float(logs[place, token]) for place, token in enumerate(ids)))
    return found
