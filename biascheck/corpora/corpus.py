"""A corpus: the same sentences in two or more groups, ready to be measured."""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import repeat
from types import MappingProxyType
from typing import TYPE_CHECKING

from biascheck.core.columns import BlockStore, Coded, KeyedColumns, LazySequence, Numbers, Texts, sorted_in_runs
from biascheck.core.errors import CorpusError
from biascheck.core.spans import Span
from biascheck.corpora.sentence import Sentence, refuse_repeated

if TYPE_CHECKING:
    from collections.abc import Mapping


# A pair, the unit of a corpus.


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


# Pairs as columns: those of a large corpus are arrays, and a pair object is created on access.

COLUMNS_FROM = 20_000
"""A corpus with more pairs than this stores them as columns."""
NO_SPAN = -1

Label = str | float


class SentenceColumn:
    """The sentences of one group, with their spans."""

    def __init__(self, rows: int, store: BlockStore) -> None:
        self.texts = Texts(repeat("", rows), store)
        self.spans: Numbers[int] = Numbers("i", repeat(NO_SPAN, 4 * rows), store)
        self.others: dict[int, tuple[Span, ...]] = {}

    def append(self, sentence: Sentence | None) -> None:
        """Add a sentence, or nothing."""
        if sentence is None:
            self.texts.append("")
            self.spans.extend((NO_SPAN,) * 4)
            return
        if sentence.others:
            self.others[len(self.texts)] = sentence.others
        self.texts.append(sentence.text)
        attribute = sentence.attribute or Span(NO_SPAN, NO_SPAN)
        self.spans.extend((sentence.target.start, sentence.target.end, attribute.start, attribute.end))

    def __getitem__(self, row: int) -> Sentence:
        start, end, first, last = self.spans[4 * row : 4 * row + 4]
        attribute = None if first == NO_SPAN else Span(first, last)
        return Sentence(self.texts[row], Span(start, end), attribute, self.others.get(row, ()))


def _labels(rows: int, store: BlockStore) -> Coded[Label | None]:
    return Coded(repeat(None, rows), store)


class PairColumns(LazySequence[Pair]):
    """The pairs of a large corpus."""

    def __init__(self, pairs: Iterable[Pair] = ()) -> None:
        store = BlockStore()
        self.ids = Texts(store=store)
        self.attributes: Coded[str] = Coded(store=store)
        self.sentences: KeyedColumns[Sentence, SentenceColumn] = KeyedColumns(SentenceColumn, store)
        self.labels: KeyedColumns[Label, Coded[Label | None]] = KeyedColumns(_labels, store)
        for pair in pairs:
            self.append(pair)

    def __len__(self) -> int:
        return len(self.ids)

    def append(self, pair: Pair) -> None:
        """Add a pair."""
        self.ids.append(pair.id)
        self.attributes.append(pair.attribute)
        self.sentences.keys_of(pair.sentences)
        for group, sentences in self.sentences.columns.items():
            sentences.append(pair.sentences.get(group))
        self.labels.keys_of(pair.labels)
        for name, values in self.labels.columns.items():
            values.append(pair.labels.get(name))

    def _made(self, index: int) -> Pair:
        sentences = {group: self.sentences.columns[group][index] for group in self.sentences.layouts[index]}
        labels = ((name, self.labels.columns[name][index]) for name in self.labels.layouts[index])
        known = {name: value for name, value in labels if value is not None}
        return Pair(self.ids[index], self.attributes[index], sentences, known)


def gathered_pairs(pairs: Iterable[Pair]) -> Sequence[Pair]:
    """The pairs as a corpus stores them: objects if they are few, columns otherwise."""
    if isinstance(pairs, PairColumns) or (isinstance(pairs, tuple) and len(pairs) <= COLUMNS_FROM):
        return pairs
    few: list[Pair] = []
    source = iter(pairs)
    for pair in source:
        few.append(pair)
        if len(few) > COLUMNS_FROM:
            many = PairColumns(few)
            few.clear()
            for other in source:
                many.append(other)
            return many
    return tuple(few)


def attributes_of(pairs: Sequence[Pair]) -> Sequence[str]:
    """The attributes of the pairs, without creating pair objects."""
    return tuple(pairs.attributes if isinstance(pairs, PairColumns) else (pair.attribute for pair in pairs))


def ids_of(pairs: Sequence[Pair]) -> Iterable[str]:
    """The ids of the pairs, without creating pair objects."""
    return pairs.ids if isinstance(pairs, PairColumns) else (pair.id for pair in pairs)


def places_by_id(pairs: Sequence[Pair]) -> Sequence[int]:
    """The indices of the pairs in the order of their ids."""
    ordered = sorted_in_runs((name, place) for place, name in enumerate(ids_of(pairs)))
    return array("q", (place for _, place in ordered))


@dataclass(frozen=True)
class Corpus:
    """Pairs over the same ordered groups.

    ``pairs`` may be any iterable of them; it is read once. A large number is stored as columns, and a pair object is
    created on access.

    Two-group gaps are ``groups[0] − groups[1]``; gender corpora put male first, so a positive gap
    points towards male. ``fillers`` are neutral attributes with which causal models, which have no
    mask, form their prior. ``warnings`` travel into every result measured on the corpus. ``paper`` is the key
    of the paper it belongs to (``bartl2020``), so that a report shows results on it there; empty for a user's own
    corpus.
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
        """A digest of everything that can change a score; the order of the pairs does not matter."""
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
        """The same sentences one at a time, for a corpus too large for memory."""
        return (pair.sentences[group] for pair in self.pairs for group in self.groups)

    def where(self, **labels: str | float) -> Corpus:
        """Select the pairs that carry all these labels."""
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
    """All pairs, or for columns the first one with each list of groups: the others have the same groups."""
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


# What a loader returns: the corpus, and the rows it left out.


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
