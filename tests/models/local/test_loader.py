"""Folders of every architecture there and back, fingerprints, late loading, names, devices and precision."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import biascheck
from biascheck.core.errors import ModelError, UsageError
from biascheck.core.identity import fingerprint_of_pair
from biascheck.models.base import CausalModel, MaskedModel
from biascheck.models.local.bundled import build_reference
from biascheck.models.local.folders import inspect_folder, kind_of_architecture
from biascheck.models.local.loader import load
from biascheck.models.scoring.queries import SentenceQuery
from support.oracle import query
from support.tiny import CAUSAL, FAMILIES, fresh_pair, loaded, pair

QUERIES = [
    query("My son is a nurse.", "son"),
    query("My boyfriend is a phlebotomist at work.", "boyfriend", "phlebotomist"),
]


def save(folder: Path, family: str) -> Path:
    model, tokenizer = pair(family)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def scores(model):
    if model.kind == "masked":
        return [answer.log_probability for answer in model.fill(QUERIES)]
    return [answer.log_probability for answer in model.likelihood([SentenceQuery(q.text) for q in QUERIES])]


@pytest.fixture(scope="module")
def bert_folder(tmp_path_factory) -> Path:
    return save(tmp_path_factory.mktemp("models") / "my-bert", "bert-uncased")


@pytest.mark.parametrize("family", FAMILIES)
def test_a_saved_folder_scores_as_the_model_did(family, tmp_path):
    folder = save(tmp_path / family, family)

    first, second = load(folder), load(str(folder))

    assert scores(first) == pytest.approx(scores(loaded(family)), abs=1e-5)
    assert first.name == family
    assert first.kind == FAMILIES[family].kind
    assert isinstance(first, CausalModel if family in CAUSAL else MaskedModel)
    assert first.fingerprint == second.fingerprint
    assert len(first.fingerprint) == 64


def test_one_changed_weight_is_another_model(tmp_path, bert_folder):
    model, tokenizer = fresh_pair("bert-uncased")
    with torch.no_grad():
        model.bert.encoder.layer[1].output.dense.bias[0] += 1e-6
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)

    changed, original = load(tmp_path, lazy=True), load(bert_folder, lazy=True)

    assert changed.fingerprint != original.fingerprint
    assert changed.pair_fingerprint.tokenizer == original.pair_fingerprint.tokenizer


def test_another_tokenizer_is_another_model(tmp_path, bert_folder):
    pair("bert-uncased")[0].save_pretrained(tmp_path)
    pair("bert-uncased")[1].save_pretrained(tmp_path)
    file = tmp_path / "tokenizer.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    content["normalizer"]["lowercase"] = False
    file.write_text(json.dumps(content), encoding="utf-8")

    changed, original = load(tmp_path, lazy=True), load(bert_folder, lazy=True)

    assert changed.fingerprint != original.fingerprint
    assert changed.pair_fingerprint.weights == original.pair_fingerprint.weights


def test_another_precision_is_another_model(bert_folder):
    half = load(bert_folder, dtype="bfloat16")
    assert half.torch_model.dtype == torch.bfloat16
    assert half.fingerprint != load(bert_folder, lazy=True).fingerprint
    # Without oneDNN: where a sandbox reports AMX and does not allow it, its bfloat16 kernels kill the process.
    with torch.backends.mkldnn.flags(enabled=False):
        assert scores(half) == pytest.approx(scores(loaded("bert-uncased")), rel=0.1)


def test_a_pair_is_known_by_its_tensors_its_tokenizer_and_its_precision():
    model, tokenizer = fresh_pair("bert-uncased")
    before = fingerprint_of_pair(model, tokenizer)
    assert before == fingerprint_of_pair(*fresh_pair("bert-uncased"))
    assert before.dtype == "float32"

    with torch.no_grad():
        model.cls.predictions.bias[0] += 1e-6
    after = fingerprint_of_pair(model, tokenizer)
    assert after.weights != before.weights
    assert after.tokenizer == before.tokenizer

    tokenizer.add_tokens(["newword"])
    assert fingerprint_of_pair(model, tokenizer).tokenizer != before.tokenizer
    halved = fingerprint_of_pair(model.bfloat16(), tokenizer)
    assert halved.dtype == "bfloat16"
    assert halved.digest != after.digest


def test_where_a_pair_came_from_does_not_matter(tmp_path, bert_folder):
    """The same files in two folders are the same model, in memory too."""
    import transformers

    other = save(tmp_path / "elsewhere", "bert-uncased")
    prints = [
        fingerprint_of_pair(
            transformers.BertForMaskedLM.from_pretrained(folder),
            transformers.AutoTokenizer.from_pretrained(folder),
        )
        for folder in (bert_folder, other)
    ]
    assert prints[0] == prints[1]


def test_a_lazy_model_is_checked_but_not_read(bert_folder, monkeypatch):
    def never(*_args, **_kwargs):
        raise AssertionError("the weights were read")

    monkeypatch.setattr("biascheck.models.local.loader._read_folder", never)
    model = load(bert_folder, lazy=True)
    assert model.name == "my-bert"
    assert model.fingerprint
    with pytest.raises(AssertionError, match="the weights were read"):
        model.fill(QUERIES)
    with pytest.raises(ModelError, match=r"no config\.json"):
        load(bert_folder.parent, lazy=True)


def test_a_model_describes_itself(bert_folder):
    model = load(bert_folder, lazy=True)
    assert model.about == {
        "architecture": "BertForMaskedLM",
        "parameters": f"{sum(p.numel() for p in set(model.torch_model.parameters())):,}",
        "tokenizer": f"WordPiece, {len(model.tokenizer):,} tokens",
        "precision": "float32",
    }


def test_a_lazy_model_loads_with_the_first_score(bert_folder):
    assert scores(load(bert_folder, lazy=True)) == pytest.approx(scores(load(bert_folder)), abs=1e-5)


def test_a_lazy_model_imports_neither_torch_nor_transformers(bert_folder):
    program = f"""
