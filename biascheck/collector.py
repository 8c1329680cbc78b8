"""Python's search for reference cycles, put off while large trees of plain values are built."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

__all__ = ["gc_paused", "gc_relaxed"]

RARELY = (50_000, 20, 20)
"""New objects, and collections of younger ones, before a generation is searched; Python's own: 700, 10, 10."""


@contextmanager
def gc_paused() -> Iterator[None]:
    """Look for cycles after the block only: a result has none, and looking takes five times as long as building it."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def gc_relaxed() -> Callable[[], None]:
    """Search less often from now on; call what is returned to search as often as before.

    A run keeps some hundred thousand values until its end, and going through them was a fifth of a repeated run.
    """
    before = gc.get_threshold()
    if gc.isenabled() and 0 < before[0] < RARELY[0]:
        gc.set_threshold(*RARELY)
    return partial(gc.set_threshold, *before)
