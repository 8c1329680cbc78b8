"""The four F1 figures behind skew and stereotype (Manela et al. 2021, §3.1, Table 2)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import NamedTuple

from biascheck.errors import UsageError
from biascheck.results.result import Result
from biascheck.stats import SideF1, side_f1

__all__ = ["GenderF1", "SkewAndStereotype", "gender_f1", "require_stereotypes", "skew_and_stereotype"]


@dataclass(frozen=True)
class GenderF1:
    """F1 of the predicted gender on the pro- and the anti-stereotypical sentences: a row of the paper's Table 2."""

    male_pro: float
    male_anti: float
    female_pro: float
    female_anti: float

    def as_dict(self) -> dict[str, float]:
        """Plain values for a report."""
        return asdict(self)


class SkewAndStereotype(NamedTuple):
    """The two figures of a model."""

    skew: float
    stereotype: float


def skew_and_stereotype(f1_m_pro: float, f1_m_anti: float, f1_f_pro: float, f1_f_anti: float) -> SkewAndStereotype:
    """Make both figures from the four F1s, in their unit (shares or per cent).

    ``skew = ½ (|F1♂pro − F1♀pro| + |F1♂anti − F1♀anti|)`` and
    ``stereotype = ½ (|F1♂pro − F1♂anti| + |F1♀pro − F1♀anti|)``.
    """
    scores = SideF1(f1_m_pro, f1_m_anti, f1_f_pro, f1_f_anti)
    return SkewAndStereotype(scores.skew, scores.stereotype)


def gender_f1(result: Result) -> GenderF1:
    """The four F1 figures behind a skew, a stereotype, or the pronoun gaps they are made from."""
    require_stereotypes(result)
    sample = result.sample
    scores = side_f1(sample.values, sample.sides)
    return GenderF1(scores.a_given, scores.a_reversed, scores.b_given, scores.b_reversed)


def require_stereotypes(result: Result) -> None:
    """Refuse a result whose items do not say which pronoun is the expected one."""
    if any(item.side is None for item in result.items):
        raise UsageError(
            f"{result.title}: its items carry no stereotype, so no prediction can be pro or anti; "
            "measure pronoun_gap on winograd or published_winobias"
        )
