"""Gendered words and their counterparts: the three term sets of Jentzsch & Turan (2022), curated here.

``pro`` holds the pronouns, ``weat`` pronouns and family words (the pairs of the paper), ``all`` every pair of
``data/gender_terms.tsv``. A word may have one counterpart only, so the table decides where English offers several:

- *lady* is gentleman; lord and gent become lady, and come back as gentleman.
- *guy* is gal; bloke, fella and chap become gal as well. *guys* is taken for men, also in "you guys".
- *ms* is mr; mrs becomes mr and comes back as ms. *Miss* is left out: it is the verb far more often.
- Words whose female form exists but whose male form serves everybody are turned one way only: poetess becomes poet,
  and poet stays. So do host, god, giant, count and others with a second meaning.
- *her* is him or his, *his* is her or hers, by grammatical role (:mod:`biascheck.corpora.rewriting.pronoun_roles`).

Animals, parts of the body, first names, and *master* and *mistress*, which are no counterparts any more, are left
out. Names are words too: "Stephen King" becomes "Stephen Queen", and a corpus of reviews says so in its warnings.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from biascheck.errors import CorpusError, DataNotFoundError, UsageError

__all__ = ["GENDERS", "Gender", "TermName", "TermPair", "TermSet", "as_coded", "gender_terms", "term_table"]

Gender = Literal["male", "female"]
TermName = Literal["pro", "weat", "all"]
Way = Literal["both", "male>female", "female>male"]

GENDERS: tuple[Gender, Gender] = ("male", "female")
TERM_NAMES: tuple[TermName, ...] = ("pro", "weat", "all")
PLAIN = ""
"""The role of a word that has the same counterpart wherever it stands."""


@dataclass(frozen=True, slots=True)
class TermPair:
    """A male and a female word, and in which directions the one stands for the other.

    ``role`` says in which grammatical role the pair holds, for pronouns with two counterparts. ``proper`` words are
    names: they are words of the set only where they are written with a capital.
    """

    male: str
    female: str
    way: Way = "both"
    role: str = PLAIN
    proper: bool = False

    def word(self, gender: Gender) -> str:
        """The word of one gender."""
        return self.male if gender == "male" else self.female


@dataclass(frozen=True)
class TermSet:
    """Pairs of words. ``counterparts(gender)`` maps each word of the *other* gender to its word of this one."""

    name: str
    pairs: tuple[TermPair, ...]
    _maps: dict[str, Mapping[str, Mapping[str, str]]] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.pairs:
            raise CorpusError(f"term set {self.name!r} is empty; give at least one pair")
        both = {pair.male for pair in self.pairs} & {pair.female for pair in self.pairs}
        if both:
            raise CorpusError(f"term set {self.name!r} has {sorted(both)} on both sides; a word has one gender")
        for gender in GENDERS:
            self._maps[gender] = MappingProxyType(_counterparts(self, gender))

    def counterparts(self, gender: Gender) -> Mapping[str, Mapping[str, str]]:
        """From each word that must go to what stands for it, by role."""
        if gender not in GENDERS:
            raise UsageError(f"gender is 'male' or 'female', not {gender!r}")
        return self._maps[gender]

    @property
    def words(self) -> frozenset[str]:
        """The words that show a gender: all that are turned in some direction. A *poet* is nobody's gender."""
        return frozenset(word for gender in GENDERS for word in self._maps[gender])

    @cached_property
    def proper(self) -> frozenset[str]:
        """The words that are names, in lower case."""
        return frozenset(pair.word(gender).lower() for pair in self.pairs if pair.proper for gender in GENDERS)

    @cached_property
    def bijective(self) -> bool:
        """Whether every text that is swapped twice is the text again: no roles and no one-way pairs."""
        return all(pair.role == PLAIN and pair.way == "both" for pair in self.pairs)

    def with_pairs(self, name: str, pairs: Iterable[TermPair]) -> TermSet:
        """The set with further pairs, under another name."""
        return TermSet(name, (*self.pairs, *pairs))

    def lossy(self, gender: Gender) -> frozenset[str]:
        """Words of ``gender`` that do not come back from the other gender as themselves."""
        there = self.counterparts("female" if gender == "male" else "male")
        back = self.counterparts(gender)
        return frozenset(
            word
            for word, forms in there.items()
            if any(back.get(other, {}).get(role) != word for role, other in forms.items())
        )


def _counterparts(terms: TermSet, gender: Gender) -> dict[str, Mapping[str, str]]:
    source: Gender = "female" if gender == "male" else "male"
    found: dict[str, dict[str, str]] = {}
    for pair in terms.pairs:
        if pair.way not in ("both", f"{source}>{gender}"):
            continue
        forms = found.setdefault(pair.word(source).lower(), {})
        if pair.role in forms:
            raise CorpusError(
                f"term set {terms.name!r} turns {pair.word(source)!r} into both {forms[pair.role]!r} and "
                f"{pair.word(gender)!r}; keep one, or mark one of the pairs as one way only"
            )
        forms[pair.role] = pair.word(gender)
    return {word: MappingProxyType(forms) for word, forms in found.items()}


@cache
def gender_terms(name: TermName = "all") -> TermSet:
    """One of our three term sets: ``pro``, ``weat`` or ``all``."""
    if name not in TERM_NAMES:
        raise UsageError(f"no term set {name!r}; there are: {', '.join(TERM_NAMES)}")
    return TermSet(name, tuple(pair for pair, sets in term_table() if name in sets))


@cache
def term_table() -> tuple[tuple[TermPair, tuple[str, ...]], ...]:
    """Every row of ``data/gender_terms.tsv`` with the sets it belongs to."""
    table = files("biascheck.corpora").joinpath("data", "gender_terms.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in table.splitlines()[1:]]
    return tuple((TermPair(male, female, way, role), tuple(sets.split())) for male, female, way, sets, role in rows)  # type: ignore[arg-type]


AS_CODED: Mapping[TermName, str] = MappingProxyType({"pro": "prons", "weat": "weat", "all": "terms"})


def as_coded(name: TermName, file: str | Path) -> TermSet:
    """A term set as the authors' code had it, from ``term_maps.json``, for comparison.

    Their two dictionaries are not inverse to each other (her is always his, in ``weat`` always him; girl becomes
    bloke), so every entry is a pair of one direction. A word that their maps put on both sides is left on the side of
    its first mention.
    """
    path = Path(file)
    if not path.is_file():
        raise DataNotFoundError(f"{path} does not exist; give the file term_maps.json of the golden figures")
    maps = json.loads(path.read_text(encoding="utf-8"))
    if name not in AS_CODED:
        raise UsageError(f"no term set {name!r}; there are: {', '.join(TERM_NAMES)}")
    to_female, to_male = maps[f"{AS_CODED[name]}_m2f"], maps[f"{AS_CODED[name]}_f2m"]
    males = dict.fromkeys(to_female)
    females = {word: None for word in to_male if word not in males}
    pairs = _one_way(to_female.items(), males, "male>female")
    pairs += _one_way(((male, female) for female, male in to_male.items()), males, "female>male", females)
    return TermSet(f"{name} as coded", pairs)


def _one_way(
    entries: Iterable[tuple[str, str]], males: Mapping[str, None], way: Way, females: Mapping[str, None] | None = None
) -> tuple[TermPair, ...]:
    return tuple(
        TermPair(male, female, way)
        for male, female in entries
        if female not in males and (females is None or male not in females)
    )
