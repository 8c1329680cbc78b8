"""The training loop on a problem small enough to know: schedule, early stopping, and resuming after an interruption."""

import math

import pytest
import torch

from biascheck.core.errors import UsageError
from biascheck.mitigation.recipes import ClassifierRecipe, Recipe
from biascheck.mitigation.training import History, learning_rate, train
from support.lines import RECIPE, Line, model, weights


def test_it_learns():
    fitted = model()
    history = train(fitted, Line(), RECIPE)
    assert history.step == 12
    with torch.no_grad():
        untrained = Line().validate(model())
    assert history.losses[history.best_epoch] == min(history.losses) < untrained
    assert not fitted.training


@pytest.mark.parametrize("cut", [0, 1, 3, 5, 11])
def test_a_run_that_was_interrupted_ends_with_the_same_weights(cut, tmp_path):
    whole = model()
    expected = train(whole, Line(), RECIPE)
    state = tmp_path / "run.training"
    with pytest.raises(KeyboardInterrupt):
        train(model(), Line(fail_at=cut), RECIPE, state=state, save_every=0)
    resumed, rest = model(), Line()
    history = train(resumed, rest, RECIPE, state=state, save_every=0)
    assert torch.equal(weights(resumed), weights(whole))
    assert history == expected
    assert rest.taken == 12 - cut
    assert not list(tmp_path.glob("*.partial"))


def test_a_run_that_finished_is_not_run_again(tmp_path):
    state = tmp_path / "run.training"
    first = model()
    train(first, Line(), RECIPE, state=state)
    again, task = model(), Line()
    train(again, task, RECIPE, state=state)
    assert task.taken == 0
    assert torch.equal(weights(again), weights(first))


def test_the_state_holds_nothing_that_could_run_code(tmp_path):
    state = tmp_path / "run.training"
    train(model(), Line(), RECIPE, state=state)
    assert torch.load(state, weights_only=True)["history"]["step"] == 12


def test_the_weights_are_those_of_the_best_epoch():
    """The second epoch is the best: stopping there by hand must give the same weights."""
    long, short = model(), model()
    history = train(long, Line(figures=[3.0, 1.0, 2.0, 2.5]), RECIPE)
    assert (history.best_epoch, history.step) == (1, 12)
    task = Line(figures=[3.0, 1.0], fail_at=6)
    with pytest.raises(KeyboardInterrupt):
        train(short, task, RECIPE)
    assert torch.equal(weights(long), weights(short))


def test_patience_ends_a_run():
    history = train(model(), Line(figures=[1.0, 2.0, 0.5, 0.1]), Recipe(epochs=4, learning_rate=0.05, patience=1))
    assert (history.step, history.stopped, history.losses) == (6, True, [1.0, 2.0])


def test_frozen_parameters_stay():
    fitted, fresh = model(), model()
    fitted[0].weight.requires_grad = False
    train(fitted, Line(), RECIPE)
    assert torch.equal(fitted[0].weight, fresh[0].weight)
    assert not torch.equal(fitted[2].weight, fresh[2].weight)


def test_another_seed_gives_other_weights_and_the_callers_randomness_is_left_alone():
    first, second = model(), model()
    torch.manual_seed(1)
    expected = torch.rand(2)
    torch.manual_seed(1)
    train(first, Line(), RECIPE)
    assert torch.equal(torch.rand(2), expected)
    train(second, Line(), Recipe(epochs=4, learning_rate=0.05, patience=4, seed=1))
    assert not torch.equal(weights(first), weights(second))


def test_the_rate_rises_and_falls_in_straight_lines():
    recipe = Recipe(learning_rate=1.0, warmup=0.2)
    rates = [learning_rate(step, 10, recipe) for step in range(10)]
    assert rates[:2] == [0.5, 1.0]
    assert all(math.isclose(a, b) for a, b in zip(rates[2:], [1 - n / 8 for n in range(8)], strict=True))
    assert learning_rate(0, 10, Recipe(learning_rate=1.0, warmup=0.0)) == 1.0


def test_history_counts_epochs_since_the_best():
    history = History()
    assert [history.after_epoch(loss, Recipe(patience=2)) for loss in (1.0, 2.0, 0.5)] == [True, False, True]
    assert not history.stopped


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"epochs": 0}, "epochs is at least 1, not 0"),
        ({"learning_rate": 0.0}, "a learning rate of 0 learns nothing"),
        ({"dropout": 1.0}, "dropout is a share from 0 to below 1, not 1"),
        ({"validation": 0.0}, "validation is a share between 0 and 1, not 0"),
        ({"pieces": 2}, "a window of 2 tokens fits no text; give at least 4"),
        ({"keep": "middle"}, "a window keeps 'head', 'tail' or 'both', not 'middle'"),
    ],
)
def test_recipes_that_cannot_work(fields, message):
    with pytest.raises(UsageError, match=message):
        ClassifierRecipe(**fields)
