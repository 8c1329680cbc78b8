"""Files that are of use only until a result is stored, and are removed with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

__all__ = ["delete_after_commit", "deleting_after_commit"]

_FILES: ContextVar[set[Path] | None] = ContextVar("passing_files", default=None)


def delete_after_commit(path: Path) -> None:
    """Let a file go when the result that is being computed is stored; it stays where nothing is being stored."""
    files = _FILES.get()
    if files is not None:
        files.add(path)


@contextmanager
def deleting_after_commit() -> Iterator[None]:
    """Remove the files of a computation once the block, which stores its result, has ended without an error."""
    token = _FILES.set(set())
    try:
        yield
        for path in _FILES.get() or ():
            with suppress(OSError):
                path.unlink(missing_ok=True)
    finally:
        _FILES.reset(token)
