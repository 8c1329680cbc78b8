"""First names: counterparts in the other gender, and entities in place of hidden names.

Substitution of names (Maudslay et al. 2019) needs a map that is one-to-one, so that it can be reversed, and that pairs
names of similar frequency, so that a rare name does not replace a common one. Ours begins with the commonest male and
female first names of U.S. births of the last hundred years (Social Security Administration), paired by rank; names
that are common for both genders, and those that are places, are left out. It continues with the names of the census of
1990 that nine of ten bearers have in one gender and that are nothing else, by rank again.

The finder decides whether a word is a person's first name (:mod:`biascheck.corpora.rewriting.name_finder`).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Container, Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path

from biascheck.core.errors import CorpusError
from biascheck.core.spans import Span
from biascheck.corpora.published import data_file
from biascheck.corpora.rewriting.name_finder import NameFinder, NameMention, with_capital
from biascheck.corpora.rewriting.name_surroundings import SURNAME_ODDS, ambiguous_names, given_names
from biascheck.corpora.rewriting.terms import GENDERS, Gender, TermPair, TermSet, gender_terms

_SURNAMES = re.compile(r"(?:\s+(?:[A-Z]\.|(?:de|la|van|von|der|du|di)\b|[A-Z][\w'’-]*[a-z]))*(?!\w)")


@dataclass(frozen=True)
class NameMap:
    """Pairs of a male and a female first name; raises an error unless they are one-to-one."""

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
            f"{terms.name}+{self.name}",
            (TermPair(with_capital(male), with_capital(female), proper=True) for male, female in kept),
        )

    @property
    def all(self) -> tuple[str, ...]:
        """Every name, with its capital."""
        return tuple(with_capital(name) for pair in self.pairs for name in pair)

    @cached_property
    def finder(self) -> NameFinder:
        """The spans of first names of the map; both of a pair by the same rules, so that a swap can be reversed."""
        return NameFinder(self.all, alike=self.pairs)


@cache
def first_names() -> NameMap:
    """The built-in map: male and female first names paired by rank."""
    table = files("biascheck.corpora").joinpath("data", "first_names.tsv").read_text(encoding="utf-8")
    common = [tuple(line.split("\t")) for line in table.splitlines()[1:]]
    taken = {name for pair in common for name in pair}
    males, females = (_clear_names(gender, taken) for gender in GENDERS)
    return NameMap("names", tuple((male, female) for male, female in [*common, *zip(males, females, strict=False)]))


def _clear_names(gender: Gender, taken: Container[str]) -> list[str]:
    """Names of the census that show this gender and have no other meaning, the commonest first."""
    words = gender_terms("all").words
    found = [
        entry
        for name, entry in given_names().items()
        if entry.gender == gender
        and entry.surname_odds < SURNAME_ODDS
        and name not in taken
        and name not in ambiguous_names()
        and name.lower() not in words
    ]
    return [entry.name for entry in sorted(found, key=lambda entry: (-getattr(entry, gender), entry.name))]


def published_names(source: str | Path | None = None) -> NameMap:
    """The 1,000 pairs of Maudslay et al. (2019), ``cds/names_pairs_1000_scaled.json`` in the data directory."""
    path = data_file(source, "cds", "names_pairs_1000_scaled.json")
    pairs = json.loads(path.read_text(encoding="utf-8"))
    return NameMap("published names", tuple((male, female) for male, female in pairs))


def anonymised(text: str, names: Iterable[str], finder: NameFinder | None = None) -> str:
    """The text with each person as ``[E1]``, ``[E2]``, … in the order of their first mention (Manela 2021, §3.3).

    ``names`` are first or full names, hidden wherever they are written; a ``finder`` adds those that it finds.
    A surname goes with the first name before it, and a later mention by any part of a name is the same entity, the
    first that has this part.
    """
    known = {name.strip() for name in names if name.strip()}
    people = _people(text, known, finder)
    if not people:
        return text
    entities: dict[str, str] = {}
    parts: list[str] = []
    done = 0
    for person in people:
        parts += (text[done : person.start], _entity(person.of(text), entities))
        done = person.end
    hidden = "".join([*parts, text[done:]])
    firsts = {person.of(text).split()[0] for person in people}
    surnames = [part for part in entities if part not in known and part not in firsts]
    if not surnames:
        return hidden
    later = re.compile(rf"(?<![\w\[])(?:{'|'.join(map(re.escape, sorted(surnames, key=len, reverse=True)))})(?!\w)")
    return later.sub(lambda match: entities[match[0]], hidden)


def _people(text: str, known: Iterable[str], finder: NameFinder | None) -> list[Span]:
    """The spans of people's names, surnames included; of two that overlap the first."""
    starts = {span.start: span.end for span in finder.people(text)} if finder else {}
    if written := sorted(known, key=lambda name: (-len(name), name)):
        pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, written))})(?!\w)")
        starts |= {match.start(): max(match.end(), starts.get(match.start(), 0)) for match in pattern.finditer(text)}
    people: list[Span] = []
    for start, end in sorted(starts.items()):
        if people and start < people[-1].end:
            continue
        surname = _SURNAMES.match(text, end)
        people.append(Span(start, surname.end() if surname else end))
    return people


def _entity(person: str, entities: dict[str, str]) -> str:
    parts = [part for part in person.split() if len(part) > 2]
    found = next((entities[part] for part in parts if part in entities), f"[E{len(set(entities.values())) + 1}]")
    for part in parts or [person]:
        entities.setdefault(part, found)
    return found


# First names that a treatment leaves in a text: beside a swapped pronoun they contradict it.


def remaining_names(text: str, replaced: Iterable[Span] = ()) -> tuple[NameMention, ...]:
    """First names in the text that show a gender (nine of ten bearers, census of 1990) and are not replaced.

    Names that the census does not know, such as those of other languages, are not counted.
    """
    gone = {span.start for span in replaced}
    known = given_names()
    return tuple(
        mention
        for mention in _all_names().mentions(text)
        if mention.is_first_name and mention.span.start not in gone and known[mention.word].gender is not None
    )


@cache
def _all_names() -> NameFinder:
    return NameFinder()
