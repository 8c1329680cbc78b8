"""A progress bar for long work, and silence for short work."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from time import monotonic
from typing import TextIO

__all__ = ["announce", "progress", "show_progress_on"]

Advance = Callable[[int], None]
PATIENCE_SECONDS = 2.0

_stream: ContextVar[Callable[[], AbstractContextManager[TextIO]] | None] = ContextVar("progress_stream", default=None)


def show_progress_on(stream: Callable[[], AbstractContextManager[TextIO]] | None) -> None:
    """Choose where bars appear: a context manager that yields a stream, or ``None`` for stderr."""
    _stream.set(stream)


def announce(line: str) -> None:
    """Write a line where bars appear, terminal or not: what one must know while it happens."""
    with _output() as stream:
        print(line, file=stream, flush=True)


def _output() -> AbstractContextManager[TextIO]:
    chosen = _stream.get()
    return chosen() if chosen else nullcontext(sys.stderr)


@contextmanager
def progress(title: str, total: int) -> Iterator[Advance]:
    """Show a bar once the work has lasted a moment, on a terminal only."""
    bar = _Bar(title, total)
    try:
        yield bar.advance
    finally:
        bar.close()


class _Bar:
    def __init__(self, title: str, total: int) -> None:
        self._title, self._total, self._done = title, total, 0
        self._started = monotonic()
        self._close: Callable[[], None] | None = None
        self._update: Advance = lambda _: None

    def advance(self, steps: int) -> None:
        self._done += steps
        if self._close is None and monotonic() - self._started > PATIENCE_SECONDS:
            self._open()
        self._update(self._done)

    def _open(self) -> None:
        from contextlib import ExitStack

        from rich.console import Console
        from rich.progress import Progress

        stack = ExitStack()
        self._close = stack.close
        stream = stack.enter_context(_output())
        if not stream.isatty():
            return
        bar = stack.enter_context(Progress(console=Console(file=stream), transient=True))
        task = bar.add_task(self._title, total=self._total)
        self._update = lambda done: bar.update(task, completed=done)

    def close(self) -> None:
        if self._close is not None:
            self._close()
