"""Pairs as columns: those of a large corpus are arrays, and a pair is made when it is looked at."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import repeat

from biascheck.corpora.pair import Pair
from biascheck.corpora.sentence import Sentence
from biascheck.packed_columns import Coded, KeyedColumns, LazySequence, Numbers, Texts
from biascheck.spans import Span
from biascheck.spilled_blocks import BlockStore, sorted_in_runs

__all__ = ["COLUMNS_FROM", "PairColumns", "attributes_of", "gathered_pairs", "ids_of", "places_by_id"]

COLUMNS_FROM = 20_000
"""A corpus with more pairs than this has them as columns."""
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
    """The pairs as a corpus holds them: objects as long as they are few, columns from then on."""
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
    """The attributes of the pairs, without making the pairs."""
    return tuple(pairs.attributes if isinstance(pairs, PairColumns) else (pair.attribute for pair in pairs))


def ids_of(pairs: Sequence[Pair]) -> Iterable[str]:
    """The ids of the pairs, without making the pairs."""
    return pairs.ids if isinstance(pairs, PairColumns) else (pair.id for pair in pairs)


def places_by_id(pairs: Sequence[Pair]) -> Sequence[int]:
    """The places of the pairs in the order of their ids."""
    ordered = sorted_in_runs((name, place) for place, name in enumerate(ids_of(pairs)))
    return array("q", (place for _, place in ordered))
