"""A lexicon: words in sentences, with the group and the bias each is known by."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from biascheck.corpora.corpus import Corpus
from biascheck.corpora.ids import refuse_repeated
from biascheck.corpora.loaded import LeftOut
from biascheck.errors import CorpusError
from biascheck.spans import Span

__all__ = ["Context", "Entry", "Lexicon"]


@dataclass(frozen=True, slots=True)
class Context:
    """A sentence, and where the word is in it."""

    text: str
    span: Span

    def __post_init__(self) -> None:
        if not 0 <= self.span.start < self.span.end <= len(self.text):
            raise CorpusError(
                f"span {self.span.start}–{self.span.end} does not fit the {len(self.text)} characters of {self.text!r}"
            )

    @property
    def word(self) -> str:
        """The word as it is written in the sentence."""
        return self.span.of(self.text)


@dataclass(frozen=True)
class Entry:
    """A word and the sentences it may be looked at in.

    ``bias`` is how far the word leans to the first group (positive) or the second, by a source of its own: the
    projection of a static vector, a rating, a workforce share. ``group`` follows its sign unless given.
    """

    word: str
    contexts: tuple[Context, ...]
    bias: float | None = None
    labels: Mapping[str, str | float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "contexts", tuple(self.contexts))
        if not self.contexts:
            raise CorpusError(f"{self.word!r} has no sentence to be measured in; leave it out")
        if self.bias is not None and not np.isfinite(self.bias):
            raise CorpusError(f"{self.word!r} has the bias {self.bias}; give a finite number or none")


@dataclass(frozen=True)
class Lexicon:
    """Words in sentences, and the definitional pairs (he–she, man–woman …) that span the direction they lean in.

    ``groups`` name the two ends of the direction, the positive one first. ``left_out`` are words that were asked
    for and could not be taken, with the reason; they become skipped items of every result.
    """

    name: str
    entries: tuple[Entry, ...]
    pairs: Corpus
    groups: tuple[str, str] = ("male", "female")
    left_out: tuple[LeftOut, ...] = ()
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "entries", tuple(self.entries))
        if not self.entries:
            raise CorpusError(f"lexicon {self.name!r} is empty; missing data never passes")
        refuse_repeated((entry.word for entry in self.entries), f"lexicon {self.name!r}", "give every word once")
        if tuple(self.pairs.groups) != self.groups:
            raise CorpusError(f"the pairs of {self.name!r} are of {self.pairs.groups}, its words of {self.groups}")

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    @cached_property
    def fingerprint(self) -> str:
        """A digest of everything that can change a figure; draws depend on the order, so it counts."""
        entries = [
            [e.word, e.bias, [[c.text, c.span.start, c.span.end] for c in e.contexts], sorted(e.labels.items())]
            for e in self.entries
        ]
        left_out = [[left.id, left.reason] for left in self.left_out]
        facts = [self.groups, entries, self.pairs.fingerprint, left_out, self.warnings]
        return hashlib.sha256(json.dumps(facts, ensure_ascii=False).encode()).hexdigest()

    def group_of(self, entry: Entry) -> str:
        """Which group a word leans to."""
        if not entry.bias:
            raise CorpusError(
                f"{entry.word!r} of {self.name!r} leans to neither group, and this measure needs words that do; "
                "use most_biased(…) or give every word a bias"
            )
        return self.groups[0] if entry.bias > 0 else self.groups[1]

    def draws(self, count: int, seed: int) -> list[list[Context]]:
        """One sentence for each word, ``count`` times over.

        The sentences of a word are shuffled and dealt out, so that a word repeats one only when it has no other left.
        """
        if count < 1:
            raise CorpusError(f"{count} draws look at nothing; ask for at least 1, better 10")
        rng = np.random.default_rng(seed)
        dealt = [_dealt(entry.contexts, count, rng) for entry in self.entries]
        return [[contexts[draw] for contexts in dealt] for draw in range(count)]

    def with_bias(self, bias: Mapping[str, float], *, name: str | None = None) -> Lexicon:
        """The same words with the bias of another source; a word that it does not know is left out."""
        known = tuple(replace(e, bias=float(bias[e.word])) for e in self.entries if e.word in bias)
        unknown = tuple(LeftOut(e.word, "its bias is not known") for e in self.entries if e.word not in bias)
        return replace(self, name=name or self.name, entries=known, left_out=(*self.left_out, *unknown))

    def most_biased(self, each: int) -> Lexicon:
        """The ``each`` words that lean furthest to either group."""
        if each < 1:
            raise CorpusError(f"{each} words a group compare nothing; ask for at least 1")
        ranked = sorted((e for e in self.entries if e.bias), key=lambda e: (-(e.bias or 0.0), e.word))
        first = [e for e in ranked if (e.bias or 0.0) > 0][:each]
        second = [e for e in ranked if (e.bias or 0.0) < 0][-each:]
        if min(len(first), len(second)) < each:
            raise CorpusError(
                f"{self.name!r} has {len(first)} and {len(second)} words that lean to {' and '.join(self.groups)}; "
                f"{each} each were asked for"
            )
        return replace(self, name=f"{self.name}·{2 * each}", entries=(*first, *second))

    def where(self, keep: Callable[[Entry], bool]) -> Lexicon:
        """Only the words for which ``keep`` holds."""
        return replace(self, entries=tuple(entry for entry in self.entries if keep(entry)))


def _dealt(contexts: Sequence[Context], count: int, rng: np.random.Generator) -> list[Context]:
    order: list[int] = []
    while len(order) < count:
        order.extend(rng.permutation(len(contexts)).tolist())
    return [contexts[place] for place in order[:count]]
