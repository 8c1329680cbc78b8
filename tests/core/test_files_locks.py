"""Locks: a longer wait names the holder, and the name left by a killed process is not used."""

import io
import json
import os
import platform
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from biascheck.core import files as locks
from biascheck.core.files import Holder, companion_of, hold, hold_if_free, hold_where_possible, holder_of
from biascheck.core.progress import show_progress_on


@pytest.fixture
def lock(tmp_path):
    return tmp_path / "room" / "it.lock"


@pytest.fixture
def other(lock, held_elsewhere):
    """Another process that holds the lock until it reads a line."""
    with held_elsewhere(lock) as process:
        yield process


class Listener(io.StringIO):
    """A stream that lets something happen once it is written to."""

    def __init__(self, then):
        super().__init__()
        self._then = then

    def write(self, text):
        if not self.getvalue():
            self._then()
        return super().write(text)


@pytest.fixture
def listen():
    def start(then):
        stream = Listener(then)
        show_progress_on(lambda: nullcontext(stream))
        return stream

    yield start
    show_progress_on(None)


def let_go(process):
    process.stdin.write("\n")
    process.stdin.flush()


def test_waiting_names_the_process(lock, other, listen):
    said = listen(lambda: let_go(other))
    with hold(lock, "checkpoint tiny-lora", patience=0):
        assert holder_of(lock).pid == os.getpid()
    (line,) = said.getvalue().splitlines()
    assert line.startswith(
        f"biascheck: waiting for checkpoint tiny-lora: process {other.pid} ({sys.executable} -c import sys"
    )
    assert line.endswith(") is working on it")


def test_nothing_is_announced_if_nobody_waits(lock, listen):
    said = listen(lambda: pytest.fail("said something"))
    with hold(lock, "it", patience=0):
        pass
    assert said.getvalue() == ""


def test_five_seconds_are_waited_before_anything_is_said(lock, monkeypatch):
    asked = []

    class Free:
        def __init__(self, _path):
            self.is_locked = True

        def acquire(self, timeout):
            asked.append(timeout)

        def release(self):
            pass

    monkeypatch.setattr("filelock.FileLock", Free)
    with hold(lock, "it"):
        pass
    assert asked == [5.0]


def test_waiting_is_said_on_stderr_outside_of_pytest_runs(lock, other, monkeypatch):
    stream = Listener(lambda: let_go(other))
    monkeypatch.setattr(sys, "stderr", stream)
    with hold(lock, "it", patience=0):
        pass
    assert f"process {other.pid}" in stream.getvalue()


def test_a_lock_of_a_killed_process_is_free(lock, other, listen):
    other.kill()
    other.wait()
    assert holder_of(lock).pid == other.pid  # its name is still there
    said = listen(lambda: pytest.fail("waited"))
    with hold(lock, "it", patience=60):
        assert holder_of(lock).pid == os.getpid()
    assert said.getvalue() == ""
    assert not companion_of(lock).exists()


def test_a_name_left_by_a_dead_process_is_not_taken_for_the_holder(lock, other, listen):
    """The lock is held, but the companion is of a process that has ended: whoever holds it was started by that one."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    companion_of(lock).write_text(json.dumps({"pid": ended.pid, "command": "train", "host": platform.node()}))
    said = listen(lambda: let_go(other))
    with hold(lock, "it", patience=0):
        pass
    assert (
        f"a process started by process {ended.pid} (train), which itself has ended, is working on it" in said.getvalue()
    )


@pytest.mark.parametrize("text", ["", "{", "[]", "7", '{"pid": "x"}', '{"pid": 1}', "[" * 100_000])
def test_a_damaged_name_is_another_process(lock, other, listen, text):
    companion_of(lock).write_text(text)
    assert holder_of(lock) is None
    said = listen(lambda: let_go(other))
    with hold(lock, "it", patience=0):
        pass
    assert said.getvalue() == "biascheck: waiting for it: another process is working on it\n"


def test_how_holders_are_named():
    here = platform.node()
    assert str(Holder(os.getppid(), "pytest suites", here)) == f"process {os.getppid()} (pytest suites)"
    assert str(Holder(7, "pytest", f"not-{here}")) == f"process 7 on not-{here} (pytest)"
    assert str(Holder(os.getpid(), "pytest", here)) == f"another thread of this process ({os.getpid()})"


def test_a_lock_is_tried_without_waiting(lock, other):
    with hold_if_free(lock) as free:
        assert not free
    assert holder_of(lock).pid == other.pid
    let_go(other)
    other.wait()
    with hold_if_free(lock) as free:
        assert free


def test_a_folder_that_cannot_be_written_is_reported_to_the_caller(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with hold_where_possible(tmp_path / "file" / "it.lock", "it") as fault:
        assert isinstance(fault, OSError)
    with hold_where_possible(tmp_path / "it.lock", "it") as fault:
        assert fault is None


def test_an_error_in_the_block_is_not_taken_for_one_of_the_lock(tmp_path):
    with pytest.raises(OSError, match="of the block"), hold_where_possible(tmp_path / "it.lock", "it"):
        raise OSError("of the block")
    with hold_if_free(tmp_path / "it.lock") as free:
        assert free


def test_waiting_is_seen_in_a_pytest_run_despite_capture(pytester, lock, other, monkeypatch):
    """The plugin's stream is used: the line comes out while the test runs, not with its failure."""
    monkeypatch.setenv("PYTHONPATH", str(Path(locks.__file__).parents[2]))
    pytester.makepyfile(
        f"""
        from pathlib import Path
        from biascheck.core.files import hold

        def test_it():
            with hold(Path({str(lock)!r}), "a result", patience=0):
                pass
        """
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    with pytester.popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as run:
        line = run.stderr.readline().decode()
        let_go(other)
        run.stderr.read()
        assert run.wait() == 0
    assert f"waiting for a result: process {other.pid} (" in line
