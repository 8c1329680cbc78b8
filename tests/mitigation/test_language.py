"""Checkpoints of language models: ordinary folders, made once, resumed, and rebuilt when damaged."""

import json
import multiprocessing
import re
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace

import pytest
import torch
from safetensors.torch import load_file

import biascheck
from biascheck.core.errors import BiascheckWarning, UsageError
from biascheck.mitigation import RECIPES, checkpoint_folder, fine_tune, held_out, language as module, treated
from support.tiny import fresh_pair


def weights_of(folder):
    return load_file(folder / "model.safetensors")


def same(first, second):
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)


def test_a_checkpoint_is_an_ordinary_folder(tiny, small_text, quick):
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    folder = checkpoint_folder(tiny, small_text, quick)
    model, report = AutoModelForMaskedLM.from_pretrained(folder, output_loading_info=True)
    assert not report["missing_keys"]
    assert not report["unexpected_keys"]
    assert len(AutoTokenizer.from_pretrained(folder)) == len(tiny.tokenizer)
    facts = json.loads((folder / "recipe.json").read_text())
    assert facts["base"] == tiny.fingerprint
    assert facts["documents"] == small_text.fingerprint
    assert facts["recipe"]["treatment"] == "cds"
    record = json.loads((folder / "training.json").read_text())
    assert record["losses"][-1] < record["loss_before"]
    assert f"fingerprint {tiny.fingerprint}" in (folder / "README.md").read_text()
    assert not same(dict(model.named_parameters()), dict(tiny.torch_model.named_parameters()))


def test_the_base_is_left_as_it_was(tiny, small_text, quick):
    before = {name: value.clone() for name, value in tiny.torch_model.state_dict().items()}
    fine_tune(tiny, small_text, replace(quick, rank=4, name="adapter"))
    assert same(before, tiny.torch_model.state_dict())


def test_the_second_time_nothing_is_trained(tiny, small_text, quick, monkeypatch):
    first = fine_tune(tiny, small_text, quick)
    monkeypatch.setattr(module, "train", None)
    assert fine_tune(tiny, small_text, quick).fingerprint == first.fingerprint


@pytest.mark.parametrize("change", [{"seed": 1}, {"treatment": "cda"}, {"epochs": 1}, {"rank": 2}])
def test_another_recipe_is_another_checkpoint(tiny, small_text, quick, change):
    assert checkpoint_folder(tiny, small_text, quick) != checkpoint_folder(tiny, small_text, replace(quick, **change))


def test_a_killed_training_resumes_and_ends_with_the_same_weights(tiny, small_text, quick, monkeypatch, own_cache):
    whole = weights_of(checkpoint_folder(tiny, small_text, quick))
    monkeypatch.setenv("BIASCHECK_CACHE", str(own_cache.with_name("other")))
    train = module.train
    seen = []

    class Killed(BaseException):
        pass

    def killed(model, task, recipe, **options):
        loss = task.loss

        def counted(*arguments):
            seen.append(1)
            if len(seen) == 7:
                raise Killed
            return loss(*arguments)

        object.__setattr__(task, "loss", counted)
        return train(model, task, recipe, save_every=0.0, **options)

    monkeypatch.setattr(module, "train", killed)
    with pytest.raises(Killed):
        checkpoint_folder(tiny, small_text, quick)
    (left,) = own_cache.with_name("other").joinpath("checkpoints").glob("*.training")
    assert torch.load(left, weights_only=True)["history"]["step"] == 6
    taken = len(seen)
    resumed = checkpoint_folder(tiny, small_text, quick)
    total = quick.epochs * len(module.LanguageTask.of(*_parts(small_text, quick), quick, tiny).batches(0))
    assert len(seen) - taken == total - 6
    assert same(whole, weights_of(resumed))
    assert not left.exists()


def _parts(documents, recipe):
    return treated(documents, recipe).documents.split(recipe.validation, seed=recipe.seed)


