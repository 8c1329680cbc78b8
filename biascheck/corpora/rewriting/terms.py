"""Gendered words and their counterparts: the three term sets of Jentzsch & Turan (2022), curated here.

``pro`` contains the pronouns, ``weat`` pronouns and family words (the pairs of the paper), ``all`` every pair of
``data/gender_terms.tsv``. A word may have only one counterpart, so the table decides where English offers several:

- *lady* is gentleman; lord and gent become lady, and come back as gentleman.
- *guy* is gal; bloke, fella and chap become gal as well. *guys* is taken for men, also in "you guys".
- *ms* is mr; mrs becomes mr and comes back as ms. *Miss* is left out: it is far more often the verb.
- Words whose female form exists but whose male form is used for everybody are changed in one direction only: poetess
becomes poet,
  and poet stays. So do host, god, giant, count and others with a second meaning.
- *her* is him or his, *his* is her or hers, by grammatical role (:mod:`biascheck.corpora.rewriting.terms`).

Animals, parts of the body, first names, and *master* and *mistress*, which are no counterparts any more, are left
out. Names are words too: "Stephen King" becomes "Stephen Queen", and a corpus of reviews says so in its warnings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Literal, Protocol

from biascheck.core.errors import CorpusError, DataNotFoundError, UsageError
from biascheck.corpora.bec_pro import PERSONS, bec_pro_professions

Gender = Literal["male", "female"]
TermName = Literal["pro", "weat", "all"]
Way = Literal["both", "male>female", "female>male"]

GENDERS: tuple[Gender, Gender] = ("male", "female")
TERM_NAMES: tuple[TermName, ...] = ("pro", "weat", "all")
PLAIN = ""
"""The role of a word that has the same counterpart everywhere."""


@dataclass(frozen=True, slots=True)
class TermPair:
    """A male and a female word, and the directions in which they are exchanged.

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
        """From each word to be replaced to its replacement, by role."""
        if gender not in GENDERS:
            raise UsageError(f"gender is 'male' or 'female', not {gender!r}")
        return self._maps[gender]

    @property
    def words(self) -> frozenset[str]:
        """The words that show a gender: all that are changed in some direction. *poet* shows none."""
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
        """Words of ``gender`` that swapping twice does not restore."""
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
    """One of the three built-in term sets: ``pro``, ``weat`` or ``all``."""
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


# The role of *her*, object (him) or determiner (his), decided from the words around it.
#
# English has one female form for two male ones: "I met her" (him), "I met her sister" (his). A parser
# would know; this needs none. A linear model looks at the next two words and the previous one. It was fitted to
# *him* and *his* in running text, where the word itself is the label, so nobody had to annotate anything
# (``tools/fit_pronoun_roles.py``). How often it is right on *her* itself was counted on sentences labelled by
# hand: see ``tests/corpora/rewriting/test_terms_pronoun_roles.py``.
#
# *his* is split in the same way into a determiner (her) and an independent pronoun (hers). The latter requires more
# evidence, because independent "his" is rarer than one in hundreds; and what is a determiner as *her* is always a
# determiner as *his*, so that her → his → her is restored.

Role = Literal["object", "determiner", "pronominal", "subject", "unclear"]
"""``unclear`` leaves the word as it is; ``subject`` is for languages that inflect, see german_terms.py."""

CONTEXT = 48
"""The number of characters on each side that are examined."""
ALONE = -2.0
"""The score below which *his* is independent; *her* is an object from 0 down."""

# No noun phrase begins with these: "what happened to her was", "his was better".
_FINITE = frozenset({"is", "was", "are", "were", "has", "had", "does", "did", "would", "could", "should"})
_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[^\w\s]")


class RoleResolver(Protocol):
    """Anything that decides the grammatical role of a pronoun; for example a parser."""

    def role(self, text: str, start: int, end: int) -> Role:
        """The role of the pronoun at these characters."""


class ContextRoles:
    """The linear model: positive speaks for a determiner, negative for an object."""

    def role(self, text: str, start: int, end: int) -> Role:
        """The role of *her*, *his*, *him* or *hers* at these characters."""
        word = text[start:end].lower()
        if word == "him":
            return "object"
        if word == "hers":
            return "pronominal"
        score = self.score(text, start, end)
        if word == "his":
            return "pronominal" if score < ALONE else "determiner"
        return "determiner" if score > 0 else "object"

    def score(self, text: str, start: int, end: int) -> float:
        """How much the context speaks for a determiner, in log odds."""
        weights, features = _weights(), features_of(text, start, end)
        if features[0].removeprefix("next=") in _FINITE:
            return 2 * ALONE
        return weights["bias"] + sum(weights.get(name, 0.0) for name in features)


def features_of(text: str, start: int, end: int) -> list[str]:
    """The features that the model looks at: the next two tokens, the previous one, and the next one's ending.

    Gendered neighbours count as their male forms: "her husband" is to be read like "his wife", and the answer must
    not change when the text around the pronoun is turned to the other gender.
    """
    after = [_ungendered(match[0]) for match in _TOKEN.finditer(text[end : end + CONTEXT])][:2]
    before = [_ungendered(match[0]) for match in _TOKEN.finditer(text[max(0, start - CONTEXT) : start])][-1:]
    after += ["$"] * (2 - len(after))
    features = [f"next={after[0]}", f"second={after[1]}", f"previous={before[0] if before else '^'}"]
    if after[0].isalpha():
        return [*features, f"ending={after[0][-3:]}", f"ending={after[0][-2:]}"]
    return [*features, "mark"]


