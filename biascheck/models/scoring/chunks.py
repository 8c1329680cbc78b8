"""Queries in chunks: a plan is made, run and folded for one chunk at a time, so that memory stays constant.

Few queries are one plan, without chunks. Readings that recur in a later chunk are not run again.
"""

from __future__ import annotations

import hashlib
import io
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from struct import pack as packed
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from biascheck.core.errors import ScoreError, UsageError
from biascheck.core.files import write_atomically
from biascheck.core.identity import package_code
from biascheck.core.store import active_cache, delete_after_commit, digest_of
from biascheck.models.scoring.plan import Budget, ScoringPlan, TokenReading, pack
from biascheck.models.scoring.queries import Answer, Refusal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from biascheck.models.scoring.plan import Chunk


# Readings of earlier plans, which later chunks of the same queries need not run again.

MOST_READINGS = 2**17
Run = Callable[[ScoringPlan], "list[Answer | Refusal]"]


class ScoreMemory:
    """Log-probabilities by a digest of model, input, position and token; the least recently used are dropped."""

    def __init__(self, most: int = MOST_READINGS) -> None:
        self._most = most
        self._values: dict[bytes, float] = {}

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: bytes) -> float | None:
        """The value of a reading, if it is known; it counts as used now."""
        value = self._values.pop(key, None)
        if value is not None:
            self._values[key] = value
        return value

    def put(self, key: bytes, value: float) -> None:
        """Store a reading; beyond the limit, drop the least recently used."""
        self._values[key] = value
        if len(self._values) > self._most:
            del self._values[next(iter(self._values))]


_ACTIVE: ContextVar[ScoreMemory | None] = ContextVar("remembered", default=None)


@contextmanager
def remembering(memory: ScoreMemory) -> Iterator[None]:
    """Let models reuse, inside the block, what they have already computed."""
    token = _ACTIVE.set(memory)
    try:
        yield
    finally:
        _ACTIVE.reset(token)


def answer(plan: ScoringPlan, run: Run, budget: Budget, *, owner: str) -> list[Answer | Refusal]:
    """Run a plan; within :func:`remembering`, only what ``owner`` has not computed before.

    Every reading has the same value and every query the same sum as if all of the plan had run.
    """
    if (memory := _ACTIVE.get()) is None:
        return run(plan)
    keys = _keys(plan, owner)
    values: list[float | None] = [memory.get(key) for key in keys]
    missing = [place for place, value in enumerate(values) if value is None]
    if missing:
        for place, found in zip(missing, run(_rest(plan, missing, budget)), strict=True):
            assert isinstance(found, Answer)
            values[place] = found.log_probability
            memory.put(keys[place], found.log_probability)
    scores = np.array(values, dtype=float)
    return [q if isinstance(q, Refusal) else Answer(float(scores[list(q)].sum()), len(q)) for q in plan.queries]


def _keys(plan: ScoringPlan, owner: str) -> list[bytes]:
    salt = owner.encode()
    digests = [blake2b(array("q", ids).tobytes() + salt, digest_size=16).digest() for ids in plan.inputs]
    return [digests[r.input] + packed("=qq", r.position, r.token) for r in plan.readings]


def _rest(plan: ScoringPlan, missing: Sequence[int], budget: Budget) -> ScoringPlan:
    """The plan of some readings only, each a query of its own."""
    chosen = [plan.readings[place] for place in missing]
    kept = sorted({reading.input for reading in chosen})
    place = {old: new for new, old in enumerate(kept)}
    inputs = tuple(plan.inputs[index] for index in kept)
    readings = tuple(TokenReading(place[r.input], r.position, r.token) for r in chosen)
    return ScoringPlan(inputs, readings, tuple((n,) for n in range(len(readings))), pack(inputs, readings, budget))


# Scores of finished chunks on disk, until the result that they belong to is stored: an interrupted run loses no
# more than the chunks in flight.
#
# One file for each chunk, under the digest of the model and of its queries. A file contains plain numbers (no pickles),
# appears completely or not at all, and one with a wrong checksum is computed again. They are stored only if results
# are.

SCORES_FOLDER = "scores"
SCORES_VERSION = 1
CHECKSUM = 32
CACHED_FROM_BATCHES = 4
"""The number of chunks from which a plan's scores are stored: computing fewer again is faster than writing them."""


class CachedScores:
    """The scores of chunks that one model has answered, in one folder; none without a folder."""

    def __init__(self, folder: Path | None, identity: str = "") -> None:
        self._folder = folder
        self._identity = identity

    def get(self, chunk: Chunk) -> NDArray[np.float64] | None:
        """The scores of a chunk, or ``None``."""
        if self._folder is None:
            return None
        path = self._path(chunk)
        found = _read(path)
        if found is not None:
            delete_after_commit(path)
        return found

    def add(self, chunk: Chunk, scores: NDArray[np.float64]) -> None:
        """Store the scores of a chunk; a disk that is full or read-only costs time, not the result."""
        if self._folder is None:
            return
        buffer = io.BytesIO()
        np.save(buffer, scores, allow_pickle=False)
        path = self._path(chunk)
        try:
            write_atomically(path, buffer.getvalue() + hashlib.sha256(buffer.getvalue()).digest())
        except OSError:
            self._folder = None
            return
        delete_after_commit(path)

    def _path(self, chunk: Chunk) -> Path:
        assert self._folder is not None
        return self._folder / f"{digest_of([SCORES_VERSION, self._identity, chunk.digest])}.npy"


def _read(path: Path) -> NDArray[Any] | None:
    """The numbers in a file with its checksum, or ``None`` if there are none that can be trusted."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    numbers, checksum = content[:-CHECKSUM], content[-CHECKSUM:]
    if hashlib.sha256(numbers).digest() != checksum:
        return None
    found: NDArray[Any] = np.load(io.BytesIO(numbers), allow_pickle=False)
    return found


def cached_scores(identity: Callable[[], str] | None) -> CachedScores:
    """The stored scores of a model with an identity, beside the cached results; empty if those are not stored."""
    cache = active_cache()
    if identity is None or cache is None or cache.folder is None or not cache.writable:
        return CachedScores(None)
    return CachedScores(cache.folder.parent / SCORES_FOLDER, digest_of([identity(), package_code("models")]))


QUERIES_AT_ONCE = 2**16
"""More queries than this are run in chunks; fewer are one plan."""

Query = TypeVar("Query")
Found = TypeVar("Found")
_SIZE: ContextVar[int] = ContextVar("queries_at_once", default=QUERIES_AT_ONCE)


@contextmanager
def chunks_of(size: int) -> Iterator[None]:
    """Use another chunk size inside the block."""
    if size < 1:
        raise UsageError(f"a chunk of {size} queries is empty; give a size of at least 1")
    token = _SIZE.set(size)
    try:
        yield
    finally:
        _SIZE.reset(token)


def asked_in_chunks(ask: Callable[[list[Query]], Sequence[Found]], queries: Iterable[Query]) -> Iterator[Found]:
    """The answers of ``ask`` to each query, in order; ``queries`` is read as far as the next chunk needs."""
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
