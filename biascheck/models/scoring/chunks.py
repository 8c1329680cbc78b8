"""Questions in chunks: a plan is made, run and folded for some of them at a time, so that memory stays flat.

Few questions are one plan, as if there were no chunks. Readings that recur in a later chunk are not run again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice
from typing import TypeVar

from biascheck.errors import ScoreError, UsageError
from biascheck.models.scoring.remembered import ScoreMemory, remembering

__all__ = ["QUERIES_AT_ONCE", "asked_in_chunks", "chunks_of"]

QUERIES_AT_ONCE = 2**16
"""More questions than this are asked in chunks; whatever is below is one plan."""

Query = TypeVar("Query")
Found = TypeVar("Found")
_SIZE: ContextVar[int] = ContextVar("queries_at_once", default=QUERIES_AT_ONCE)


@contextmanager
def chunks_of(size: int) -> Iterator[None]:
    """Ask in chunks of another size inside the block."""
    if size < 1:
        raise UsageError(f"a chunk of {size} queries asks nothing; give a size of at least 1")
    token = _SIZE.set(size)
    try:
        yield
    finally:
        _SIZE.reset(token)


def asked_in_chunks(ask: Callable[[list[Query]], Sequence[Found]], queries: Iterable[Query]) -> Iterator[Found]:
    """What ``ask`` says to each query, in order; ``queries`` is read as far as the next chunk needs."""
    source, size = iter(queries), _SIZE.get()
    chunk = list(islice(source, size))
    if len(chunk) < size:
        yield from _checked(ask(chunk), chunk)
        return
    memory = ScoreMemory()
    while chunk:
        with remembering(memory):
            found = ask(chunk)
        yield from _checked(found, chunk)
        chunk = list(islice(source, size))


def _checked(found: Sequence[Found], chunk: Sequence[Query]) -> Sequence[Found]:
    if len(found) != len(chunk):
        raise ScoreError(f"the model gave {len(found):,} answers to {len(chunk):,} questions; it must answer each")
    return found
