"""States that a run cannot resume from: renamed with a warning, and the run ends as if there had been none."""

import pickle
import warnings
import zipfile
from dataclasses import replace

import pytest
import torch

from biascheck.core.errors import BiascheckWarning
from biascheck.mitigation.training import train
from support.lines import RECIPE, Line, model, weights


@pytest.fixture
def state(tmp_path):
    """The state of a run that was interrupted after the seventh of twelve steps."""
    path = tmp_path / "run.training"
    interrupted(path)
    return path


@pytest.fixture(scope="module")
def expected():
    whole = model()
    train(whole, Line(), RECIPE)
    return weights(whole)


def interrupted(path, fitted=None, recipe=RECIPE):
    with pytest.raises(KeyboardInterrupt):
        train(fitted or model(), Line(fail_at=7), recipe, state=path, save_every=0)


def empty(path):
    path.write_bytes(b"")


def truncated(path):
    path.write_bytes(path.read_bytes()[:-100])


def one_bit_of_a_parameter(path):
    """Torch itself would read it without a word."""
    with zipfile.ZipFile(path) as archive:
        name = next(name for name in archive.namelist() if name.endswith("data/0"))
        content = archive.read(name)
    whole = bytearray(path.read_bytes())
    whole[whole.index(content)] ^= 1
    path.write_bytes(bytes(whole))
    torch.load(path, weights_only=True)


def text(path):
    path.write_text("not a state")


class Harmful:
    def __reduce__(self):
        return print, ("code was run",)


def plain_pickle(path):
    path.write_bytes(pickle.dumps(Harmful()))


def pickle_of_torch(path):
    torch.save({"model": Harmful()}, path)


def other_archive(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("notes.txt", "mine")


def a_tensor(path):
    torch.save(torch.ones(3), path)


def folder(path):
    path.unlink()
    (path / "sub").mkdir(parents=True)


def dangling_link(path):
    path.unlink()
    path.symlink_to(path.with_name("nothing"))


def of_another_model(path):
    path.unlink()
    interrupted(path, model(width=9))


def of_other_names(path):
    path.unlink()
    interrupted(
        path, torch.nn.ModuleDict({"a": model()})["a"].append(torch.nn.Identity()).append(torch.nn.Linear(1, 1))
    )


def of_another_recipe(path):
    path.unlink()
    interrupted(path, recipe=replace(RECIPE, learning_rate=0.04))


def of_another_format(path):
    changed(path, lambda kept: kept.update(format="biascheck training 1"))


def without_optimizer(path):
    changed(path, lambda kept: kept.pop("optimizer"))


def with_moments_of_another_shape(path):
    changed(path, lambda kept: kept["optimizer"]["state"][0].update(exp_avg=torch.ones(2)))


def without_best(path):
    changed(path, lambda kept: kept.update(best={}))


def with_a_list_for_a_tensor(path):
    changed(path, lambda kept: kept["model"].update({"0.weight": [1.0]}))


def with_a_history_of(**fields):
    def damage(path):
        changed(path, lambda kept: kept["history"].update(fields))

    damage.__name__ = f"history_{'_'.join(fields)}"
    return damage


def changed(path, change):
    kept = torch.load(path, weights_only=True)
    change(kept)
    torch.save(kept, path)


DAMAGES = [
    empty,
    truncated,
    one_bit_of_a_parameter,
    text,
    plain_pickle,
    pickle_of_torch,
    other_archive,
    a_tensor,
    folder,
    dangling_link,
    of_another_model,
    of_other_names,
    of_another_recipe,
    of_another_format,
    without_optimizer,
    with_moments_of_another_shape,
    without_best,
    with_a_list_for_a_tensor,
    with_a_history_of(step=9),
    with_a_history_of(step=-1),
    with_a_history_of(step="7"),
    with_a_history_of(losses=None),
    with_a_history_of(losses=[1.0]),
    with_a_history_of(best_epoch=5),
    with_a_history_of(stopped=True),
    with_a_history_of(unknown=1),
]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_a_foreign_state_is_set_aside_and_training_starts_again(state, expected, damage, capsys):
    damage(state)
    if state.name not in [path.name for path in state.parent.iterdir()]:
        pytest.fail("the damage removed the state")
    fitted, task = model(), Line()
    with pytest.warns(BiascheckWarning) as said:
        history = train(fitted, task, RECIPE, state=state, save_every=0)
    (warning,) = said
    line = str(warning.message)
    assert line.startswith(f"training state {state} cannot be resumed (")
    assert line.endswith("it is renamed to run.training.damaged-1, and training starts again")
    assert "\n" not in line
    assert (task.taken, history.step) == (12, 12)
    assert torch.equal(weights(fitted), expected)
    assert sorted(path.name for path in state.parent.iterdir()) == ["run.training", "run.training.damaged-1"]
    assert "code was run" not in capsys.readouterr().out


def test_the_warning_says_what_was_found(state):
    of_another_model(state)
    with pytest.warns(BiascheckWarning, match=r"its parameters have other shapes or types, 0\.weight first"):
        train(model(), Line(), RECIPE, state=state)


def test_each_is_stored_under_its_own_number(state):
    for _ in range(3):
        empty(state)
        with pytest.warns(BiascheckWarning):
            train(model(), Line(), RECIPE, state=state)
    found = sorted(path.name for path in state.parent.iterdir())
    assert found == ["run.training", *(f"run.training.damaged-{n}" for n in (1, 2, 3))]


@pytest.mark.filterwarnings("error")
def test_a_state_of_this_run_is_not_set_aside(state, expected):
    fitted, task = model(), Line()
    train(fitted, task, RECIPE, state=state, save_every=0)
    assert task.taken == 5
    assert torch.equal(weights(fitted), expected)


@pytest.mark.filterwarnings("error")
def test_a_half_written_state_of_a_killed_run_is_replaced(state, expected):
    partial = state.with_name("run.training.partial")
    partial.mkdir()
    fitted = model()
    train(fitted, Line(), RECIPE, state=state, save_every=0)
    assert torch.equal(weights(fitted), expected)
    assert not partial.exists()


def test_every_flipped_byte_is_noticed_or_harmless(state, expected):
    """No byte of the file, when it is another, gives other weights."""
    whole = state.read_bytes()
    for place in range(0, len(whole), 211):
        state.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        fitted = model()
        with warnings.catch_warnings(record=True):
            train(fitted, Line(), RECIPE, state=state)
        assert torch.equal(weights(fitted), expected), place
