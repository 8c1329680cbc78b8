"""The generated worlds: persons at work, with a set probability of a woman in every profession."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from math import exp, log
from statistics import fmean

from biascheck.core.errors import UsageError
from biascheck.corpora.bec_pro import (
    BEC_PRO_TEMPLATES,
    CROSSED_ARTICLES,
    PERSONS,
    bec_pro_professions,
    profession_labels,
    target_sets,
    written_form,
)
from biascheck.corpora.corpus import Corpus
from biascheck.corpora.templates import Attribute, Template, cross
from biascheck.models.fakes import TableModel

# The generated world: persons at work, with a set probability of a woman in every profession.
#
# A sentence of the world is drawn in five independent steps: a template, a determiner ("", "this", "my"), one of the
# 60 professions of BEC-Pro, all equally likely; then a gender, given the profession; then a person word, given
# gender and determiner::
#
#     P(female | profession) = 0.5 + dose · (share of women − 0.5)
#
# Dose 0 is parity, dose 1 the U.S. workforce of 2019. Shares are kept within [0.02, 0.98]: a probability below
# that is learnt badly, and its logarithm would dominate every mean. Person words are not equally likely, and
# not alike in the two genders ("mother" is more common than "father"), so that only a measure that corrects for
# the prior recovers the planted gaps. The pronouns of Winograd sentences are described separately:
# :mod:`~biascheck.reference.planted`.

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
    """The number of tokens of a profession: every word and every hyphen is one token of the world's vocabulary."""
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
        """P(female | a profession with this number of tokens): what is known once the profession is masked.

        The number of masks reveals only the number of tokens, and professions are equally likely, so this is the
        mean over the professions of that length.
        """
        lengths = {pieces_of(name) for name in self.female}
        return {n: fmean(p for name, p in self.female.items() if pieces_of(name) == n) for n in sorted(lengths)}

    def person_words(self, determiner: str, female: float) -> dict[str, float]:
        """P(person word | determiner) if the probability of a woman is ``female``."""
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
        """Every sentence of the world as pairs: five templates of BEC-Pro and three built-in ones."""
        return _sentences()


@cache
def _sentences() -> Corpus:
    attributes = [Attribute(p.name, profession_labels(p)) for p in bec_pro_professions()]
    templates = (*BEC_PRO_TEMPLATES["en"], *OWN_TEMPLATES)
    pairs = cross(templates, target_sets("en"), attributes, targets_label="persons")
    return Corpus("world", GENDERS, pairs)


def log_odds_of_male(female: float) -> float:
    """The log-odds of a man if the probability of a woman is ``female``."""
    return log(1 - female) - log(female)


def learnable_share(share: float) -> float:
    """A share, clipped to the range that can be learnt."""
    return min(max(share, SMALLEST_SHARE), LARGEST_SHARE)


def _check_words() -> None:
    """The person words of the world are those of BEC-Pro; a word without a weight would have no truth."""
    spoken = {phrase for pair in PERSONS["en"] for phrase in pair}
    weighed = {f"{d} {w}".strip() for d, genders in PERSON_WEIGHTS.items() for g in genders for w in g}
    if spoken != weighed:
        raise UsageError(f"person words without a weight, or weights without a word: {sorted(spoken ^ weighed)}")


_check_words()


# A German world in which grammar and stereotype are planted independently of each other.
#
# The log-odds of a man's word against a woman's beside a profession are::
#
#     ln P(man's word) / P(woman's word) = stereotype(profession) + agreement        beside its masculine form
#                                        = stereotype(profession) − agreement        beside its feminine form
#
# Each of the nine man's words (Bruder, Vater, …) has the same share of P(men), each woman's word of P(women),
# and where the profession is hidden both genders are equally likely. Articles and determiners carry no information, so
# that the profession alone does. So every score has a closed form.


@dataclass(frozen=True)
class GermanWorld:
    """Stereotypes by profession (others have none), and the strength of agreement, in natural log units.

    ``feminine_agreement`` is that of the feminine form where it differs from that of the masculine one.
    """

    stereotype: Mapping[str, float] = field(default_factory=dict)
    agreement: float = 0.0
    feminine_agreement: float | None = None

    def __post_init__(self) -> None:
        unknown = sorted(set(self.stereotype) - {profession.name for profession in bec_pro_professions()})
        if unknown:
            raise UsageError(f"{unknown[:3]} are not professions of BEC-Pro; bec_pro_professions() lists them")

    def log_odds(self, profession: str, form: str) -> float:
        """The log-odds of men's words beside a form of a profession; one with a single form agrees with neither."""
        stereotype = self.stereotype.get(profession, 0.0)
        if profession in _of_one_form():
            return stereotype
        feminine = self.agreement if self.feminine_agreement is None else self.feminine_agreement
        return stereotype + (self.agreement if form == "masculine" else -feminine)

    def published_score(self, profession: str) -> float:
        """The value of the published score: men beside the masculine form against women beside the feminine one."""
        men, women = self.log_odds(profession, "masculine"), -self.log_odds(profession, "feminine")
        return _log_share(men) - _log_share(women)

    def model(self) -> TableModel:
        """A masked model of this world, by table."""
        rows = {
            written_form(profession, form, definite=definite): person_words(self.log_odds(profession.name, form))
            for profession in bec_pro_professions()
            for form in CROSSED_ARTICLES
            for definite in (False, True)
        }
        # a table takes the first of its words that is visible, and Buchhalter is in Buchhalterin
        ordered = {word: rows[word] for word in sorted(rows, key=len, reverse=True)}
        return TableModel(ordered, person_words(0.0), name=f"German world, agreement {self.agreement:g}")


@cache
def _of_one_form() -> frozenset[str]:
    return frozenset(p.name for p in bec_pro_professions() if p.german_masculine == p.german_feminine)


def person_words(odds: float) -> dict[str, float]:
    """P(person word) if men's words have these log-odds."""
    men, women = (sorted({pair[place].rpartition(" ")[2].lower() for pair in PERSONS["de"]}) for place in (0, 1))
    share = 1 / (1 + exp(-odds))
    return {**dict.fromkeys(men, share / len(men)), **dict.fromkeys(women, (1 - share) / len(women))}


def _log_share(odds: float) -> float:
    """ln of the share of one gender relative to one half, at these log-odds."""
    return log(2 / (1 + exp(-odds)))
