"""German words of either gender: pronouns, articles with their noun, and the professions of BEC-Pro.

German inflects the article with the noun, so a noun is turned together with its article: *der Bruder* becomes *die
Schwester*. From male to female the case can be seen (*den Bruder*, *dem Bruder*); from female to male often not: *die
Schwester* is subject or object, *der Schwester* dative or genitive, *sie* she or they, *ihr* her or their. What opens
a clause is taken for its subject, *sie* before a verb of the third person for she. All else stays as it is and is
listed as left alone: a text with wrong cases would teach a model more than its genders. So German
substitution turns men into women more often than women into men; look at the balance that is reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from biascheck.corpora.datasets.bec_pro import PERSONS, bec_pro_professions
from biascheck.corpora.rewriting.pronoun_roles import Role
from biascheck.corpora.rewriting.terms import TermPair, TermSet, Way

__all__ = ["GermanRoles", "german_terms"]

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
"""Told by the male article, not by the female one: *der Schwester* is a genitive as well."""
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
