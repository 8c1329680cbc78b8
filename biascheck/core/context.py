"""What code deep inside asks of the run around it. Light, so that a run without searches imports nothing for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

WORST_CASES = Path("bias/worst_cases.jsonl")
"""Where a project keeps them, from its root."""
NO_MEMORY = "none"
"""In place of a file: keep nothing."""
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
