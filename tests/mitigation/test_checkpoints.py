"""Checkpoint folders: damaged ones are trained again, and leftovers of killed processes are removed."""

import json
import os
import subprocess
import sys

import pytest

from biascheck.core.errors import BiascheckWarning
from biascheck.core.files import lock_of
from biascheck.mitigation.checkpoints import fetch_checkpoint, is_intact


def build(folder, _state):
    (folder / "weights").write_text("right")
    (folder / "config.json").write_text("{}")


@pytest.fixture
def made():
    return fetch_checkpoint("it", {"a": 1}, build)


def edited(digests):
    content = json.loads(digests.read_text())
    content["weights"] = "0" * 64
    digests.write_text(json.dumps(content))


def naming_a_missing_file(digests):
    content = json.loads(digests.read_text())
    digests.write_text(json.dumps({**content, "gone": "0" * 64}))


def a_folder(digests):
    digests.unlink()
    digests.mkdir()


DAMAGES = {
    "missing": lambda digests: digests.unlink(),
    "empty file": lambda digests: digests.write_text(""),
    "no digests": lambda digests: digests.write_text("{}"),
    "list": lambda digests: digests.write_text('["weights"]'),
    "null": lambda digests: digests.write_text("null"),
    "number": lambda digests: digests.write_text("7"),
    "truncated": lambda digests: digests.write_text(digests.read_text()[:20]),
    "not text": lambda digests: digests.write_bytes(b"\xff\xfe\x80"),
    "deep": lambda digests: digests.write_text("[" * 100_000),
    "wrong type": lambda digests: digests.write_text('{"weights": {"sha256": 1}}'),
    "zero byte in a name": lambda digests: digests.write_text('{"weights\\u0000": "x"}'),
    "edited": edited,
    "one too many": naming_a_missing_file,
    "folder": a_folder,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_damaged_digests_are_noticed_and_the_checkpoint_is_made_again(made, damage):
    damage(made / "digests.json")
    assert not is_intact(made)
    with pytest.warns(BiascheckWarning, match=r"is damaged: its files are not those that were written") as said:
        assert fetch_checkpoint("it", {"a": 1}, build) == made
    assert len(said) == 1
    assert is_intact(made)


def test_a_file_in_the_place_of_the_checkpoint(made):
    for path in made.iterdir():
        path.unlink()
    made.rmdir()
    made.write_text("in the way")
    with pytest.warns(BiascheckWarning, match="is damaged"):
        fetch_checkpoint("it", {"a": 1}, build)
    assert is_intact(made)


def test_what_killed_processes_left_is_removed_when_it_is_built_again(made):
    (made / "weights").unlink()
    staging = made.with_name(f".{made.name}-abcd1234")
    other = made.with_name(".other-0123456789abcdef-abcd1234")
    for folder in (staging, other):
        folder.mkdir()
        (folder / "half").write_text("x")
    with pytest.warns(BiascheckWarning):
        fetch_checkpoint("it", {"a": 1}, build)
    assert not staging.exists()
    assert other.exists()  # perhaps another process is filling it


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_state_left_beside_a_finished_checkpoint_is_removed(made, kind):
    """The process was killed between the rename and the removal."""
    state = made.with_name(f"{made.name}.training")
    state.mkdir() if kind == "folder" else state.write_text("x")
    assert fetch_checkpoint("it", {"a": 1}, lambda *_: pytest.fail("built again")) == made
    assert not state.exists()


def test_the_lock_names_who_trains():
    held = []

    def looking(folder, _state):
        build(folder, _state)
        lock = lock_of(next(folder.parent.glob("*.lock")).with_suffix(""))
        held.append(json.loads(lock.with_name(f"{lock.name}.holder").read_text())["pid"])

    made = fetch_checkpoint("it", {"a": 2}, looking)
    assert held == [os.getpid()]
    assert not list(made.parent.glob("*.holder"))


def test_the_checkpoint_of_a_killed_builder_is_built_at_once(own_cache, tmp_path):
    """A killed process leaves its lock file, its name and its staging folder; none of them blocks the next."""
    script = """
import os, signal
from biascheck.mitigation.checkpoints import fetch_checkpoint
def build(folder, state):
    (folder / "half").write_text("x")
    state.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
fetch_checkpoint("it", {"a": 3}, build)
"""
    from biascheck.core import files

    root = os.path.dirname(os.path.dirname(files.__file__))  # noqa: PTH120
    environment = {**os.environ, "PYTHONPATH": root}
    subprocess.run([sys.executable, "-c", script], env=environment, cwd=tmp_path, check=False)
    room = own_cache / "checkpoints"
    assert len(list(room.iterdir())) == 4  # lock, name, staging, state
    fetch_checkpoint("it", {"a": 3}, build)
    assert sorted(path.suffix for path in room.iterdir()) == ["", ".lock"]
