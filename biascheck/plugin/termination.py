"""SIGTERM ends a run as Ctrl-C does: what was measured is written, and the run says that it was stopped."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["Termination", "interrupts_wait"]

INTERRUPTS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def interrupts_wait() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM wait until the block is over.

    A report that is taken over by half would leave gates without results, and numpy, whose import is broken off, cannot
    be imported again: nothing would be written at the end.
    """
    waiting: list[int] = []
    before = {}
    if threading.current_thread() is threading.main_thread():
        known = {one: signal.getsignal(one) for one in INTERRUPTS}
        before = {one: handler for one, handler in known.items() if handler is not None}
    for one in before:
        signal.signal(one, lambda number, _frame: waiting.append(number))
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
        if waiting:
            signal.raise_signal(waiting[0])


class Termination:
    """What SIGTERM does in this process; nothing is changed where somebody else handles it."""

    def __init__(self) -> None:
        self._installed = False
        self._ending = False

    def interrupts(self) -> None:
        """From now on SIGTERM raises KeyboardInterrupt."""
        in_main_thread = threading.current_thread() is threading.main_thread()
        if in_main_thread and not self._installed and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, self._interrupt)
            self._installed = True

    def waits(self) -> None:
        """From now on SIGTERM does nothing: the run is at its end, and writes its files."""
        self._ending = True

    def restore(self) -> None:
        """Leave SIGTERM as it was found."""
        if self._installed:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            self._installed = False

    def _interrupt(self, _signal: int, _frame: FrameType | None) -> None:
        if not self._ending:
            raise KeyboardInterrupt("SIGTERM")
