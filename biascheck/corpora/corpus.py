"""A corpus: the same sentences in two or more groups, ready to be measured."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from biascheck.corpora.ids import refuse_repeated
from biascheck.corpora.pair import Pair
from biascheck.corpora.pair_columns import PairColumns, gathered_pairs, ids_of
from biascheck.errors import CorpusError
from biascheck.spilled_blocks import sorted_in_runs

if TYPE_CHECKING:
    from biascheck.corpora.sentence import Sentence

__all__ = ["Corpus", "Pair"]


@dataclass(frozen=True)
class Corpus:
    """Pairs over the same ordered groups.

    ``pairs`` may be any iterable of them; it is read once. Of very many only columns are kept, and a pair is made when
    it is looked at.

    Two-group gaps are ``groups[0] − groups[1]``; gender corpora put male first, so a positive gap
    points towards male. ``fillers`` are neutral attributes with which causal models, which have no
    mask, form their prior. ``warnings`` travel into every result measured on the corpus. ``paper`` is the key
    of the paper it belongs to (``bartl2020``), so that a report shows results on it there; empty for one's own.
    """

    name: str
    groups: tuple[str, ...]
    pairs: Sequence[Pair]
    language: str = "en"
    fillers: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    paper: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "pairs", gathered_pairs(self.pairs))
        object.__setattr__(self, "groups", tuple(self.groups))
        if not self.pairs:
            raise CorpusError(f"corpus {self.name!r} is empty; missing data never passes")
        if len(set(self.groups)) != len(self.groups) or len(self.groups) < 2:
            raise CorpusError(f"corpus {self.name!r} needs two or more distinct groups, got {list(self.groups)}")
        refuse_repeated(ids_of(self.pairs), f"corpus {self.name!r}", "give every pair an id of its own")
        for pair in _one_of_each_layout(self.pairs):
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
        facts = json.dumps([self.groups, self.language, self.fillers, self.warnings, []], ensure_ascii=False)
        digest = hashlib.sha256(facts.removesuffix("]]").encode())
        texts = sorted_in_runs((pair.id, json.dumps(_pair_facts(pair), ensure_ascii=False)) for pair in self.pairs)
        for place, (_, text) in enumerate(texts):
            digest.update((f", {text}" if place else text).encode())
        digest.update(b"]]")
        return digest.hexdigest()

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
        pairs = gathered_pairs(replace(p, sentences={g: p.sentences[g] for g in groups}) for p in self.pairs)
        return replace(self, groups=tuple(groups), pairs=pairs)

    def _filter(self, keep: Callable[[Pair], bool]) -> Sequence[Pair]:
        return gathered_pairs(pair for pair in self.pairs if keep(pair))


def _one_of_each_layout(pairs: Sequence[Pair]) -> Iterator[Pair]:
    """All pairs, or of columns the first with each list of groups: the others have the same."""
    if not isinstance(pairs, PairColumns):
        yield from pairs
        return
    codes = pairs.sentences.layouts.codes
    yield from (pairs[codes.index(code)] for code in range(len(pairs.sentences.layouts.values)))


def _pair_facts(pair: Pair) -> list[object]:
    sentences = [[group, *_sentence_facts(sentence)] for group, sentence in sorted(pair.sentences.items())]
    return [pair.id, pair.attribute, sentences, sorted(pair.labels.items())]


def _sentence_facts(sentence: Sentence) -> list[object]:
    attribute = sentence.attribute and [sentence.attribute.start, sentence.attribute.end]
    facts = [sentence.text, [sentence.target.start, sentence.target.end], attribute]
    return [*facts, *([span.start, span.end] for span in sentence.others)]
