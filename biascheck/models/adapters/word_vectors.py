"""Static word vectors: a table with one row for each word."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from biascheck.cache.live_fingerprints import checksum_of
from biascheck.errors import ModelError
from biascheck.models.scoring.queries import Refusal, State

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["WordVectors"]


def _as_table(matrix: ArrayLike, name: str) -> NDArray[np.float32]:
    try:
        with np.errstate(over="ignore"):
            return np.asarray(matrix, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise ModelError(f"{name}: not a table of numbers ({error}); give one row of numbers for every word") from error


class WordVectors:
    """One vector for each word: word2vec, GloVe, fastText, or the table of one's own product.

    A word is looked up as it is, then in lower case, then with underscores for spaces (word2vec writes
    ``computer_programmer``). ``fingerprint`` defaults to a digest of words and numbers. ``treatment`` says what was
    done to the vectors after they were trained.
    """

    def __init__(
        self,
        words: Sequence[str],
        matrix: ArrayLike,
        *,
        name: str = "vectors",
        fingerprint: str | None = None,
        treatment: tuple[str, ...] = (),
    ) -> None:
        self.treatment = treatment
        self.matrix: NDArray[np.float32] = _as_table(matrix, name)
        self.vocabulary: tuple[str, ...] = tuple(words)
        self.name = name
        if self.matrix.ndim != 2 or len(self.vocabulary) != len(self.matrix):
            raise ModelError(
                f"{name}: {len(self.vocabulary):,} words and a table of shape {self.matrix.shape}; "
                "give one row of numbers for every word"
            )
        if not self.matrix.size:
            raise ModelError(f"{name}: the table is empty; give it at least one word and one number")
        self._digests = {checksum_of(self.matrix): fingerprint} if fingerprint is not None else {}

    def __len__(self) -> int:
        return len(self.vocabulary)

    def __contains__(self, word: str) -> bool:
        return self._row(word) is not None

    def __repr__(self) -> str:
        return f"WordVectors({self.name!r}, {len(self):,} words of {self.matrix.shape[1]} dimensions)"

    @property
    def fingerprint(self) -> str:
        """A digest of the words and of their numbers as they are now."""
        checksum = checksum_of(self.matrix)
        if checksum not in self._digests:
            digest = hashlib.sha256("\n".join(self.vocabulary).encode(errors="surrogatepass"))
            digest.update(np.ascontiguousarray(self.matrix).tobytes())
            self._digests[checksum] = digest.hexdigest()
        return self._digests[checksum]

    def vectors(self, words: Sequence[str]) -> list[State | Refusal]:
        """The vector of each word, or why it has none."""
        return [self._state(word) for word in words]

    def with_matrix(
        self, matrix: ArrayLike, *, name: str | None = None, treatment: tuple[str, ...] = ()
    ) -> WordVectors:
        """The same words with other numbers, and what made them so."""
        return WordVectors(self.vocabulary, matrix, name=name or self.name, treatment=(*self.treatment, *treatment))

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The row of each word; of a word that is listed twice, the first."""
        places: dict[str, int] = {}
        for row, word in enumerate(self.vocabulary):
            places.setdefault(word, row)
        return places

    def _row(self, word: str) -> int | None:
        spellings = (word, word.lower(), word.replace(" ", "_"), word.lower().replace(" ", "_"))
        return next((self.places[spelling] for spelling in spellings if spelling in self.places), None)

    def _state(self, word: str) -> State | Refusal:
        row = self._row(word)
        if row is None:
            return Refusal(f"{word!r} is not among the words of {self.name}; choose another word or drop it")
        vector = self.matrix[row]
        if not np.isfinite(vector).all() or not vector.any():
            return Refusal(f"{word!r} has no direction in {self.name} (zero or not finite); drop it")
        return State(vector, 1)
