"""The listener of gates and comparisons; a module of its own, so that listening does not import numpy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from biascheck.gates.gate import Gate
    from biascheck.gates.search import Search
    from biascheck.results.compare import Comparison
    from biascheck.results.result import Result

    Listener = Callable[[Gate | Comparison | Search | None, Result | None], None]

_listener: ContextVar[Listener | None] = ContextVar("gate_listener", default=None)


@contextmanager
def recording(listener: Listener) -> Iterator[None]:
    """Pass every gate and comparison of the block to the listener; of nested blocks, to the innermost one."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def record(judged: Gate | Comparison | Search, result: Result | None) -> None:
    """Pass a gate, a comparison or a search to the listener, if there is one.

    ``result`` is the judged (or, of a comparison, the later) result; a search has none.
    """
    if (listener := _listener.get()) is not None:
        listener(judged, result)


def show(result: Result) -> Result:
    """Add a result without a verdict to the run: reports show it, a baseline compares it.

    A test that only shows results is marked ``bias(judges=False)``. Outside a run this does nothing.
    """
    if (listener := _listener.get()) is not None:
        listener(None, result)
    return result
