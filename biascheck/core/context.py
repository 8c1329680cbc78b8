"""Settings that deep code needs from the run around it. Light, so that a run without searches imports nothing for
it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

WORST_CASES = Path("bias/worst_cases.jsonl")
"""The default path, relative to the project root."""
NO_MEMORY = "none"
"""Used instead of a file name: store nothing."""
_file: ContextVar[Path | None] = ContextVar("worst_cases", default=None)


@contextmanager
def remembering(file: Path | None) -> Iterator[None]:
    """Try the cases of this file first in every search inside the block."""
    token = _file.set(file)
    try:
        yield
    finally:
        _file.reset(token)


def memory_file() -> Path | None:
    """The file of the innermost block, if there is one."""
    return _file.get()
