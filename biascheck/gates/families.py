"""Families of gates and the listener of a run: what a gate knows of the run around it.

The run counts a family, so that its size need not be stated: all collected cases of one parametrised test on one
model. During the run a gate exceeds only if its interval lies outside at the strictest level of the family
(Bonferroni). When all gates are known, Holm's procedure steps down from there: what exceeds stays, and more may exceed.

Apart from the gates themselves, so that a run that listens imports no numpy for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

from biascheck.core.errors import UsageError

if TYPE_CHECKING:
    from biascheck.gates.gate import Gate
    from biascheck.gates.search import Search
    from biascheck.results.compare import Comparison
    from biascheck.results.result import Result

    Listener = Callable[[Gate | Comparison | Search | None, Result | None], None]


@dataclass(frozen=True)
class Family:
    """Gates that share one correction. A family without a name is not settled at the end: its size was stated."""

    name: str = ""
    size: int = 1

    def times(self, count: int) -> Family:
        """The family if each of its tests judges this many gates."""
        return Family(self.name, self.size * count)


ALONE = Family()
_current: ContextVar[Family] = ContextVar("family", default=ALONE)


@contextmanager
def checking_in(family: Family) -> Iterator[None]:
    """Judge the gates inside the block as members of a family."""
    token = _current.set(family)
    try:
        yield
    finally:
        _current.reset(token)


def family_of_gate(stated: int | None) -> Family:
    """The family that the caller states, or the one that the run counted."""
    if stated is None:
        return _current.get()
    if not isinstance(stated, int) or isinstance(stated, bool) or stated < 1:
        raise UsageError(f"family is the number of gates that share one correction, at least 1, not {stated!r}")
    return Family(size=stated)


def outside_among(is_outside: Callable[[float], bool], level: float, largest: int) -> int:
    """The largest family, up to ``largest``, in whose strictest step an interval lies outside; 0 if there is none.

    Intervals are nested: what lies outside at one level does so at every lower one.
    """
    if not is_outside(level):
        return 0
    inside, outside = largest + 1, 1
    while inside - outside > 1:
        middle = (inside + outside) // 2
        if is_outside(1 - (1 - level) / middle):
            outside = middle
        else:
            inside = middle
    return outside


def settled(gates: Sequence[Gate]) -> tuple[Gate, ...]:
    """The gates of a run with the verdicts of Holm's procedure over each family; what was found stays found."""
    families: dict[str, list[int]] = {}
    for place, gate in enumerate(gates):
        if gate.family_name:
            families.setdefault(gate.family_name, []).append(place)
    return _settled(gates, [(places, len(places)) for places in families.values()])


def settled_together(gates: Sequence[Gate]) -> tuple[Gate, ...]:
    """The gates of one test with the verdicts of Holm's procedure over all of them, as far as they are known."""
    return _settled(gates, [(range(len(gates)), gates[0].family)])


def _settled(gates: Sequence[Gate], families: Iterable[tuple[Sequence[int], int]]) -> tuple[Gate, ...]:
    found = list(gates)
    for places, size in families:
        for place in _exceeding(gates, places, size):
            found[place] = gates[place].exceeding
    return tuple(found)


def _exceeding(gates: Sequence[Gate], places: Sequence[int], size: int) -> Iterator[int]:
    """Step k of m asks for an interval that lies outside in a family of m − k; the first that does not ends it."""
    ordered = sorted(places, key=lambda place: -gates[place].outside_among)
    for step, place in enumerate(ordered):
        if gates[place].outside_among < size - step:
            return
        yield place


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
