"""A classifier starts where transformers' own classes start: with every tensor that the checkpoint has."""

import pytest
import torch
import transformers as hf

import biascheck
from biascheck.mitigation import ClassifierRecipe
from biascheck.mitigation.classifier import classifier_from

RECIPE = ClassifierRecipe(dropout=0.5, pieces=32)
PRETRAINED = {
    "bert-uncased": hf.BertForPreTraining,
    "albert": hf.AlbertForPreTraining,
    "roberta": hf.RobertaForMaskedLM,
    "distilbert": hf.DistilBertForMaskedLM,
}
"""The classes that the published checkpoints were saved from."""
POOLERS = {"bert-uncased": "bert.pooler.dense.weight", "albert": "albert.pooler.weight"}


@pytest.fixture(params=PRETRAINED)
def family(request):
    return request.param


@pytest.fixture
def fresh_pair():
    from support.tiny import fresh_pair

    return fresh_pair


@pytest.fixture
def checkpoint(family, fresh_pair, tmp_path):
    masked, tokenizer = fresh_pair(family)
    torch.manual_seed(11)
    model = PRETRAINED[family](masked.config)
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    return tmp_path


def started_by_transformers(folder):
    model, report = hf.AutoModelForSequenceClassification.from_pretrained(
        folder, num_labels=2, output_loading_info=True, local_files_only=True
    )
    return model.state_dict(), set(report["missing_keys"])


def test_every_starting_tensor_is_that_of_transformers(family, checkpoint):
    expected, drawn = started_by_transformers(checkpoint)
    ours = classifier_from(biascheck.load(checkpoint, kind="masked"), RECIPE).state_dict()
    assert ours.keys() == expected.keys()
    differing = {name for name, tensor in expected.items() if not torch.equal(ours[name], tensor)}
    # What the checkpoint lacks is drawn at random by both; biases start at zero and may agree.
    assert differing <= drawn
    assert {name for name in drawn if name.endswith("weight")} <= differing
    assert all(ours[name].shape == expected[name].shape for name in drawn)
    if family in POOLERS:
        assert POOLERS[family] in expected.keys() - drawn


def test_an_encoder_of_the_same_files_starts_alike(checkpoint):
    """Also where the encoder's class would have drawn a pooler of its own."""
    masked = classifier_from(biascheck.load(checkpoint, kind="masked"), RECIPE).state_dict()
    encoder = classifier_from(biascheck.load(checkpoint, kind="encoder"), RECIPE).state_dict()
    assert all(torch.equal(masked[name], encoder[name]) for name in masked)


def test_without_a_pooler_in_the_files_it_is_drawn_from_the_seed(fresh_pair, tmp_path):
    model, tokenizer = fresh_pair("bert-uncased")
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    base = biascheck.load(tmp_path)
    one, again, other = (
        classifier_from(base, ClassifierRecipe(pieces=32, seed=seed)).state_dict() for seed in (0, 0, 1)
    )
    name = POOLERS["bert-uncased"]
    assert torch.equal(one[name], again[name])
    assert not torch.equal(one[name], other[name])
