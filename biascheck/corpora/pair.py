"""A pair: what a corpus is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from biascheck.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from biascheck.corpora.sentence import Sentence

__all__ = ["Pair"]


@dataclass(frozen=True)
class Pair:
    """The same sentence in two groups, or in more.

    ``attribute`` names what the groups are compared on (a profession, a trait) and is the cluster of
    the statistics: the templates of one attribute are not independent. ``labels`` carry what a suite
    selects by (template, profession group, person words, share of women …).
    """

    id: str
    attribute: str
    sentences: Mapping[str, Sentence]
    labels: Mapping[str, str | float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.sentences) < 2:
            raise CorpusError(f"pair {self.id!r} has {len(self.sentences)} group; a comparison needs at least two")
        object.__setattr__(self, "sentences", MappingProxyType(dict(self.sentences)))
        object.__setattr__(self, "labels", MappingProxyType(dict(self.labels)))

    def __reduce__(self) -> tuple[type[Pair], tuple[object, ...]]:
        # read-only mappings cannot be pickled, but pairs travel to worker processes
        return Pair, (self.id, self.attribute, dict(self.sentences), dict(self.labels))
