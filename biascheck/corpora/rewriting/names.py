"""First names: which stands for which in the other gender, and which entity a name becomes when it is hidden.

Substitution by names (Maudslay et al. 2019) needs a map that is one-to-one, so that a text comes back, and that pairs
names of like frequency, so that a rare name does not stand for a common one. Ours pairs the commonest male and
female first names of U.S. births of the last hundred years (Social Security Administration) by rank; names that are
common for both genders, and those that are places, are left out.

Names are found by their letters, not by a parser: "Thomas" is turned in "Phoebe Thomas", too, and "Mark" at the
beginning of a sentence is always a name.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path

from biascheck.corpora.datasets.data_directory import data_file
from biascheck.corpora.rewriting.terms import TermPair, TermSet
from biascheck.errors import CorpusError

__all__ = ["NameMap", "anonymised", "first_names", "published_names"]

_SURNAMES = r"(?:\s+(?:[A-Z]\.|(?:de|la|van|von|der|du|di)\b|[A-Z][\w'’-]*[a-z]))*"


@dataclass(frozen=True)
class NameMap:
    """Pairs of a male and a female first name; one-to-one, or it is refused."""

    name: str
    pairs: tuple[tuple[str, str], ...]

    def __post_init__(self) -> None:
        names = [name.lower() for pair in self.pairs for name in pair]
        repeated = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
        if repeated:
            raise CorpusError(f"name map {self.name!r} has {repeated[:5]} twice; one name stands for one other")
        if not self.pairs:
            raise CorpusError(f"name map {self.name!r} is empty; give at least one pair")

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the pairs."""
        return hashlib.sha256(json.dumps(self.pairs, ensure_ascii=False).encode()).hexdigest()

    def clashes(self, terms: TermSet) -> tuple[str, ...]:
        """Names that are terms already, such as *Earl*; their pairs are left out."""
        return tuple(name for pair in self.pairs for name in pair if name.lower() in terms.words)

    def added_to(self, terms: TermSet) -> TermSet:
        """The term set with every pair of names that does not clash with it."""
        taken = set(self.clashes(terms))
        kept = [pair for pair in self.pairs if not set(pair) & taken]
        return terms.with_pairs(
            f"{terms.name}+{self.name}", (TermPair(_named(male), _named(female), proper=True) for male, female in kept)
        )

    @property
    def all(self) -> tuple[str, ...]:
        """Every name, with its capital."""
        return tuple(_named(name) for pair in self.pairs for name in pair)


def _named(name: str) -> str:
    return name[:1].upper() + name[1:]


@cache
def first_names() -> NameMap:
    """Our own map: male and female first names paired by their rank."""
    table = files("biascheck.corpora").joinpath("data", "first_names.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in table.splitlines()[1:]]
    return NameMap("names", tuple((male, female) for male, female in rows))


def published_names(source: str | Path | None = None) -> NameMap:
    """The 1,000 pairs of Maudslay et al. (2019), ``cds/names_pairs_1000_scaled.json`` in the data directory."""
    path = data_file(source, "cds", "names_pairs_1000_scaled.json")
    pairs = json.loads(path.read_text(encoding="utf-8"))
    return NameMap("published names", tuple((male, female) for male, female in pairs))


def anonymised(text: str, names: Iterable[str]) -> str:
    """The text with each person as ``[E1]``, ``[E2]``, … in the order of their first mention (Manela 2021, §3.3).

    ``names`` are first or full names; a surname goes with the first name before it, and a later mention by any part
    of a name is the same entity, the first that has this part.
    """
    known = sorted({name.strip() for name in names if name.strip()}, key=lambda name: (-len(name), name))
    if not known:
        return text
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, known))}){_SURNAMES}(?!\w)")
    entities: dict[str, str] = {}

    def entity(match: re.Match[str]) -> str:
        parts = [part for part in match[0].split() if len(part) > 2]
        found = next((entities[part] for part in parts if part in entities), f"[E{len(set(entities.values())) + 1}]")
        for part in parts or [match[0]]:
            entities.setdefault(part, found)
        return found

    hidden = pattern.sub(entity, text)
    surnames = [part for part in entities if part not in known]
    if not surnames:
        return hidden
    later = re.compile(rf"(?<![\w\[])(?:{'|'.join(map(re.escape, sorted(surnames, key=len, reverse=True)))})(?!\w)")
    return later.sub(lambda match: entities[match[0]], hidden)
