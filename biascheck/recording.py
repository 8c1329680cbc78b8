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

_listeners: ContextVar[tuple[Listener, ...]] = ContextVar("gate_listeners", default=())


@contextmanager
def recording(listener: Listener) -> Iterator[None]:
    """Hear of every gate that is judged inside the block."""
    token = _listeners.set((*_listeners.get(), listener))
    try:
        yield
    finally:
        _listeners.reset(token)


def record(gate: Gate, result: Result) -> None:
    """Tell all listeners of a gate."""
    for listener in _listeners.get():
        listener(gate, result)
