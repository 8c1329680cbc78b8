"""A disk that fills up during training: one clear error, nothing left behind, and the next run ends as it should."""

import errno
import multiprocessing
import os
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
import torch
from lines import RECIPE, Line, model, weights

from biascheck.debias import checkpoints, training
from biascheck.debias.checkpoints import fetch_checkpoint
from biascheck.debias.training import train
from biascheck.errors import UsageError
from biascheck.files import full_disk_in

STATE_ERROR = r"the training state cannot be written to .* \(.*\); free some space there, and the same call goes on"
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
            inner.setattr("biascheck.files._sync_file", full)
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


def with_small_files(limit, write, folder, answers):
    """What a child process does: files above a limit fail as on a full disk, by the kernel and not by a patch."""
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    os.environ["BIASCHECK_CACHE"] = folder
    try:
        write()
    except Exception as error:
        answers.put((type(error).__name__, str(error), full_disk_in(error) is not None))
    else:
        answers.put(None)


def state_of_a_wide_model():
    with suppress(KeyboardInterrupt):
        fetch_checkpoint("it", {}, partial(wide_build, interrupt=True))


def checkpoint_of_a_wide_model():
    fetch_checkpoint("it", {}, partial(wide_build, interrupt=False))


def wide_build(folder, state, *, interrupt):
    from safetensors.torch import save_file

    if interrupt:
        train(model(width=2000), Line(fail_at=2), RECIPE, state=state, save_every=0)
    save_file(model(width=2000).state_dict(), folder / "model.safetensors")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="limits on the size of files are those of Unix")
@pytest.mark.parametrize(
    ("write", "message"),
    [
        (state_of_a_wide_model, "the training state cannot be written to"),
        (checkpoint_of_a_wide_model, "the disk is full"),
    ],
)
def test_a_limit_of_the_kernel_is_one_clear_error(own_cache, write, message):
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    child = context.Process(target=with_small_files, args=(20_000, write, str(own_cache), answers))
    child.start()
    kind, told, is_full = answers.get(timeout=300)
    child.join()
    assert (kind, is_full) == ("UsageError", True)
    assert message in told
    assert "File too large" in told
    assert str(own_cache / "checkpoints") in told
    assert left_in(own_cache) == []


def test_the_state_is_synced_before_it_is_renamed(tmp_path, monkeypatch):
    order = []
    sync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda handle: (order.append(os.fstat(handle).st_ino), sync(handle)))
    monkeypatch.setattr(os, "replace", lambda a, b: (order.append("rename"), replace(a, b)))
    run = training._Run(model(), Line(), RECIPE)
    run.save(tmp_path / "run.training")
    inode = (tmp_path / "run.training").stat().st_ino
    assert order == [inode, "rename", tmp_path.stat().st_ino]
