"""Who hears of gates. Kept apart from the gates themselves, so that listening costs no import of numpy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from biascheck.gates import Gate
    from biascheck.results import Result

    Listener = Callable[[Gate, Result], None]

__all__ = ["record", "recording"]

_listener: ContextVar[Listener | None] = ContextVar("gate_listener", default=None)


@contextmanager
def recording(listener: Listener) -> Iterator[None]:
    """Hear of every gate that is judged inside the block; of two nested blocks, the inner one hears."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def record(gate: Gate, result: Result) -> None:
    """Tell the listener of a gate, if there is one."""
    if (listener := _listener.get()) is not None:
        listener(gate, result)
