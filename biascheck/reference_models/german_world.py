"""A German world in which grammar and stereotype are planted independently of each other.

The log-odds of a man's word against a woman's beside a profession are::

    ln P(man's word) / P(woman's word) = stereotype(profession) + agreement        beside its masculine form
                                       = stereotype(profession) − agreement        beside its feminine form

Each of the nine man's words (Bruder, Vater, …) has the same share of P(men), each woman's word of P(women), and where
the profession is hidden both genders are equally likely. Articles and determiners tell nothing, so that the profession
alone does. So every score has a closed form.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from math import exp, log

from biascheck.corpora.datasets.bec_pro import PERSONS, bec_pro_professions
from biascheck.corpora.datasets.bec_pro_crossed import CROSSED_ARTICLES, written_form
from biascheck.errors import UsageError
from biascheck.models.adapters.fakes import TableModel

__all__ = ["GermanWorld", "person_words"]


@dataclass(frozen=True)
class GermanWorld:
    """Stereotypes by profession (others have none), and how hard forms agree, in natural log units.

    ``feminine_agreement`` is that of the feminine form where it differs from that of the masculine one.
    """

    stereotype: Mapping[str, float] = field(default_factory=dict)
    agreement: float = 0.0
    feminine_agreement: float | None = None

    def __post_init__(self) -> None:
        unknown = sorted(set(self.stereotype) - {profession.name for profession in bec_pro_professions()})
        if unknown:
            raise UsageError(f"{unknown[:3]} are no professions of BEC-Pro; bec_pro_professions() lists them")

    def log_odds(self, profession: str, form: str) -> float:
        """The log-odds of men's words beside a form of a profession; one with a single form agrees with neither."""
        stereotype = self.stereotype.get(profession, 0.0)
        if profession in _of_one_form():
            return stereotype
        feminine = self.agreement if self.feminine_agreement is None else self.feminine_agreement
        return stereotype + (self.agreement if form == "masculine" else -feminine)

    def published_score(self, profession: str) -> float:
        """What the published score reads: men beside the masculine form against women beside the feminine one."""
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
        # a table takes the first of its words that is in sight, and Buchhalter is in Buchhalterin
        ordered = {word: rows[word] for word in sorted(rows, key=len, reverse=True)}
        return TableModel(ordered, person_words(0.0), name=f"German world, agreement {self.agreement:g}")


@cache
def _of_one_form() -> frozenset[str]:
    return frozenset(p.name for p in bec_pro_professions() if p.german_masculine == p.german_feminine)


def person_words(odds: float) -> dict[str, float]:
    """P(person word) where men's words have these log-odds."""
    men, women = (sorted({pair[place].rpartition(" ")[2].lower() for pair in PERSONS["de"]}) for place in (0, 1))
    share = 1 / (1 + exp(-odds))
    return {**dict.fromkeys(men, share / len(men)), **dict.fromkeys(women, (1 - share) / len(women))}


def _log_share(odds: float) -> float:
    """ln of the share of one gender relative to one half, at these log-odds."""
    return log(2 / (1 + exp(-odds)))
