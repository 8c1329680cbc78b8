"""A LoRA adapter as the peft library saves it, loaded by its folder; names, budgets and devices on the way."""

from __future__ import annotations

import json
import shutil

import pytest
import torch

from biascheck.core.errors import ModelError, UsageError
from biascheck.loading import load_any, named_spec
from biascheck.models.local.loader import load
from biascheck.models.scoring.queries import ContinuationQuery, SentenceQuery
from support.model_folders import save_folder
from support.oracle import query
from support.tiny import fresh_pair

peft = pytest.importorskip("peft")

TEXTS = ["My son is a nurse.", "My daughter is a nurse.", "This woman works as a plumber."]


def adapted(family: str, *, seed: int = 0):
    """A peft model with a LoRA on every matrix, its B no longer zero."""
    model, tokenizer = fresh_pair(family)
    torch.manual_seed(seed)
    lora = peft.LoraConfig(r=4, lora_alpha=16, target_modules="all-linear", init_lora_weights=False)
    return peft.get_peft_model(model, lora), tokenizer


@pytest.fixture
def folders(tmp_path):
    """The folders of a base and of an adapter that names it, and the scores of the merged weights."""

    def make(family: str):
        base = save_folder(tmp_path / "base", family)
        model, tokenizer = adapted(family)
        model.peft_config["default"].base_model_name_or_path = str(base)
        model.save_pretrained(tmp_path / "adapter")
        return base, tmp_path / "adapter", load((model.merge_and_unload(), tokenizer))

    return make


@pytest.mark.parametrize("family", ["gpt2", "llama"])
def test_a_causal_adapter_scores_as_its_merged_weights(folders, family):
    base, folder, merged = folders(family)
    model = load(folder)
    asked = [SentenceQuery(text) for text in TEXTS]
    expected = [answer.log_probability for answer in merged.likelihood(asked)]
    assert [answer.log_probability for answer in model.likelihood(asked)] == pytest.approx(expected, abs=1e-5)
    plain = [answer.log_probability for answer in load(base).likelihood(asked)]
    assert all(abs(one - other) > 0.01 for one, other in zip(plain, expected, strict=True))
    assert (model.name, model.kind) == ("adapter", "causal")


def test_a_masked_adapter_scores_as_its_merged_weights(folders):
    _, folder, merged = folders("bert-uncased")
    asked = [query("My son is a nurse.", "son"), query("My daughter is a nurse.", "daughter", "nurse")]
    expected = [answer.log_probability for answer in merged.fill(asked)]
    assert [answer.log_probability for answer in load(folder).fill(asked)] == pytest.approx(expected, abs=1e-5)


def test_base_and_adapter_are_both_in_the_fingerprint(folders, tmp_path):
    base, folder, _ = folders("gpt2")
    first = load(folder, lazy=True).fingerprint
    shutil.copytree(base, tmp_path / "elsewhere")
    assert load(folder, base=tmp_path / "elsewhere", lazy=True).fingerprint == first
    assert first != load(base, lazy=True).fingerprint
    other, _ = adapted("gpt2", seed=1)
    other.peft_config["default"].base_model_name_or_path = str(base)
    other.save_pretrained(tmp_path / "other")
    assert load(tmp_path / "other", lazy=True).fingerprint != first


def test_the_base_is_found_beside_the_adapter_or_given(folders, tmp_path):
    base, folder, merged = folders("gpt2")
    settings = json.loads((folder / "adapter_config.json").read_text(encoding="utf-8"))
    for named in ("../base", None, "./nowhere"):
        (folder / "adapter_config.json").write_text(json.dumps(settings | {"base_model_name_or_path": named}))
        if named == "../base":
            assert load(folder).fingerprint
        else:
            with pytest.raises(ModelError, match=r"base=… \(--bias-base on the command line\)"):
                load(folder, lazy=True)
            asked = [ContinuationQuery("My son", " is a nurse.")]
            [answer] = load(folder, base=base).continuations(asked)
            assert answer.log_probability == pytest.approx(merged.continuations(asked)[0].log_probability, abs=1e-5)
    assert tmp_path.exists()


def test_an_adapter_of_another_model_is_refused(folders, tmp_path):
    _, folder, _ = folders("gpt2")
    save_folder(tmp_path / "llama", "llama")
    with pytest.raises(ModelError, match="adapter"):
        load(folder, base=tmp_path / "llama")


def test_an_adapter_without_some_of_its_weights_is_refused(folders):
    from safetensors.torch import load_file, save_file

    _, folder, _ = folders("gpt2")
    weights = load_file(folder / "adapter_model.safetensors")
    weights.pop(sorted(weights)[0])
    save_file(weights, folder / "adapter_model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match="weights of the adapter are missing"):
        load(folder)


def test_a_changed_adapter_is_noticed(folders):
    _, folder, _ = folders("gpt2")
    lazy = load(folder, lazy=True)
    other, _ = adapted("gpt2", seed=1)
    other.save_pretrained(folder)
    with pytest.raises(ModelError, match="the files changed during the run"):
        lazy.likelihood([SentenceQuery("My son is a nurse.")])


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("small=./checkpoint", ("small", "./checkpoint")),
        ("my model=org/name", ("my model", "org/name")),
        ("glove=vectors:glove.txt", ("glove", "vectors:glove.txt")),
        ("reference:planted(dose=0.3)", (None, "reference:planted(dose=0.3)")),
        ("dose=reference:planted(dose=0.3)", ("dose", "reference:planted(dose=0.3)")),
        ("openai:http://host/v1#a=b", (None, "openai:http://host/v1#a=b")),
        ("./runs/lr=3/last", (None, "./runs/lr=3/last")),
        ("org/name", (None, "org/name")),
    ],
)
def test_a_name_may_precede_a_model(spec, expected):
    assert named_spec(spec) == expected


def test_a_folder_with_an_equals_sign_is_a_folder(tmp_path, monkeypatch):
    save_folder(tmp_path / "lr=3", "gpt2")
    monkeypatch.chdir(tmp_path)
    assert load_any("lr=3", lazy=True).name == "lr=3"
    assert load_any("mine=lr=3", lazy=True).name == "mine"


def test_a_token_budget_bounds_every_batch(tmp_path):
    folder = save_folder(tmp_path / "m", "gpt2")
    asked = [SentenceQuery(f"{chr(97 + n)} son is a nurse") for n in range(20)]
    assert load(folder, token_budget=32).plan(asked).padded_tokens >= 20
    assert all(len(batch.inputs) <= 4 for batch in load(folder, token_budget=32).plan(asked).batches)
    with pytest.raises(UsageError, match="token_budget 0 is not allowed"):
        load(folder, token_budget=0)


def test_auto_takes_what_there_is(tmp_path):
    folder = save_folder(tmp_path / "m", "gpt2")
    best = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    assert load(folder, device="auto", lazy=True).device == best
