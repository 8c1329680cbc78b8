"""A progress bar for long work, and silence for short work. Without a terminal, lines in the log instead."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from time import monotonic
from typing import TextIO

from biascheck.core.secrets import in_use

Advance = Callable[[int], None]
BAR_AFTER_SECONDS = 2.0
LONG_SECONDS = 60.0
"""Seconds; longer work is announced with its size and an estimate."""
BETWEEN_LINES = 30.0

_stream: ContextVar[Callable[[], AbstractContextManager[TextIO]] | None] = ContextVar("progress_stream", default=None)


def show_progress_on(stream: Callable[[], AbstractContextManager[TextIO]] | None) -> None:
    """Choose where bars appear: a context manager that yields a stream, or ``None`` for stderr."""
    _stream.set(stream)


def announce(line: str) -> None:
    """Write a line where bars appear, terminal or not: for what must be known while it happens."""
    with _output() as stream:
        print(in_use().masked(line), file=stream, flush=True)


def _output() -> AbstractContextManager[TextIO]:
    chosen = _stream.get()
    return chosen() if chosen else nullcontext(sys.stderr)


@contextmanager
def progress(title: str, total: int, *, unit: str = "tokens", about: str | None = "") -> Iterator[Advance]:
    """Show a bar once the work has lasted a moment; in a log, an occasional line with the remaining time.

    Work of more than a minute, estimated from its first two seconds, is announced with its size, or ``about``;
    ``None`` announces nothing.
    """
    bar = _ProgressBar(title, total, unit, about)
    try:
        yield bar.advance
    finally:
        bar.close()


class _ProgressBar:
    def __init__(self, title: str, total: int, unit: str, about: str | None) -> None:
        self._title, self._total, self._unit, self._done = title, total, unit, 0
        self._about = f"{total:,} {unit}" if about == "" else about
        self._started = self._last_line = monotonic()
        self._close: Callable[[], None] | None = None
        self._update: Advance = lambda _: None

    @property
    def _seconds_left(self) -> float:
        return (monotonic() - self._started) * (self._total - self._done) / max(self._done, 1)

    def advance(self, steps: int) -> None:
        self._done += steps
        if self._close is None and monotonic() - self._started > BAR_AFTER_SECONDS:
            if self._about is not None and self._seconds_left > LONG_SECONDS:
                announce(f"biascheck: {self._title}: {self._about}, {in_time(self._seconds_left)}")
            self._open()
        self._update(self._done)

    def _open(self) -> None:
        from contextlib import ExitStack

        stack = ExitStack()
        self._close = stack.close
        with _output() as stream:
            if not stream.isatty():
                self._update = self._log
                return
        from rich.console import Console
        from rich.progress import Progress

        stream = stack.enter_context(_output())
        bar = stack.enter_context(Progress(console=Console(file=stream), transient=True))
        task = bar.add_task(self._title, total=self._total)
        self._update = lambda done: bar.update(task, completed=done)

    def _log(self, done: int) -> None:
        """Write a line to a log, at most every half minute."""
        if monotonic() - self._last_line < BETWEEN_LINES or done >= self._total:
            return
        self._last_line = monotonic()
        share = f"{done / self._total:.0%} of {self._total:,} {self._unit}"
        announce(f"biascheck: {self._title}: {share}, {in_time(self._seconds_left)} left")

    def close(self) -> None:
        if self._close is not None:
            self._close()


def in_time(seconds: float) -> str:
    """A duration in words: "about 40 s", "about 3 min", "about 2 h 10 min"."""
    if seconds < 60:
        return f"about {max(seconds, 1):.0f} s"
    minutes = round(seconds / 60)
    return f"about {minutes} min" if minutes < 60 else f"about {minutes // 60} h {minutes % 60} min"
