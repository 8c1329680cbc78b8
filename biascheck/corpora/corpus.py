"""A corpus: the same sentences in two or more groups, ready to be measured."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from biascheck.corpora.ids import refuse_repeated
from biascheck.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from biascheck.corpora.sentence import Sentence

__all__ = ["Corpus", "Pair"]


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


@dataclass(frozen=True)
class Corpus:
    """Pairs over the same ordered groups.

    Two-group gaps are ``groups[0] − groups[1]``; gender corpora put male first, so a positive gap
    points towards male. ``fillers`` are neutral attributes with which causal models, which have no
    mask, form their prior. ``warnings`` travel into every result measured on the corpus. ``paper`` is the key
    of the paper it belongs to (``bartl2020``), so that a report shows results on it there; empty for one's own.
    """

    name: str
    groups: tuple[str, ...]
    pairs: tuple[Pair, ...]
    language: str = "en"
    fillers: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    paper: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "pairs", tuple(self.pairs))
        object.__setattr__(self, "groups", tuple(self.groups))
        if not self.pairs:
            raise CorpusError(f"corpus {self.name!r} is empty; missing data never passes")
        if len(set(self.groups)) != len(self.groups) or len(self.groups) < 2:
            raise CorpusError(f"corpus {self.name!r} needs two or more distinct groups, got {list(self.groups)}")
        refuse_repeated((pair.id for pair in self.pairs), f"corpus {self.name!r}", "give every pair an id of its own")
        for pair in self.pairs:
            if set(pair.sentences) != set(self.groups):
                raise CorpusError(
                    f"pair {pair.id!r} of {self.name!r} has groups {sorted(pair.sentences)}, "
                    f"the corpus has {sorted(self.groups)}; give every pair one sentence per group"
                )

    def __len__(self) -> int:
        return len(self.pairs)

    def __iter__(self) -> Iterator[Pair]:
        return iter(self.pairs)

    @cached_property
    def fingerprint(self) -> str:
        """A digest of everything that can change a score; the order of the pairs cannot."""
        pairs = sorted((_pair_facts(pair) for pair in self.pairs), key=lambda facts: str(facts[0]))
        facts = [self.groups, self.language, self.fillers, self.warnings, pairs]
        return hashlib.sha256(json.dumps(facts, ensure_ascii=False).encode()).hexdigest()

    def sentences(self) -> list[Sentence]:
        """All sentences, pair by pair, in the order of the groups."""
        return list(self.each_sentence())

    def each_sentence(self) -> Iterator[Sentence]:
        """The same sentences one at a time, for a corpus too large to hold them all."""
        return (pair.sentences[group] for pair in self.pairs for group in self.groups)

    def where(self, **labels: str | float) -> Corpus:
        """Keep the pairs that carry all these labels."""
        kept = self._filter(lambda pair: all(pair.labels.get(key) == value for key, value in labels.items()))
        if not kept:
            known = {key: sorted({str(pair.labels.get(key)) for pair in self.pairs})[:10] for key in labels}
            raise CorpusError(f"no pair of {self.name!r} has {labels}; values present: {known}")
        name = f"{self.name} ({', '.join(f'{label}={value}' for label, value in labels.items())})"
        return replace(self, name=name, pairs=kept)

    def with_groups(self, groups: Sequence[str]) -> Corpus:
        """The same corpus with its groups in another order, or only some of them."""
        missing = set(groups) - set(self.groups)
        if missing:
            raise CorpusError(f"{self.name!r} has no group {sorted(missing)}; it has {list(self.groups)}")
        pairs = tuple(replace(p, sentences={g: p.sentences[g] for g in groups}) for p in self.pairs)
        return replace(self, groups=tuple(groups), pairs=pairs)

    def _filter(self, keep: Callable[[Pair], bool]) -> tuple[Pair, ...]:
        return tuple(pair for pair in self.pairs if keep(pair))


def _pair_facts(pair: Pair) -> list[object]:
    sentences = [[group, *_sentence_facts(sentence)] for group, sentence in sorted(pair.sentences.items())]
    return [pair.id, pair.attribute, sentences, sorted(pair.labels.items())]


def _sentence_facts(sentence: Sentence) -> list[object]:
    attribute = sentence.attribute and [sentence.attribute.start, sentence.attribute.end]
    facts = [sentence.text, [sentence.target.start, sentence.target.end], attribute]
    return [*facts, *([span.start, span.end] for span in sentence.others)]
