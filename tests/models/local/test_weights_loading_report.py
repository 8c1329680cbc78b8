"""Weights that the model does not use, layers that would be cut off, and outputs that never vary."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

import biascheck
from biascheck.core.errors import BiascheckWarning, ModelError
from biascheck.models.scoring.queries import SentenceQuery
from support.model_folders import configure, save_folder
from support.oracle import query
from support.tiny import FAMILIES, fresh_pair, pair

SON = query("My son is a nurse.", "son")
LAYERS = {"distilbert": "n_layers", "gpt2": "n_layer"}


def add_tensors(folder: Path, *names: str) -> None:
    file = folder / "model.safetensors"
    save_file(load_file(file) | {name: torch.ones(2) for name in names}, file, metadata={"format": "pt"})


def silently(folder, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error", BiascheckWarning)
        return biascheck.load(folder, **options)


@pytest.mark.parametrize("family", FAMILIES)
def test_whole_models_and_their_bodies_load_in_silence(family, tmp_path):
    folder = save_folder(tmp_path, family)
    assert silently(folder).kind == FAMILIES[family].kind
    assert silently(folder, kind="encoder").kind == "encoder"


@pytest.mark.parametrize(
    "names",
    [
        ("bert.pooler.dense.weight", "cls.seq_relationship.weight", "cls.seq_relationship.bias"),
        ("bert.embeddings.position_ids",),
        ("classifier.0.weight", "qa_outputs.bias"),
    ],
)
def test_heads_of_other_tasks_are_normal(names, tmp_path):
    folder = save_folder(tmp_path)
    add_tensors(folder, *names)
    silently(folder)


def test_other_tensors_of_the_body_are_reported(tmp_path):
    folder = save_folder(tmp_path)
    add_tensors(folder, "bert.encoder.layer.0.extra.weight", "bert.embeddings.more.weight")
    with pytest.warns(BiascheckWarning, match="2 tensors in the weights are not used by BertForMaskedLM") as caught:
        biascheck.load(folder)
    assert "embeddings.more.weight, encoder.layer.0.extra.weight" in str(caught[0].message)


@pytest.mark.parametrize("kind", [None, "encoder"])
@pytest.mark.parametrize("family", [name for name in FAMILIES if name not in ("albert", "modernbert")])
def test_a_configuration_with_fewer_layers_than_the_weights_is_refused(family, kind, tmp_path):
    folder = save_folder(tmp_path, family)
    types = getattr(pair(family)[0].config, "layer_types", None)
    configure(folder, **{LAYERS.get(family, "num_hidden_layers"): 1, **({"layer_types": types[:1]} if types else {})})
    with pytest.raises(ModelError, match=r"the weights have layers that config.json leaves out \(.*\.1 …\)"):
        biascheck.load(folder, kind=kind)


def test_modernbert_with_fewer_layers_is_refused(tmp_path):
    folder = save_folder(tmp_path, "modernbert")
    layer_types = pair("modernbert")[0].config.layer_types[:1]
    configure(folder, num_hidden_layers=1, layer_types=layer_types)
    with pytest.raises(ModelError):
        biascheck.load(folder)


@pytest.mark.parametrize("family", ["bert-uncased", "albert", "gpt2", "distilbert"])
@pytest.mark.parametrize("layers", [0, -1])
def test_a_configuration_without_layers_is_refused(layers, family, tmp_path):
    folder = save_folder(tmp_path, family)
    name = LAYERS.get(family, "num_hidden_layers")
    configure(folder, **{name: layers})
    with pytest.raises(ModelError, match=f"{name} is {layers}, and a model has 1 to 4,096"):
        biascheck.load(folder, lazy=True)


def emptied(model):
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
    return model


@pytest.mark.parametrize("origin", ["memory", "folder"])
@pytest.mark.parametrize("family", ["bert-uncased", "gpt2", "llama"])
def test_all_zero_weights_are_refused_when_they_are_first_used(family, origin, tmp_path):
    model, tokenizer = fresh_pair(family)
    emptied(model).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    handle = biascheck.load((model, tokenizer) if origin == "memory" else tmp_path, name="empty")
    with pytest.raises(ModelError, match="empty: the outputs are constant"):
        handle.fill([SON]) if handle.kind == "masked" else handle.likelihood([SentenceQuery("A nurse.")])


def test_an_empty_encoder_is_refused():
    model, tokenizer = fresh_pair("bert-uncased")
    encoder = biascheck.load((emptied(model), tokenizer), kind="encoder", name="empty")
    with pytest.raises(ModelError, match="empty: the outputs are constant"):
        encoder.sentences(["My son."])


def test_an_empty_classifier_is_refused():
    model, tokenizer = pair("bert-uncased")
    labels = {"id2label": {0: "negative", 1: "positive"}}
    classifier = transformers.BertForSequenceClassification(transformers.BertConfig(**model.config.to_dict() | labels))
    handle = biascheck.load((emptied(classifier), tokenizer), name="empty")
    with pytest.raises(ModelError, match="empty: the outputs are constant"):
        handle.rate(["son"])


def test_a_model_that_cannot_run_is_refused_with_a_reason():
    model, tokenizer = fresh_pair("bert-uncased")
    model.bert.encoder.layer[0].intermediate.dense = torch.nn.Linear(7, 48)
    with pytest.raises(ModelError, match="a trial with one short text failed"):
        biascheck.load((model, tokenizer)).fill([SON])


def test_the_trial_leaves_a_model_in_training_as_it_was():
    model, tokenizer = fresh_pair("bert-uncased")
    model.train()
    biascheck.load((model, tokenizer)).fill([SON])
    assert model.training