@pytest.mark.parametrize("damage", ["flipped", "short", "gone", "undigested"])
def test_a_damaged_checkpoint_is_noticed_and_made_again(tiny, small_text, quick, damage):
    folder = checkpoint_folder(tiny, small_text, quick)
    weights = folder / "model.safetensors"
    good = weights.read_bytes()
    if damage == "flipped":
        weights.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    elif damage == "short":
        weights.write_bytes(good[: len(good) // 2])
    elif damage == "gone":
        weights.unlink()
    else:
        (folder / "digests.json").unlink()
    with pytest.warns(BiascheckWarning, match="files are not those that were written; it is trained again"):
        assert checkpoint_folder(tiny, small_text, quick) == folder
    assert weights.read_bytes() == good


def _worker(text, recipe):
    torch.set_num_threads(1)
    built = []
    build = module._build
    module._build = lambda *arguments, **options: (built.append(1), build(*arguments, **options))
    model = fine_tune(biascheck.load("reference:tiny"), text, recipe)
    return len(built), model.fingerprint


def test_two_processes_train_one_checkpoint_once(small_text, quick):
    with ProcessPoolExecutor(2, multiprocessing.get_context("fork")) as pool:
        found = [asked.result() for asked in [pool.submit(_worker, small_text, quick) for _ in range(2)]]
    assert sorted(built for built, _ in found) == [0, 1]
    assert len({fingerprint for _, fingerprint in found}) == 1


def test_an_adapter_is_merged_into_plain_weights(tiny, small_text, quick):
    """All matrices but embeddings and decoder have moved; no adapter is left."""
    recipe = replace(quick, rank=4, name="adapter", learning_rate=1e-2)
    found = weights_of(checkpoint_folder(tiny, small_text, recipe))
    base = dict(tiny.torch_model.named_parameters())
    assert found.keys() == base.keys()
    moved = {name for name in found if not torch.equal(found[name], base[name])}
    matrices = {name for name, value in base.items() if value.dim() == 2 and "embeddings" not in name}
    assert moved == matrices - {"cls.predictions.decoder.weight"}


def test_frozen_layers_stay(tiny, small_text, quick):
    recipe = replace(quick, frozen_layers=1, freeze_embeddings=True, name="frozen")
    found = weights_of(checkpoint_folder(tiny, small_text, recipe))
    base = dict(tiny.torch_model.named_parameters())
    moved = {name for name in found if not torch.equal(found[name], base[name])}
    assert not any("layer.0." in name or "embeddings" in name for name in moved)
    assert any("layer.1." in name for name in moved)


def test_a_recipe_that_freezes_all_layers_says_so(small_text, quick):
    model = biascheck.load(fresh_pair("llama"), name="two layers")
    with pytest.raises(UsageError, match="'frozen' leaves nothing to train: it freezes 2 layers, and this model"):
        fine_tune(model, small_text, replace(quick, rank=2, frozen_layers=2, name="frozen"))


def test_held_out_documents_are_not_trained_on(tiny, small_text, quick, monkeypatch):
    parts = []
    of = module.LanguageTask.of
    monkeypatch.setattr(
        module.LanguageTask, "of", classmethod(lambda _c, *arguments: (parts.append(arguments[:2]), of(*arguments))[1])
    )
    fine_tune(tiny, small_text, quick)
    ((fitted, aside),) = parts
    expected = {document.id for document in held_out(small_text, quick)}
    assert {document.source for document in aside} == expected
    assert {document.source for document in fitted}.isdisjoint(expected)


def test_pronouns_by_the_recipes_of_manela(tiny, small_text):
    for kind in ("augmented", "unaugmented"):
        recipe = replace(RECIPES[f"manela2021-{kind}"], epochs=1, patience=1)
        assert fine_tune(tiny, small_text, recipe).treatment == (f"manela2021-{kind}",)


@pytest.mark.parametrize("family", ["gpt2", "llama"])
def test_a_causal_model_goes_on_reading(small_text, quick, family):
    base = biascheck.load(fresh_pair(family), name=family)
    after = fine_tune(base, small_text, quick)
    assert after.kind == "causal"
    losses = [biascheck.measures.held_out_loss(model, held_out(small_text, quick)).estimate for model in (base, after)]
    assert losses[1] < losses[0]
    with pytest.raises(UsageError, match=r"objective='pronouns', unlike 'language', needs a model that fills masks"):
        fine_tune(base, small_text, "manela2021-augmented")


def test_without_peft_the_remedy_is_told(tiny, small_text, quick, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "peft", None)
    message = "pip install 'pytest-biascheck[lora]', or use rank=0 to train the weights themselves"
    with pytest.raises(UsageError, match=re.escape(message)):
        fine_tune(tiny, small_text, replace(quick, rank=4))


# A recipe that holds out nothing trains on every document and ends with the last epoch's weights.


def test_every_document_is_trained_on(tiny, small_text, quick):
    whole = replace(quick, name="whole", validation=0.0, chosen_epoch="last")
    folders = [checkpoint_folder(tiny, small_text, recipe) for recipe in (whole, quick)]
    all_of_it, most_of_it = (json.loads((folder / "training.json").read_text()) for folder in folders)
    assert all_of_it["inputs"] == [sum(most_of_it["inputs"]), 0]
    assert all_of_it["kept_epoch"] == whole.epochs
    assert "nothing was held out" in (folders[0] / "README.md").read_text(encoding="utf-8")
    with pytest.raises(UsageError, match="the recipe whole holds out no documents; measure the loss on another text"):
        held_out(small_text, whole)
