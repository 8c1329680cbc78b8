"""Fine-tuned classifiers: one for each recipe, base and data, made once, resumed bit for bit, loaded like a folder."""

import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Lock

import pytest
import torch

import biascheck
from biascheck.core.errors import UsageError
from biascheck.corpora import Review, Reviews, reviews, written_reviews
from biascheck.mitigation import (
    SMALL,
    ClassifierRecipe,
    Condition,
    classifier as module,
    fine_tune_classifier,
    quality_of,
)
from biascheck.mitigation.checkpoints import fetch_checkpoint
from biascheck.mitigation.classifier import ReviewTask
from biascheck.mitigation.training import train
from biascheck.models.local.classifier import Window

RECIPE = ClassifierRecipe(epochs=2, batch=8, learning_rate=1e-3, pieces=32, patience=2)
SOME = Reviews("some", reviews().items[:40])


@pytest.fixture(scope="module")
def base():
    return biascheck.load("reference:tiny")


def bytes_of(classifier) -> bytes:
    folder = Path(classifier.torch_model.config.name_or_path)
    return (folder / "model.safetensors").read_bytes()


def interrupt_after(monkeypatch, steps):
    taken = 0
    loss = ReviewTask.loss

    def counted(self, model, batch):
        nonlocal taken
        if taken == steps:
            raise KeyboardInterrupt
        taken += 1
        return loss(self, model, batch)

    monkeypatch.setattr(ReviewTask, "loss", counted)


def test_an_interrupted_fine_tuning_ends_with_the_same_checkpoint(base, monkeypatch, tmp_path):
    expected = bytes_of(fine_tune_classifier(base, SOME, RECIPE))
    monkeypatch.setenv("BIASCHECK_CACHE", str(tmp_path / "other"))
    monkeypatch.setattr(module, "train", partial(train, save_every=0.0))
    with monkeypatch.context() as inner:
        interrupt_after(inner, 7)
        with pytest.raises(KeyboardInterrupt):
            fine_tune_classifier(base, SOME, RECIPE)
    left = list((tmp_path / "other" / "checkpoints").iterdir())
    assert [path.suffix for path in left if path.suffix != ".lock"] == [".training"]
    resumed = fine_tune_classifier(base, SOME, RECIPE)
    assert bytes_of(resumed) == expected
    assert not list((tmp_path / "other" / "checkpoints").glob("*.training"))


def test_the_second_call_trains_nothing(base, monkeypatch):
    first = fine_tune_classifier(base, SOME, RECIPE)
    monkeypatch.setattr(module, "train", lambda *_a, **_k: pytest.fail("trained again"))
    second = fine_tune_classifier(base, SOME, RECIPE)
    assert second.fingerprint == first.fingerprint
    assert second.rate(SOME.texts) == first.rate(SOME.texts)


def test_another_recipe_or_other_data_is_another_checkpoint(base):
    prints = {
        fine_tune_classifier(base, SOME, RECIPE).fingerprint,
        fine_tune_classifier(base, SOME, ClassifierRecipe(**{**vars(RECIPE), "seed": 1})).fingerprint,
        fine_tune_classifier(base, Condition.named("R-all").apply(SOME), RECIPE).fingerprint,
    }
    assert len(prints) == 3


def test_the_folder_says_what_it_is(base):
    classifier = fine_tune_classifier(base, SOME, RECIPE, name="tiny·some")
    folder = Path(classifier.torch_model.config.name_or_path)
    facts = json.loads((folder / "recipe.json").read_text(encoding="utf-8"))
    assert facts["recipe"]["learning_rate"] == 1e-3
    assert (facts["base"], facts["reviews"]) == (base.fingerprint, SOME.fingerprint)
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "36 trained on, 4 held out" in card
    again = biascheck.load(folder, kind="classifier")
    assert again.labels == {0: "negative", 1: "positive"}
    assert again.window == Window(32, "head")
    assert again.rate(SOME.texts) == classifier.rate(SOME.texts)


def test_what_is_frozen_stays_as_in_the_base(base):
    recipe = ClassifierRecipe(**{**vars(RECIPE), "frozen_layers": 1})
    trained = fine_tune_classifier(base, SOME, recipe).torch_model.base_model.state_dict()
    before = base.torch_model.base_model.state_dict()
    moved = {name for name, value in before.items() if not torch.equal(value, trained[name])}
    assert all("encoder.layer.1." in name for name in moved)
    assert moved


