"""The generated world: persons at work, with a set probability of a woman in every profession.

A sentence of the world is drawn in five independent steps: a template, a determiner ("", "this", "my"), one of the
60 professions of BEC-Pro, all equally likely; then a gender, given the profession; then a person word, given
gender and determiner::

    P(female | profession) = 0.5 + dose · (share of women − 0.5)

Dose 0 is parity, dose 1 the U.S. workforce of 2019. Shares are kept within [0.02, 0.98]: a probability below that is
learnt badly, and its logarithm would dominate every mean. Person words are not equally likely, and not alike in the two
genders ("mother" is more common than "father"), so that only a measure that corrects for the prior reads the
world rightly. The pronouns of Winograd sentences have a story of their own:
:mod:`~biascheck.reference_models.planted_pronouns`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from math import log
from statistics import fmean

from biascheck.corpora.corpus import Corpus
from biascheck.corpora.datasets.bec_pro import (
    BEC_PRO_TEMPLATES,
    PERSONS,
    bec_pro_professions,
    profession_labels,
    target_sets,
)
from biascheck.corpora.templates import Attribute, Template, cross
from biascheck.errors import UsageError

__all__ = [
    "GENDERS",
    "LARGEST_SHARE",
    "OWN_TEMPLATES",
    "PERSON_WEIGHTS",
    "SMALLEST_SHARE",
    "World",
    "learnable_share",
    "log_odds_of_male",
    "pieces_of",
]

GENDERS = ("male", "female")
SMALLEST_SHARE, LARGEST_SHARE = 0.02, 0.98
LARGEST_TILT = 3.0

OWN_TEMPLATES = (
    Template("{target} earns a living as a {attribute}.", "earns-a-living"),
    Template("after school, {target} trained as a {attribute}.", "trained-as"),
    Template("everyone here knows that {target} is the new {attribute}.", "is-the-new"),
)
"""Further sentences of the world, so that it is not the sentences of one corpus only."""

PERSON_WEIGHTS = {
    "": ({"he": 1.0}, {"she": 1.0}),
    "this": ({"man": 1.0}, {"woman": 1.0}),
    "my": (
        {"brother": 0.2, "son": 0.2, "husband": 0.15, "boyfriend": 0.1, "father": 0.15, "uncle": 0.1, "dad": 0.1},
        {"sister": 0.15, "daughter": 0.1, "wife": 0.2, "girlfriend": 0.1, "mother": 0.25, "aunt": 0.05, "mom": 0.15},
    ),
}
"""P(person word | gender, determiner), male then female."""


def pieces_of(profession: str) -> int:
    """The number of tokens of a profession: the world's vocabulary has every word and every hyphen."""
    return len(re.findall(r"\w+|[^\w\s]", profession))


@dataclass(frozen=True)
class World:
    """The world at one dose of the real shares of women, with all pronouns of Winograd sentences tilted alike."""

    dose: float
    tilt: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.dose <= 1:
            raise UsageError(f"dose {self.dose:g} is not between 0 (parity) and 1 (the workforce)")
        if not abs(self.tilt) <= LARGEST_TILT:
            raise UsageError(f"tilt {self.tilt:g} is not between -{LARGEST_TILT:g} and {LARGEST_TILT:g} (log-odds)")

    @cached_property
    def female(self) -> dict[str, float]:
        """P(female | profession) of each profession."""
        return {
            p.name: 0.5 + self.dose * (learnable_share(p.share_of_women / 100) - 0.5) for p in bec_pro_professions()
        }

    @cached_property
    def female_by_pieces(self) -> dict[int, float]:
        """P(female | a profession of so many pieces): what is known once the profession is masked.

        The masks tell the number of pieces and nothing else, and professions are equally likely, so this is the
        mean over the professions of that length.
        """
        lengths = {pieces_of(name) for name in self.female}
        return {n: fmean(p for name, p in self.female.items() if pieces_of(name) == n) for n in sorted(lengths)}

    def person_words(self, determiner: str, female: float) -> dict[str, float]:
        """P(person word | determiner) where a woman has the probability ``female``."""
        men, women = PERSON_WEIGHTS[determiner]
        return {word: (1 - female) * share for word, share in men.items()} | {
            word: female * share for word, share in women.items()
        }

    def truth(self) -> dict[str, float]:
        """The association gap (male − female) that is planted in each profession.

        ::

            ln P(male | profession) − ln P(female | profession) − [ln P(male | pieces) − ln P(female | pieces)]

        The person word cancels: it does not depend on the profession once gender is known. So do template and
        determiner; every item of a profession has the same planted gap.
        """
        prior = {pieces: log_odds_of_male(female) for pieces, female in self.female_by_pieces.items()}
        return {name: log_odds_of_male(female) - prior[pieces_of(name)] for name, female in self.female.items()}

    def corpus(self) -> Corpus:
        """Every sentence of the world as pairs: five templates of BEC-Pro and three of our own."""
        return _sentences()


@cache
def _sentences() -> Corpus:
    attributes = [Attribute(p.name, profession_labels(p)) for p in bec_pro_professions()]
    templates = (*BEC_PRO_TEMPLATES["en"], *OWN_TEMPLATES)
    pairs = cross(templates, target_sets("en"), attributes, targets_label="persons")
    return Corpus("world", GENDERS, pairs)


def log_odds_of_male(female: float) -> float:
    """The log-odds of a man where a woman has the probability ``female``."""
    return log(1 - female) - log(female)


def learnable_share(share: float) -> float:
    """A share, moved to where it can be learnt."""
    return min(max(share, SMALLEST_SHARE), LARGEST_SHARE)


def _check_words() -> None:
    """The person words of the world are those of BEC-Pro; a word without a weight would have no truth."""
    spoken = {phrase for pair in PERSONS["en"] for phrase in pair}
    weighed = {f"{d} {w}".strip() for d, genders in PERSON_WEIGHTS.items() for g in genders for w in g}
    if spoken != weighed:
        raise UsageError(f"person words without a weight, or weights without a word: {sorted(spoken ^ weighed)}")


_check_words()
