"""SIGTERM ends a run as Ctrl-C does: what was measured is written, and the run says that it was stopped."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["terminating_like_an_interrupt"]


@contextmanager
def terminating_like_an_interrupt(wanted: bool) -> Iterator[None]:
    """Within the block, let SIGTERM raise KeyboardInterrupt; only where nobody else handles it."""
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not (wanted and in_main_thread and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL):
        yield
        return
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt("SIGTERM")
