"""Files and folders that are written whole or not at all, and are on the disk before they are seen."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO

__all__ = [
    "full_disk_in",
    "large_files_folder",
    "large_files_in",
    "remove",
    "replacing",
    "staged_folder",
    "staging_folders",
    "write_atomically",
    "writing",
]

LONGEST_PREFIX = 128
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_FULL_IN_WORDS = ("No space left on device", "File too large", "Disk quota exceeded")


_LARGE_FILES: ContextVar[Path | None] = ContextVar("large_files", default=None)


@contextmanager
def large_files_in(folder: Path | None) -> Iterator[None]:
    """Keep what is too large for a document in this folder inside the block; ``None`` is one of this process."""
    token = _LARGE_FILES.set(folder)
    try:
        yield
    finally:
        _LARGE_FILES.reset(token)


def large_files_folder() -> Path | None:
    """Where to keep what is too large for a document, if a place was chosen."""
    return _LARGE_FILES.get()


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file so that a reader sees the old one or the new one, never half of one.

    Half a surrogate pair, which UTF-8 cannot express, is written as its escape; in JSON that is the same text.
    """
    with writing(path) as file:
        file.write(content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content)


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """Fill a file out of sight; it takes the place of ``path`` when the block ends, and is gone if the block fails."""
    path.parent.mkdir(parents=True, exist_ok=True)
    prefix = f".{path.name.encode()[:LONGEST_PREFIX].decode(errors='ignore')}."
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=prefix)
    os.close(handle)
    with replacing(path, Path(temporary)) as file:
        yield file


@contextmanager
def replacing(path: Path, temporary: Path) -> Iterator[BinaryIO]:
    """Fill ``temporary``; once its bytes are on the disk it takes the place of ``path``, by one rename."""
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
    """Fill a folder out of sight; it appears by one rename, and of two writers one result stays."""
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
    """The folders in which ``target`` is being filled, or was by a process that has been killed."""
    random = len("-") + 8  # what tempfile adds to a prefix
    hidden = (path for path in target.parent.glob(".*") if path.is_dir())
    return sorted(path for path in hidden if path.name[:-random] == f".{target.name}")


def remove(path: Path) -> None:
    """Remove a file, a link or a whole folder; nothing there is fine."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def full_disk_in(error: BaseException | None) -> BaseException | None:
    """The part of an error that speaks of a full disk or quota, if any; libraries in C say so in words only."""
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
