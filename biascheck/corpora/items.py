"""Items of a benchmark: content, cluster and known defects."""

from __future__ import annotations

import csv
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from importlib.resources import files
from typing import Generic, Protocol, TypeVar

import numpy as np

from biascheck.core.errors import CorpusError
from biascheck.corpora.corpus import LeftOut
from biascheck.corpora.sentence import refuse_repeated

Labels = Mapping[str, str | int | float]
STRATA = ("condition", "polarity", "kind")


class BenchmarkItem(Protocol):
    """What every item has; ``cluster`` names the items that depend on each other, ``flags`` its known defects."""

    @property
    def id(self) -> str:
        """The item's id in its set."""

    @property
    def cluster(self) -> str:
        """What it shares with others."""

    @property
    def labels(self) -> Labels:
        """The labels that a suite selects by."""

    @property
    def flags(self) -> tuple[str, ...]:
        """Defects detected by rules."""


Item = TypeVar("Item", bound=BenchmarkItem)


def about_left_out(left_out: Sequence[LeftOut]) -> tuple[str, ...]:
    """A warning about rows of a file that are not in the set; empty if all are."""
    if not left_out:
        return ()
    reasons = Counter(one.reason for one in left_out)
    listed = "; ".join(f"{reason} ({count})" for reason, count in reasons.most_common())
    return (f"{len(left_out)} rows of the published file are left out: {listed}",)


@dataclass(frozen=True)
class ItemSet(Generic[Item]):
    """The items of a benchmark, ready to be measured, with every row that was left out and why.

    ``paper`` is the key of the paper it belongs to. ``where`` keeps the items with some labels, ``without_flagged``
    those without a known defect, ``sampled`` whole clusters drawn by a seed, ``thinned`` a part of each.
    """

    name: str
    items: tuple[Item, ...]
    left_out: tuple[LeftOut, ...] = ()
    warnings: tuple[str, ...] = ()
    paper: str = ""
    language: str = "en"

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", tuple(self.items))
        if not self.items:
            raise CorpusError(f"{self.name!r} has no items; missing data never passes")
        refuse_repeated((item.id for item in self.items), f"{self.name!r}")

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    @cached_property
    def fingerprint(self) -> str:
        """A digest of everything that can change an estimate; the order of the items does not matter."""
        facts = sorted(json.dumps(asdict(item), sort_keys=True, ensure_ascii=False) for item in self.items)  # type: ignore[call-overload]
        return hashlib.sha256(json.dumps([self.language, self.warnings, facts]).encode()).hexdigest()

    def where(self, **labels: str | float) -> ItemSet[Item]:
        """Select the items that carry all these labels."""
        kept = self._kept(lambda item: all(item.labels.get(key) == value for key, value in labels.items()))
        if not kept:
            known = {key: sorted({str(item.labels.get(key)) for item in self.items})[:10] for key in labels}
            raise CorpusError(f"no item of {self.name!r} has {labels}; values present: {known}")
        name = f"{self.name} ({', '.join(f'{label}={value}' for label, value in labels.items())})"
        return replace(self, name=name, items=kept)

    def without_flagged(self) -> ItemSet[Item]:
        """Select the items without a detected defect; the others are left out with it."""
        left_out = tuple(LeftOut(item.id, "; ".join(item.flags)) for item in self.items if item.flags)
        kept = self._kept(lambda item: not item.flags)
        return replace(self, name=f"{self.name} (unflagged)", items=kept, left_out=(*self.left_out, *left_out))

    def sample_clusters(self, n: int, *, seed: int = 0) -> ItemSet[Item]:
        """Whole clusters in an order drawn by ``seed``, until there are at least ``n`` items."""
        members: dict[str, list[Item]] = {}
        for item in sorted(self.items, key=lambda item: item.id):
            members.setdefault(item.cluster, []).append(item)
        names = sorted(members)
        kept: list[Item] = []
        for place in np.random.default_rng(seed).permutation(len(names)):
            if len(kept) >= n:
                break
            kept += members[names[place]]
        return replace(self, name=f"{self.name} (sample of {len(kept)}, seed {seed})", items=tuple(kept))

    def subsample(self, fraction: float, *, seed: int = 0) -> ItemSet[Item]:
        """About this fraction of the items, drawn by ``seed`` alike from every cluster, condition, polarity and kind.

        :meth:`sample_clusters` takes few clusters whole; this takes some items of each: a small copy of the whole set.
        """
        if not 0 < fraction <= 1:
            raise CorpusError(f"fraction={fraction} is not between 0 and 1; 2 % is fraction=0.02")
        if fraction == 1:
            return self
        if fraction * len(self.items) < 1:
            raise CorpusError(
                f"{fraction:.2g} of {len(self.items)} items of {self.name!r} is not one; take a larger fraction"
            )
        rng = np.random.default_rng(seed)
        kept: list[Item] = []
        due = rng.random()
        for members in self._alike(rng):
            due += fraction * len(members)  # the fractional rest of one cluster is carried over to the next
            count = min(int(due + 1e-9), len(members))
            due -= count
            kept += [members[place] for place in sorted(rng.permutation(len(members))[:count])]
        return replace(self, name=f"{self.name} ({fraction:.2g} of all, seed {seed})", items=tuple(kept))

    def _alike(self, rng: np.random.Generator) -> Iterator[list[Item]]:
        """The items of each cluster and condition: clusters in random order, but one condition after the other.

        If the conditions alternated, the rests of small clusters would always go to the same one.
        """
        strata: dict[tuple[str, ...], dict[str, list[Item]]] = {}
        for item in sorted(self.items, key=lambda item: item.id):
            clusters = strata.setdefault(tuple(str(item.labels.get(key, "")) for key in STRATA), {})
            clusters.setdefault(item.cluster, []).append(item)
        for condition in sorted(strata):
            clusters = strata[condition]
            for name in rng.permutation(sorted(clusters)):
                yield clusters[str(name)]

    def _kept(self, keep: Callable[[Item], bool]) -> tuple[Item, ...]:
        return tuple(item for item in self.items if keep(item))


def builtin_rows(name: str) -> list[dict[str, str]]:
    """A table of our own items. All sentences were written for this package, none is taken from a published set."""
    text = files("biascheck.corpora").joinpath("data", name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))


def filled(text: str, **words: str) -> str:
    """A text with ``{name}`` replaced by the word of that name, and ``{Name}`` by the word with a capital."""
    for name, word in words.items():
        text = text.replace(f"{{{name}}}", word).replace(f"{{{name.capitalize()}}}", capitalised(word))
    return text


def capitalised(text: str) -> str:
    """A text with a capital first letter."""
    return text[:1].upper() + text[1:]
