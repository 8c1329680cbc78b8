"""What a loader brings back: the corpus, and what it could not take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from biascheck.corpora.corpus import Corpus

__all__ = ["LeftOut", "Loaded"]


@dataclass(frozen=True)
class LeftOut:
    """A row of a published file that is not in the corpus, and why."""

    id: str
    reason: str


@dataclass(frozen=True)
class Loaded:
    """A corpus made from a published file, with every row that was left out."""

    corpus: Corpus
    left_out: tuple[LeftOut, ...] = ()
