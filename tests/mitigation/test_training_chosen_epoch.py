"""The chosen epoch: by loss, by accuracy, or the last one; the three differ on a problem solved by hand.

One number t grows by the learning rate in every epoch. Three pronouns "she" in a context that is learnt slowly
(log-odds t − 2.5 for "she") and two pronouns "he" in one that is learnt wrongly and fast (log-odds 4t for "she"):
after t = 1 the slow context is still wrong but nothing is certain; from t = 3 on it is right, and the fast context is
wrong with certainty, which costs loss and no accuracy. After t = 5 "she" is so certain that the loss is worst.
"""

from copy import deepcopy
from dataclasses import replace
from math import exp, log

import pytest
import torch

from biascheck.core.errors import UsageError
from biascheck.mitigation.language import LanguageTask
from biascheck.mitigation.recipes import RECIPES, LanguageRecipe, Recipe
from biascheck.mitigation.training import summed_score, train

EPOCHS = 5
SLOW, FAST = 3, 2
CONSTANT = Recipe(epochs=EPOCHS, learning_rate=1.0, warmup=0.0, weight_decay=0.0, patience=EPOCHS, clip=1e9)


class Climb(torch.nn.Module):
    """The number t."""

    def __init__(self):
        super().__init__()
        self.t = torch.nn.Parameter(torch.zeros(()))


class Pronouns:
    """One batch an epoch, which lifts t; validation on five pronouns whose log-odds are known."""

    def __init__(self, recipe):
        self.recipe = recipe

    def batches(self, epoch):
        return [epoch]

    def loss(self, model, batch):
        return -model.t * (batch >= 0)

    def validate(self, model):
        she = torch.cat([(model.t - 2.5).expand(SLOW), (4 * model.t).expand(FAST)])
        logits = torch.stack([torch.zeros_like(she), she], dim=1)
        return summed_score(logits, torch.tensor([1] * SLOW + [0] * FAST), self.recipe) / (SLOW + FAST)


def softplus(x):
    return log(1 + exp(x))


def known(t):
    """Loss and accuracy on the five pronouns, on paper."""
    loss = (SLOW * softplus(2.5 - t) + FAST * softplus(4 * t)) / (SLOW + FAST)
    right = SLOW * (t > 2.5) + FAST * (t < 0)
    return loss, right / (SLOW + FAST)


@pytest.fixture
def climbed(monkeypatch):
    """t after each epoch is 1, 2, … 5: Adam's first steps of a constant gradient are as long as the rate."""
    monkeypatch.setattr("biascheck.mitigation.training.learning_rate", lambda *_: 1.0)

    def run(chosen):
        recipe = replace(CONSTANT, chosen_epoch=chosen)
        model = Climb()
        return train(model, Pronouns(recipe), recipe), float(model.t.detach())

    return run


@pytest.mark.parametrize(
    ("chosen", "epoch"),
    [("lowest loss", 1), ("highest accuracy", 3), ("last", 5)],
)
def test_the_three_choices_keep_three_different_epochs(climbed, chosen, epoch):
    history, t = climbed(chosen)
    assert (history.best_epoch + 1, t) == (epoch, pytest.approx(epoch, abs=1e-3))
    losses, accuracies = zip(*(known(n) for n in range(1, EPOCHS + 1)), strict=True)
    assert (min(range(EPOCHS), key=losses.__getitem__), accuracies) == (0, (0, 0, 0.6, 0.6, 0.6))
    figures = [1 - share for share in accuracies] if chosen == "highest accuracy" else losses
    assert history.losses == pytest.approx(figures, abs=1e-2)


def test_the_last_epoch_ends_no_run_early(climbed):
    """Its loss grows from epoch to epoch, and a patience of one would have ended it after the second."""
    history, _ = climbed("last")
    assert (history.losses == sorted(history.losses), history.stopped, history.step) == (True, False, EPOCHS)


def test_pronoun_accuracy_is_the_share_of_pronouns_that_are_most_probable(tiny, small_text):
    """A model that says "she" for every mask is right where the text says "she": a share that can be counted."""
    task = LanguageTask.of(*small_text.split(0.4), RECIPES["manela2021-unaugmented"], tiny)
    model = deepcopy(tiny.torch_model).eval()
    she = tiny.tokenizer.convert_tokens_to_ids("she")
    with torch.no_grad():
        model.get_output_embeddings().bias[she] += 100
        hidden = [example.ids[place] for example in task.held_out for place in example.pronouns]
        assert 0 < hidden.count(she) < len(hidden)
        assert task.validate(model) == pytest.approx(1 - hidden.count(she) / len(hidden), abs=1e-9)


def test_the_recipes_of_manela_choose_by_accuracy_and_the_others_by_loss():
    chosen = {name: recipe.chosen_epoch for name, recipe in RECIPES.items() if name != "bartl2020"}
    assert chosen == {
        "manela2021-augmented": "highest accuracy",
        "manela2021-unaugmented": "highest accuracy",
        "lora": "lowest loss",
    }


def test_an_unknown_choice_is_refused_with_those_there_are():
    with pytest.raises(UsageError, match="chosen_epoch is one of lowest loss, highest accuracy, last, not 'best'"):
        LanguageRecipe(chosen_epoch="best")
