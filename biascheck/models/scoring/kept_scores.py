"""Scores of finished chunks on disk, until the result that they belong to is stored: an interrupted run loses no more
than the chunks in flight.

One file for each chunk, under the digest of the model and of what was asked. A file holds plain numbers (no pickles),
appears whole or not at all, and one whose checksum is wrong is computed again. Kept only where results are kept.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from biascheck.cache.code_digest import package_code
from biascheck.cache.document_cache import active_cache, digest_of
from biascheck.cache.passing_files import delete_after_commit
from biascheck.files import write_atomically

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from biascheck.models.scoring.plan_chunks import Chunk

__all__ = ["CACHED_FROM_BATCHES", "CachedScores", "cached_scores"]

SCORES_FOLDER = "scores"
SCORES_VERSION = 1
CHECKSUM = 32
CACHED_FROM_BATCHES = 4
"""Chunks that a plan must have for its scores to be kept: less is computed again sooner than it is written."""


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
        """Keep the scores of a chunk; a disk that is full or read-only costs time, not the result."""
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
    """The numbers in a file with its checksum, or ``None`` when there are none that can be trusted."""
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
    """The kept scores of a model that says who it is, beside the cached results; nothing where those are not kept."""
    cache = active_cache()
    if identity is None or cache is None or cache.folder is None or not cache.writable:
        return CachedScores(None)
    return CachedScores(cache.folder.parent / SCORES_FOLDER, digest_of([identity(), package_code("models")]))
