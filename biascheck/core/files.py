"""Files and folders that are written completely or not at all, and synced to the disk before they become visible."""

from __future__ import annotations

import errno
import gc
import hashlib
import json
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from biascheck.core.progress import announce

if TYPE_CHECKING:
    from filelock import BaseFileLock

LONGEST_PREFIX = 128
MARKDOWN_MARK = "<!-- written by biascheck -->"
MARKS = (
    b'"kind": "biascheck ',
    b'<meta name="generator" content="biascheck">',
    b'"engine_name": "biascheck"',
    MARKDOWN_MARK.encode(),
)
"""Results and baselines, pages, Code Quality reports, and summaries in Markdown."""
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_FULL_IN_WORDS = ("No space left on device", "File too large", "Disk quota exceeded")


_LARGE_FILES: ContextVar[Path | None] = ContextVar("large_files", default=None)


@contextmanager
def large_files_in(folder: Path | None) -> Iterator[None]:
    """Inside the block, store what is too large for a document in this folder; ``None`` is one of this process."""
    token = _LARGE_FILES.set(folder)
    try:
        yield
    finally:
        _LARGE_FILES.reset(token)


def large_files_folder() -> Path | None:
    """Folder for what is too large for a document, if one was chosen."""
    return _LARGE_FILES.get()


def is_ours(path: Path) -> bool:
    """Whether a file is empty or says in itself that this package wrote it: a run may replace it."""
    try:
        content = path.read_bytes()
    except OSError:
        return False
    return content.strip() in (b"", b"[]") or any(mark in content for mark in MARKS)


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file so that a reader sees the old one or the new one, never half of one.

    Half a surrogate pair, which UTF-8 cannot express, is written as its escape; in JSON that is the same text.
    """
    with writing(path) as file:
        file.write(content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content)


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """Fill a temporary file; it replaces ``path`` when the block ends and is deleted if the block fails."""
    path.parent.mkdir(parents=True, exist_ok=True)
    prefix = f".{path.name.encode()[:LONGEST_PREFIX].decode(errors='ignore')}."
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=prefix)
    os.close(handle)
    with replacing(path, Path(temporary)) as file:
        yield file


@contextmanager
def replacing(path: Path, temporary: Path) -> Iterator[BinaryIO]:
    """Fill ``temporary``; once its bytes are on the disk, one rename puts it in the place of ``path``."""
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o644)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


@contextmanager
def staged_folder(target: Path) -> Iterator[Path]:
    """Fill a temporary folder; it appears by one rename, and of two writers one result stays."""
    target.parent.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        yield staging
        staging.chmod(0o755)  # a temporary folder is private; a cache may be shared
        _sync_tree(staging)
        _rename_into_place(staging, target)
        _sync_folder(target.parent)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def staging_folders(target: Path) -> list[Path]:
    """The temporary folders of ``target``: in use, or left behind by a killed process."""
    random = len("-") + 8  # what tempfile adds to a prefix
    hidden = (path for path in target.parent.glob(".*") if path.is_dir())
    return sorted(path for path in hidden if path.name[:-random] == f".{target.name}")


def remove(path: Path) -> None:
    """Remove a file, a link or a whole folder; it need not exist."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def full_disk_in(error: BaseException | None) -> BaseException | None:
    """The part of an error that reports a full disk or quota, if any; C libraries say so only in their message."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in _FULL:
            return error
        if any(words in str(error) for words in _FULL_IN_WORDS):
            return error
        error = error.__cause__ or error.__context__
    return None


def _sync_tree(folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            _sync_file(path)
        elif path.is_dir():
            _sync_folder(path)
    _sync_folder(folder)


def _sync_file(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """Make the names in a folder durable, on systems where a folder can be opened."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _rename_into_place(staging: Path, target: Path) -> None:
    try:
        staging.rename(target)
    except OSError:
        if not target.is_dir():
            raise


# Locks between processes: one works while the others wait, and a long wait is announced with the name of the holder.
#
# The holder writes its name into a companion file beside the lock. Only the lock itself decides who works; the
# companion is for people, and one that a killed process left behind is recognised as stale.

PATIENCE_SECONDS = 5.0
SHORTEST_WAIT = 0.05
LONGEST_COMMAND = 120


@dataclass(frozen=True, slots=True)
class Holder:
    """The process that holds a lock, by its own account."""

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
    """The holder of a lock, by its own account; ``None`` if there is no readable name."""
    try:
        holder = json.loads(companion_of(lock).read_text(encoding="utf-8"))
        return Holder(int(holder["pid"]), str(holder["command"]), str(holder["host"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


@contextmanager
def hold(lock: Path, what: str, *, patience: float | None = None) -> Iterator[None]:
    """Hold a lock during the block; waiting for it is announced after ``patience`` seconds (default five).

    ``what`` describes the holder's work, for the message to those who wait. A folder that cannot be written is an
    OSError.
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
def updating(path: Path) -> Iterator[None]:
    """Hold a file that several runs on this machine update: each reads it inside the block, adds, and writes it.

    The lock is in the folder for temporary files, so that nothing lies beside the file, which may be in a repository.
    """
    name = hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:16]
    with hold(Path(tempfile.gettempdir()) / f"biascheck-{_user()}" / f"{name}.lock", f"the update of {path.name}"):
        yield


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else "user"


@contextmanager
def hold_if_free(lock: Path) -> Iterator[bool]:
    """Hold a lock during the block if it is free; yields whether it is held."""
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
    if sys.platform == "win32":  # signal 0 does not test for existence there
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


# Python's search for reference cycles is postponed while large trees of plain values are built.

RARELY = (50_000, 20, 20)
"""New objects, and collections of younger ones, before a generation is searched; Python's own: 700, 10, 10."""


@contextmanager
def gc_paused() -> Iterator[None]:
    """Search for cycles only after the block: results have none, and a search takes five times as long as they do."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def gc_relaxed() -> Callable[[], None]:
    """Search less often from now on; call the returned function to restore the frequency.

    A run keeps some hundred thousand values until its end, and going through them was a fifth of a repeated run.
    """
    before = gc.get_threshold()
    if gc.isenabled() and 0 < before[0] < RARELY[0]:
        gc.set_threshold(*RARELY)
    return partial(gc.set_threshold, *before)
