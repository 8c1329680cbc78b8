"""Names of reference models: loading, errors, and that a dose is trained once."""

import json
from pathlib import Path

import pytest

import biascheck
from biascheck.core.errors import ModelError, UsageError
from biascheck.reference import specs as references, training
from biascheck.reference.specs import BUNDLED_DOSES, planted_folder, standard_folder, world_of
from biascheck.reference.world import World


@pytest.mark.parametrize(
    ("spec", "world"),
    [
        ("reference:parity", World(0.0)),
        ("reference:workforce", World(1.0)),
        ("reference:planted(dose=0.3)", World(0.3)),
        ("reference:planted(dose=.25)", World(0.25)),
        ("reference:planted(dose=1)", World(1.0)),
        ("reference:planted(dose=0.3, tilt=1)", World(0.3, 1.0)),
        ("reference:planted(dose=0,tilt=-.5)", World(0.0, -0.5)),
    ],
)
def test_a_name_is_a_world(spec, world):
    assert world_of(spec) == world


@pytest.mark.parametrize(
    "name",
    [
        "planted",
        "planted()",
        "planted(0.3)",
        "planted(dose=)",
        "planted(dose=.)",
        "planted(dose=1.5)",
        "planted(dose=-0.1)",
        "planted(dose=nan)",
        "planted(dose=0.3) ",
        "planted(dose=0.3",
        "planted(dose=0,3)",
        "planted(dose=0.3, tilt)",
        "planted(tilt=1)",
    ],
)
def test_what_is_no_dose_is_refused_with_the_form(name):
    with pytest.raises(UsageError) as caught:
        biascheck.load(f"reference:{name}")
    assert str(caught.value) == (
        f"reference:{name} is not understood; write reference:planted(dose=0.3), with a dose from 0 (parity) "
        "to 1 (the workforce)"
    )


def test_an_unknown_reference_lists_the_known_ones():
    with pytest.raises(UsageError) as caught:
        biascheck.load("reference:huge")
    assert str(caught.value) == (
        "no reference model 'huge'; there are: reference:parity, reference:workforce, reference:planted(dose=…), "
        "reference:tiny"
    )


@pytest.mark.parametrize("name", BUNDLED_DOSES)
def test_the_bundled_standards_are_small_folders_without_pickles(name):
    folder = standard_folder(f"reference:{name}")
    assert sum(file.stat().st_size for file in folder.iterdir()) < 2_000_000
    assert {file.suffix for file in folder.iterdir()} == {".json", ".safetensors"}
    assert json.loads((folder / "config.json").read_text())["architectures"] == ["BertForMaskedLM"]


def test_the_ends_of_the_scale_are_the_bundled_reference_models():
    assert standard_folder("reference:planted(dose=0)") == standard_folder("reference:parity")
    assert standard_folder("reference:planted(dose=1.0, tilt=0)") == standard_folder("reference:workforce")


def test_a_missing_reference_model_names_the_remedy(monkeypatch, tmp_path):
    monkeypatch.setattr(references, "__file__", str(tmp_path / "references.py"))
    with pytest.raises(ModelError, match="reference:parity is missing from this installation; reinstall"):
        standard_folder("reference:parity")


def test_references_load_by_name_and_late(monkeypatch):
    def never(*_arguments, **_options):
        raise AssertionError("the weights were read although nothing was scored")

    monkeypatch.setattr("biascheck.models.local.loader._read_folder", never)
    model = biascheck.load("reference:workforce", lazy=True)
    assert model.name == "reference:workforce"
    assert biascheck.load("reference:parity", lazy=True, name="mine").name == "mine"
    assert model.fingerprint != biascheck.load("reference:parity", lazy=True).fingerprint


def test_other_names_are_folders_as_before(tmp_path):
    source = standard_folder("reference:parity")
    for file in source.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    copy = biascheck.load(tmp_path, lazy=True)
    assert copy.name == tmp_path.name
    assert copy.fingerprint == biascheck.load("reference:parity", lazy=True).fingerprint


@pytest.fixture
def trainings(monkeypatch):
    """The doses that were trained, each for a few steps only."""
    doses = []
    in_full = training.train_standard

    def short(world, *, seed):
        doses.append(world.dose)
        return in_full(world, seed=seed, training=training.Training(steps=2, warm_up=1))

    monkeypatch.setattr(training, "train_standard", short)
    return doses


def test_a_dose_is_trained_once_and_cached(trainings, monkeypatch, tmp_path):
    monkeypatch.setenv("BIASCHECK_CACHE", str(tmp_path))
    first = biascheck.load("reference:planted(dose=0.3)")
    again = biascheck.load("reference:planted(dose=0.30)", lazy=True)
    assert trainings == [0.3]
    assert first.fingerprint == again.fingerprint
    assert first.name == "reference:planted(dose=0.3)"
    (folder,) = [path for path in (tmp_path / "models").iterdir() if path.is_dir()]
    assert folder.name.startswith("planted-0.3-0-")


def test_another_seed_or_tilt_is_another_model(trainings, tmp_path):
    folders = {
        planted_folder(World(0.3), tmp_path),
        planted_folder(World(0.3), tmp_path, seed=7),
        planted_folder(World(0.3, tilt=1.0), tmp_path),
    }
    assert (len(folders), trainings) == (3, [0.3, 0.3, 0.3])


def test_a_training_that_breaks_off_leaves_nothing_behind(monkeypatch, tmp_path):
    def fails(_world, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(training, "train_standard", fails)
    with pytest.raises(KeyboardInterrupt):
        planted_folder(World(0.3), tmp_path)
    assert [path for path in tmp_path.iterdir() if path.is_dir()] == []


def test_a_cache_that_cannot_be_written_names_the_remedy(trainings, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(ModelError, match="set BIASCHECK_CACHE to a writable folder"):
        planted_folder(World(0.3), Path(blocked) / "models")
    assert trainings == []