import sys
from biascheck.models.local.loader import load
model = load({str(bert_folder)!r}, lazy=True)
assert len(model.fingerprint) == 64
print(sorted({{"torch", "transformers"}} & set(sys.modules)))
"""
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_model_takes_the_name_of_its_folder_by_default(bert_folder, monkeypatch):
    assert load(bert_folder, lazy=True).name == "my-bert"
    assert load(bert_folder, lazy=True, name="ours").name == "ours"
    assert repr(load(bert_folder, lazy=True)) == "TransformersMaskedModel('my-bert')"
    monkeypatch.chdir(bert_folder)
    assert load(".", lazy=True).name == "my-bert"
    monkeypatch.setenv("HOME", str(bert_folder.parent))
    assert load("~/my-bert", lazy=True).name == "my-bert"


def test_a_pair_takes_the_name_of_its_class_by_default():
    assert load(fresh_pair("bert-uncased")).name == "BertForMaskedLM"
    assert load(pair("bert-uncased"), name="ours").name == "ours"


def test_an_unknown_precision_names_the_known_ones(bert_folder):
    with pytest.raises(UsageError, match=r"^dtype 'int8' is not one of float32, float16, bfloat16, float64$"):
        load(bert_folder, dtype="int8")


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a CUDA device")
def test_a_device_that_is_not_there_is_refused_before_anything_is_read(bert_folder):
    with pytest.raises(UsageError, match=r"^device 'cuda' cannot be used here \(.+\); use 'cpu' or another device$"):
        load(bert_folder, device="cuda", lazy=True)


def test_a_device_that_does_not_exist_is_refused(bert_folder):
    with pytest.raises(UsageError, match="device 'abacus' cannot be used here"):
        load(bert_folder, device="abacus")


def test_the_longest_input_leaves_out_what_the_position_table_reserves():
    assert loaded("bert-uncased").max_length == 64
    assert loaded("roberta").max_length == 64  # a table of 66, of which padding takes two
    assert loaded("xlm-roberta").max_length == 64
    assert loaded("mpnet").max_length == 64
    assert loaded("gpt2").max_length == 64


@pytest.mark.parametrize("family", ["bert-uncased", "roberta", "xlm-roberta", "mpnet", "gpt2"])
def test_an_input_of_the_longest_length_is_scored_and_one_more_is_refused(family):
    model = loaded(family)
    room = model.max_length - (1 if model.kind == "causal" else 2)  # the opening and closing tokens
    longest, beyond = "son" + " nurse" * (room - 1), "son" + " nurse" * room
    short = len(model.tokenizer.tokenize("son")) - 1
    longest = longest.removesuffix(" nurse" * short) if short else longest
    assert len(model.tokenizer.tokenize(longest)) == room
    if model.kind == "causal":
        answer, refusal = model.likelihood([SentenceQuery(longest), SentenceQuery(beyond)])
    else:
        answer, refusal = model.fill([query(longest, "son"), query(beyond, "son")])
    assert answer.log_probability < 0
    reached = len(model.tokenizer.tokenize(beyond)) + model.max_length - room
    assert refusal.reason == (
        f"{reached} tokens, and this model reads at most {model.max_length}; shorten the sentence"
    )


@pytest.mark.parametrize(
    ("architecture", "kind"),
    [
        ("BertForMaskedLM", "masked"),
        ("BertForPreTraining", "masked"),
        ("XLMWithLMHeadModel", "masked"),
        ("FlaubertWithLMHeadModel", "masked"),
        ("GPT2LMHeadModel", "causal"),
        ("BertLMHeadModel", "causal"),
        ("LlamaForCausalLM", "causal"),
        ("BertModel", None),
        ("BertForSequenceClassification", "classifier"),
        ("BertForTokenClassification", None),
    ],
)
def test_the_kind_of_a_head_is_known_by_its_name(architecture, kind):
    assert kind_of_architecture(architecture) == kind


def test_the_files_of_a_trainer_are_no_weights(bert_folder, tmp_path):
    """A checkpoint of the transformers Trainer also holds pickled optimiser state; it is not read."""
    folder = save(tmp_path / "checkpoint-3", "bert-uncased")
    for name in ("training_args.bin", "optimizer.pt", "scheduler.pt", "rng_state.pth"):
        (folder / name).write_bytes(b"pickle")
    found = inspect_folder(folder)
    assert [path.name for path in found.weights] == ["model.safetensors", "config.json"]
    assert not found.pickled
    assert load(folder, lazy=True).fingerprint == load(bert_folder, lazy=True).fingerprint


def test_the_hub_is_asked_for_safe_files_only(monkeypatch, bert_folder):
    asked = {}

    def fetch(hub_id, *, revision, allow_patterns):
        asked[hub_id] = (revision, allow_patterns)
        return str(bert_folder)

    monkeypatch.setattr("huggingface_hub.snapshot_download", fetch)
    model = load("org/one", lazy=True)
    load("org/two", lazy=True, revision="abc", allow_pickle=True, trust_remote_code=True)

    safe = ["*.json", "*.safetensors", "*.txt", "*.model", "*.jinja"]
    assert asked == {"org/one": (None, safe), "org/two": ("abc", [*safe, "*.bin", "*.py"])}
    assert model.name == "org/one"


def test_the_tiny_reference_is_the_same_every_time():
    first, second = biascheck.load("reference:tiny"), biascheck.load("reference:tiny")
    assert first.name == "reference:tiny"
    assert first.fingerprint == second.fingerprint
    assert scores(first) == pytest.approx(scores(second), abs=1e-5)
    _, tokenizer = build_reference("reference:tiny")
    assert tokenizer.tokenize("My son works.") == ["my", "son", "works", "."]


def test_building_a_reference_leaves_the_random_state_alone():
    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    build_reference("reference:tiny")
    assert torch.equal(torch.rand(3), expected)
