"""Who hears of gates and comparisons. Kept apart from them, so that listening costs no import of numpy."""

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
    """Hear of every gate and comparison that is judged inside the block; of two nested blocks, the inner one hears."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def record(judged: Gate | Comparison | Search, result: Result | None) -> None:
    """Tell the listener of a gate, or of a comparison with what came before ``result``, if there is one.

    A search has no result besides itself.
    """
    if (listener := _listener.get()) is not None:
        listener(judged, result)


def show(result: Result) -> Result:
    """Let the run keep a result that no assertion judges: reports show it, a baseline compares it.

    A test that only shows is marked ``bias(judges=False)``. Outside of a run this does nothing.
    """
    if (listener := _listener.get()) is not None:
        listener(None, result)
    return result
