"""States on disk: the vectors of one set of queries, under the digest of the encoder and of the queries.

Kept beside the cached results and only where those are kept. A file holds plain numbers (no pickles), appears whole
or not at all, and one that cannot be read is computed again.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from biascheck.cache.document_cache import active_cache, digest_of
from biascheck.cache.locks import hold_where_possible
from biascheck.files import write_atomically
from biascheck.models.capabilities import Encoder
from biascheck.models.scoring.forecast import active_estimate
from biascheck.models.scoring.queries import Refusal, State, WordQuery

__all__ = ["cached_states"]

STATES_FOLDER = "states"
STATES_VERSION = 1


def cached_states(encoder: Encoder, queries: Sequence[WordQuery]) -> list[State | Refusal]:
    """The states of the queries, from disk where the same encoder has answered the same ones before."""
    cache = active_cache()
    if cache is None or cache.folder is None or active_estimate() is not None:
        return encoder.words(queries)
    path = cache.folder.parent / STATES_FOLDER / f"{_key(encoder, queries)}.npz"
    if (found := _read(path, len(queries))) is not None:
        return found
    with hold_where_possible(path.with_suffix(".lock"), "hidden states that are being computed") as fault:
        if (found := _read(path, len(queries))) is not None:
            return found
        states = encoder.words(queries)
        if fault is None:
            _write(path, states)
        return states


def _key(encoder: Encoder, queries: Sequence[WordQuery]) -> str:
    asked = [[q.text, q.span.start, q.span.end, *([span.start, span.end] for span in q.hidden)] for q in queries]
    return digest_of([STATES_VERSION, encoder.fingerprint, asked])


def _read(path: Path, count: int) -> list[State | Refusal] | None:
    """As many states as there are queries, or ``None``: a file can be damaged in more ways than there are errors."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            rows, pieces, reasons = iter(stored["vectors"]), stored["pieces"].tolist(), stored["reasons"].tolist()
        found = [
            Refusal(str(reason)) if reason else State(next(rows), int(tokens))
            for tokens, reason in zip(pieces, reasons, strict=True)
        ]
    except MemoryError:
        raise
    except Exception:
        return None
    return found if len(found) == count and next(rows, None) is None else None


def _write(path: Path, states: Sequence[State | Refusal]) -> None:
    answered = [state for state in states if isinstance(state, State)]
    if not answered:
        return
    buffer = io.BytesIO()
    np.savez(
        buffer,
        vectors=np.stack([state.vector for state in answered]),
        pieces=np.array([state.pieces if isinstance(state, State) else 0 for state in states]),
        reasons=np.array([state.reason if isinstance(state, Refusal) else "" for state in states]),
    )
    try:
        write_atomically(path, buffer.getvalue())
    except OSError:
        return  # a full or read-only disk costs time, not the result; the results' own cache warns about it
