"""A disk that fills up during training: one clear error, nothing left behind, and the next run ends as it should."""

import errno
import multiprocessing
import os
from pathlib import Path

import pytest
import torch

from biascheck.core.errors import UsageError
from biascheck.core.files import full_disk_in
from biascheck.mitigation import checkpoints, training
from biascheck.mitigation.checkpoints import fetch_checkpoint
from biascheck.mitigation.training import train
from support.lines import RECIPE, Line, model, weights

STATE_ERROR = r"the training state cannot be written to .* \(.*\); free some space there, and the same call resumes"
FOLDER_ERROR = (
    r"checkpoint it-\w+ cannot be written to .*checkpoints: the disk is full \(.*No space left on device.*\); "
    "free some space there, or set BIASCHECK_CACHE to a folder on another disk"
)


def full(*_arguments, **_named):
    raise OSError(errno.ENOSPC, "No space left on device")


def build(folder, state):
    fitted = model()
    train(fitted, Line(), RECIPE, state=state, save_every=0)
    (folder / "weights").write_bytes(weights(fitted).numpy().tobytes())


def left_in(cache):
    """What is there besides locks."""
    return sorted(path.name for path in (cache / "checkpoints").iterdir() if path.suffix != ".lock")


@pytest.fixture(scope="module")
def expected():
    whole = model()
    train(whole, Line(), RECIPE)
    return weights(whole).numpy().tobytes()


@pytest.mark.parametrize("call", [1, 2, 5, 12])
def test_while_the_state_is_written(own_cache, monkeypatch, expected, call):
    """The state of the step before is kept, so the run can go on."""
    calls, save = [], torch.save

    def fills(content, file):
        calls.append(file)
        if len(calls) == call:
            file.write(b"half")
            full()
        save(content, file)

    with monkeypatch.context() as inner:
        inner.setattr(torch, "save", fills)
        with pytest.raises(UsageError, match=STATE_ERROR) as raised:
            fetch_checkpoint("it", {}, build)
    assert str(own_cache / "checkpoints") in str(raised.value)
    assert [name.split(".")[-1] for name in left_in(own_cache)] == ["training"] * (call > 1)
    assert (fetch_checkpoint("it", {}, build) / "weights").read_bytes() == expected
    assert len(left_in(own_cache)) == 1


@pytest.mark.parametrize("where", ["weights", "digests", "sync", "rename"])
def test_while_the_checkpoint_is_written(own_cache, monkeypatch, expected, where):
    def filling(folder, state):
        build(folder, state)
        if where == "weights":
            full()
        if where == "sync":
            inner.setattr("biascheck.core.files._sync_file", full)
        if where == "rename":
            inner.setattr(Path, "rename", full)

    with monkeypatch.context() as inner:
        if where == "digests":
            inner.setattr(checkpoints, "_write_digests", full)
        with pytest.raises(UsageError, match=FOLDER_ERROR):
            fetch_checkpoint("it", {}, filling)
    assert [name.split(".")[-1] for name in left_in(own_cache)] == ["training"]
    assert (fetch_checkpoint("it", {}, build) / "weights").read_bytes() == expected
    assert len(left_in(own_cache)) == 1


def test_before_there_is_a_folder(own_cache, monkeypatch):
    monkeypatch.setattr("tempfile.mkdtemp", full)
    with pytest.raises(UsageError, match=FOLDER_ERROR):
        fetch_checkpoint("it", {}, build)
    assert left_in(own_cache) == []


def test_other_errors_are_not_taken_for_a_full_disk():
    def breaks(_folder, _state):
        raise OSError(errno.EACCES, "Permission denied")

    with pytest.raises(PermissionError):
        fetch_checkpoint("it", {}, breaks)


def with_small_files(limit, folders, answers):
    """What a child process does: files above a limit fail as on a full disk, by the kernel and not by a patch."""
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    for folder, build in zip(folders, (trained_wide, written_wide), strict=True):
        os.environ["BIASCHECK_CACHE"] = folder
        try:
            fetch_checkpoint("it", {}, build)
        except Exception as error:
            answers.put((type(error).__name__, str(error), full_disk_in(error) is not None))
        else:
            answers.put(("no error", "", False))


def trained_wide(_folder, state):
    train(model(width=2000), Line(), RECIPE, state=state, save_every=0)


def written_wide(folder, _state):
    from safetensors.torch import save_file

    save_file(model(width=2000).state_dict(), folder / "model.safetensors")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="limits on the size of files are those of Unix")
def test_a_limit_of_the_kernel_is_one_clear_error(tmp_path):
    context = multiprocessing.get_context("spawn")
    folders, answers = [tmp_path / "state", tmp_path / "checkpoint"], context.Queue()
    child = context.Process(target=with_small_files, args=(20_000, [str(folder) for folder in folders], answers))
    child.start()
    told = [answers.get(timeout=300) for _ in folders]
    child.join()
    assert [(kind, full) for kind, _, full in told] == [("UsageError", True)] * 2
    for (_, text, _), folder in zip(told, folders, strict=True):
        assert "File too large" in text
        assert str(folder / "checkpoints") in text
        assert left_in(folder) == []
    assert "the training state cannot be written to" in told[0][1]
    assert "the disk is full" in told[1][1]


def test_the_state_is_synced_before_it_is_renamed(tmp_path, monkeypatch):
    order = []
    sync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda handle: (order.append(os.fstat(handle).st_ino), sync(handle)))
    monkeypatch.setattr(os, "replace", lambda a, b: (order.append("rename"), replace(a, b)))
    run = training._TrainingRun(model(), Line(), RECIPE)
    run.save(tmp_path / "run.training")
    inode = (tmp_path / "run.training").stat().st_ino
    assert order == [inode, "rename", tmp_path.stat().st_ino]