def test_it_can_learn_a_word(base):
    """Reviews that a word decides: the classifier must find it."""
    items = [
        Review(f"{n}", f"{'good' if n % 2 else 'work'} day at {word}", "positive" if n % 2 else "negative")
        for n, word in enumerate(["work", "people", "position", "flower", "day", "insect"] * 10)
    ]
    recipe = ClassifierRecipe(epochs=12, batch=8, learning_rate=5e-3, pieces=16, patience=12, freeze_embeddings=False)
    learned = fine_tune_classifier(base, Reviews("words", tuple(items)), recipe)
    quality = quality_of(learned, Reviews("words", tuple(items)), of_class="positive")
    assert quality.accuracy == quality.f1 == 1.0


def test_all_versions_of_a_review_are_on_one_side(base):
    task = ReviewTask.of(Condition.named("mix-all").apply(SOME), RECIPE, base)
    assert (len(task.fitted), len(task.held_out)) == (72, 8)
    batches = task.batches(0)
    assert sorted(e.ids for batch in batches for e in batch) == sorted(e.ids for e in task.fitted)
    assert [[e.ids for e in batch] for batch in task.batches(1)] != [[e.ids for e in batch] for batch in batches]


def test_a_causal_model_can_be_made_a_classifier():
    from support.tiny import loaded

    classifier = fine_tune_classifier(loaded("gpt2"), SOME, RECIPE)
    alone = [classifier.rate([text])[0] for text in SOME.texts[:6]]
    assert classifier.rate(SOME.texts)[:6] == pytest.approx(alone, abs=1e-5)


def test_an_encoder_can_be_made_a_classifier(base):
    """Its body is the same as that of the language model, so all but the pooler is what it was."""
    recipe = ClassifierRecipe(**{**vars(RECIPE), "frozen_layers": 2})
    classifier = fine_tune_classifier(biascheck.encoder_of(base), SOME, recipe)
    made, before = (model.torch_model.base_model.state_dict() for model in (classifier, base))
    assert all(torch.equal(made[name], value) for name, value in before.items() if "pooler" not in name)
    assert 0 < min(classifier.rate(SOME.texts)) < max(classifier.rate(SOME.texts)) < 1


def test_a_classifier_is_not_made_one_again(base):
    classifier = fine_tune_classifier(base, SOME, RECIPE)
    with pytest.raises(
        UsageError, match="is a classifier already; measure it as it is, or pass the model it was fine-tuned from"
    ):
        fine_tune_classifier(classifier, SOME, RECIPE)


def test_too_few_reviews(base):
    with pytest.raises(UsageError, match="some: 2 reviews are too few for training and validation"):
        fine_tune_classifier(base, Reviews("some", SOME.items[:2]), RECIPE)


def test_a_checkpoint_is_built_by_one_worker_while_others_wait():
    built, guard = [], Lock()

    def build(folder, _state):
        with guard:
            built.append(folder)
        (folder / "weights").write_text("x", encoding="utf-8")

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _n: fetch_checkpoint("m", {"a": 1}, build), range(8)))
    assert len(built) == 1
    assert len(set(found)) == 1
    assert (found[0] / "weights").is_file()


def test_a_cache_that_cannot_be_written(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("BIASCHECK_CACHE", str(tmp_path / "file"))
    with pytest.raises(UsageError, match=r"checkpoints cannot be kept in .*; set BIASCHECK_CACHE to a writable folder"):
        fetch_checkpoint("m", {}, lambda _f, _s: None)


# Our own reviews are enough to train classifiers on that can be measured: the floor of the suite has room below.


ENOUGH = 0.75


@pytest.mark.slow
@pytest.mark.parametrize("name", ["original", "R-all", "mix-all"])
def test_the_default_model_learns_to_rate_them_under_every_condition(name):
    condition = Condition.named(name)
    trained = condition.apply(reviews("train"))
    classifier = fine_tune_classifier(
        biascheck.load("minilm-mlm", lazy=True), trained, condition.steps_kept(SMALL), treatment=name
    )
    assert quality_of(classifier, condition.apply(reviews("test"))).accuracy >= ENOUGH
    # those that were written one by one are harder, and far above chance (0.5 + 3 standard errors)
    assert quality_of(classifier, condition.apply(written_reviews("test"))).accuracy > 0.63