def _ungendered(token: str) -> str:
    word = token.lower()
    return _male_forms().get(word, word)


@cache
def _male_forms() -> dict[str, str]:
    plain = {word: forms[PLAIN] for word, forms in gender_terms("all").counterparts("male").items() if PLAIN in forms}
    return plain | dict.fromkeys(("her", "him", "his", "hers"), "him")


@cache
def _weights() -> dict[str, float]:
    table = files("biascheck.corpora").joinpath("data", "pronoun_roles.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in table.splitlines()[1:])
    return {name: float(weight) for name, weight in rows}


# German words of either gender: pronouns, articles with their noun, and the professions of BEC-Pro.
#
# German inflects the article with the noun, so a noun is changed together with its article: *der Bruder* becomes
# *die Schwester*. From male to female the case can be seen (*den Bruder*, *dem Bruder*); from female to male
# often not: *die Schwester* is subject or object, *der Schwester* dative or genitive, *sie* she or they, *ihr*
# her or their. What opens a clause is taken for its subject, *sie* before a verb of the third person for she.
# Everything else stays as it is and is listed as left alone: a text with wrong cases would teach a model more than its
# genders. So German substitution turns men into women more often than women into men; look at the balance that
# is reported.

NOMINATIVE = {
    "der": "die",
    "dieser": "diese",
    "jener": "jene",
    "jeder": "jede",
    "ein": "eine",
    "kein": "keine",
    "mein": "meine",
    "dein": "deine",
    "unser": "unsere",
}
STEMS = ("dies", "ein", "kein", "mein", "dein", "unser")
ACCUSATIVE = {"den": "die"} | {f"{stem}en": f"{stem}e" for stem in STEMS}
DATIVE = {"dem": "der"} | {f"{stem}em": f"{stem}er" for stem in STEMS}
"""Identified by the male article, not by the female one: *der Schwester* is a genitive as well."""
PRONOUNS = (TermPair("er", "sie", "male>female"), TermPair("er", "sie", "female>male", "subject"))
OBJECTS = (TermPair("ihn", "sie", "male>female"), TermPair("ihm", "ihr", "male>female"))
NEVER = "never"
NEVER_CLEAR = ("ihr", "ihre", "ihren", "ihrem", "ihrer", "ihres")
"""Her or their, and as *ihr* also you: found, counted, and left alone."""

_OPENS = re.compile(r"(?:^|[.!?:;,–„\"(]|\b(?:und|oder|aber|dass|weil|wenn|ob|als|denn))\s*$", re.IGNORECASE)
_SINGULAR = re.compile(
    r"\s*,?\s*(?:ist|war|hat|hatte|wird|wurde|will|wollte|kann|konnte|muss|musste|soll|mag|darf|\w+t)\b"
)
_INFLECTED = re.compile(r"\b[a-zäöüß]+(?:e|er|en|em|es)\s+$")


class GermanRoles:
    """Whether a female word is the subject of its clause, and whether a bare noun may change without its article."""

    def role(self, text: str, start: int, end: int) -> Role:
        """``subject``, or ``unclear``: the word is left alone."""
        found, before = text[start:end], text[:start][-48:]
        if found.lower() == "sie":
            formal = found[0].isupper() and not re.search(r"(?:^|[.!?]\s*)$", before)
            return "subject" if not formal and _SINGULAR.match(text, end) else "unclear"
        first = found.split()[0].lower()
        if first in NEVER_CLEAR or (" " in found and first in DATIVE.values()):
            return "unclear"
        if " " in found and first in NOMINATIVE.values():
            return "subject" if _OPENS.search(before) else "unclear"
        return "unclear" if _INFLECTED.search(before) else "subject"


@cache
def german_terms() -> TermSet:
    """Pronouns, person words and professions of our German BEC-Pro, with their articles."""
    pairs = dict.fromkeys([*PRONOUNS, *OBJECTS, *_unclear(), *_nouns()])
    return TermSet("german", tuple(pairs))


def _unclear() -> Iterator[TermPair]:
    return (TermPair("sein" + word[3:], word, "female>male", NEVER) for word in NEVER_CLEAR)


def _nouns() -> Iterator[TermPair]:
    for male, female, definite, way in _persons_and_professions():
        yield TermPair(male, female, way, "subject")
        for masculine, feminine in NOMINATIVE.items():
            form = definite if masculine in ("der", "dieser", "jener", "jeder") else male
            yield TermPair(f"{masculine} {form}", f"{feminine} {female}", "male>female")
            if way == "both":
                yield TermPair(f"{masculine} {form}", f"{feminine} {female}", "female>male", "subject")
        if " " not in male:  # an adjective would be inflected, too
            weak = male if male == definite else f"{definite}n"
            for masculine, feminine in (ACCUSATIVE | DATIVE).items():
                yield TermPair(f"{masculine} {weak}", f"{feminine} {female}", "male>female")
            if way == "both":
                yield from (TermPair(f"{m} {weak}", f"{f} {female}", "female>male", NEVER) for m, f in DATIVE.items())


def _persons_and_professions() -> Iterator[tuple[str, str, str, Way]]:
    taken: set[str] = set()
    words = [(male.split()[-1], female.split()[-1]) for male, female in PERSONS["de"][1:]]
    for male, female in words:
        yield male, female, male, "male>female" if female in taken else "both"
        taken.add(female)
    for profession in bec_pro_professions():
        male, female = profession.german_masculine, profession.german_feminine
        if male != female:
            yield male, female, profession.german_masculine_definite, "male>female" if female in taken else "both"
            taken.add(female)
