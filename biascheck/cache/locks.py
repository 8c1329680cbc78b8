"""Locks between processes: one works while the others wait, and whoever waits long learns for whom.

The holder writes its name into a companion file beside the lock. Only the lock itself decides who works; the companion
is for people, and one that a killed process left behind is recognised as such.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from biascheck.cache.progress import announce

if TYPE_CHECKING:
    from filelock import BaseFileLock

__all__ = ["Holder", "companion_of", "hold", "hold_if_free", "hold_where_possible", "holder_of", "lock_of"]

PATIENCE_SECONDS = 5.0
SHORTEST_WAIT = 0.05
LONGEST_COMMAND = 120


@dataclass(frozen=True, slots=True)
class Holder:
    """The process that holds a lock, as it named itself."""

    pid: int
    command: str
    host: str

    def __str__(self) -> str:
        if self.host != platform.node():
            return f"process {self.pid} on {self.host} ({self.command})"
        if self.pid == os.getpid():
            return f"another thread of this process ({self.pid})"
        if not _is_alive(self.pid):
            return f"a process started by process {self.pid} ({self.command}), which itself has ended,"
        return f"process {self.pid} ({self.command})"


def lock_of(target: Path) -> Path:
    """The lock file of a file or folder in the cache; it covers the folders in which the target is being filled."""
    return target.with_name(f"{target.name}.lock")


def companion_of(lock: Path) -> Path:
    """The file in which the holder of a lock names itself."""
    return lock.with_name(f"{lock.name}.holder")


def holder_of(lock: Path) -> Holder | None:
    """Who holds a lock, by its own account; ``None`` where nobody has left a readable name."""
    try:
        holder = json.loads(companion_of(lock).read_text(encoding="utf-8"))
        return Holder(int(holder["pid"]), str(holder["command"]), str(holder["host"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


@contextmanager
def hold(lock: Path, what: str, *, patience: float | None = None) -> Iterator[None]:
    """Hold a lock during the block; waiting for it is announced after ``patience`` seconds (default five).

    ``what`` is what the holder works on, in words for the one who waits. A folder that cannot be written is an OSError.
    """
    from filelock import FileLock

    lock.parent.mkdir(parents=True, exist_ok=True)
    held = FileLock(lock)
    _acquire(held, lock, what, PATIENCE_SECONDS if patience is None else patience)
    try:
        _sign(lock)
        yield
    finally:
        _let_go(held, lock)


@contextmanager
def hold_if_free(lock: Path) -> Iterator[bool]:
    """Hold a lock during the block where no one else does; yields whether it is held."""
    from filelock import FileLock, Timeout

    held = FileLock(lock)
    with suppress(Timeout):
        held.acquire(timeout=0)
    try:
        yield held.is_locked
    finally:
        if held.is_locked:
            _let_go(held, lock)


@contextmanager
def hold_where_possible(lock: Path, what: str) -> Iterator[OSError | None]:
    """Hold a lock, or yield the error that says why there can be none: a cache must not stop the work."""
    fault: OSError | None = None
    with ExitStack() as stack:
        try:
            stack.enter_context(hold(lock, what))
        except OSError as error:
            fault = error
        yield fault


def _acquire(held: BaseFileLock, lock: Path, what: str, patience: float) -> None:
    from filelock import Timeout

    announced: list[Holder | None] = []
    while True:
        try:
            held.acquire(timeout=max(patience, SHORTEST_WAIT) if announced else patience)
            return
        except Timeout:
            holder = holder_of(lock)
        if holder not in announced:
            announced.append(holder)
            announce(f"biascheck: waiting for {what}: {holder or 'another process'} is working on it")


def _sign(lock: Path) -> None:
    command = " ".join("".join(c if c.isprintable() else " " for c in " ".join(sys.orig_argv)).split())
    short = command if len(command) <= LONGEST_COMMAND else f"{command[:LONGEST_COMMAND]}…"
    signature = json.dumps(asdict(Holder(os.getpid(), short, platform.node())))
    with suppress(OSError):  # a full disk must not stop what needs no space
        companion_of(lock).write_text(signature, encoding="utf-8")


def _let_go(held: BaseFileLock, lock: Path) -> None:
    with suppress(OSError):
        companion_of(lock).unlink(missing_ok=True)
    held.release()


def _is_alive(pid: int) -> bool:
    if sys.platform == "win32":  # signal 0 is no question there
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
