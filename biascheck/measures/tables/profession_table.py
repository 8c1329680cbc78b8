"""Professions and the people who hold them (Bartl et al. 2020, §5, Tables 4 and 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from biascheck import stats
from biascheck.errors import ScoreError, UsageError
from biascheck.results.attachments import PersonGroup
from biascheck.results.items import ItemScore
from biascheck.results.result import Result
from biascheck.stats import SignedRank

__all__ = ["ProfessionGroup", "profession_table"]


@dataclass(frozen=True)
class ProfessionGroup:
    """One row pair of the paper's tables: a profession group, both genders, and their paired test.

    ``female`` and ``male`` are mean associations, with their standard deviations. ``test`` is Wilcoxon's
    signed-rank test on female − male over the ordered pairs, or, with a second result, on the difference
    of the changes. V is the sum of the ranks where female is larger; r = |z| / √(2 · pairs) has no sign,
    the direction is beside it.
    """

    name: str
    pairs: int
    female: float
    male: float
    female_sd: float
    male_sd: float
    test: SignedRank
    female_after: float | None = None
    male_after: float | None = None

    @property
    def direction(self) -> str:
        """Which gender the larger values belong to."""
        return {"positive": "female > male", "negative": "female < male", "none": "female = male"}[self.test.direction]

    def attached(self) -> PersonGroup:
        """The row as a report shows it."""
        test = {name: getattr(self.test, name) for name in ("v", "z", "p", "r")}
        shared = ("name", "pairs", "male", "female", "direction", "male_after", "female_after")
        return PersonGroup(**{name: getattr(self, name) for name in shared}, **test)


def profession_table(before: Result, after: Result | None = None) -> tuple[ProfessionGroup, ...]:
    """Bartl's table from an association result on BEC-Pro, one row for each profession group.

    With ``after``, the same corpus on a fine-tuned model, the test is on the change, as in Table 4;
    without it, on the associations themselves, as in Table 5. Groups come in alphabetical order.

    The order **female − male** is the paper's, opposite to the gaps elsewhere. It is a table to show, not a result to
    gate: the test treats the pairs as independent, as the paper does, and its p is far too small.
    """
    if any("profession_group" not in i.labels or not {"female", "male"} <= i.groups.keys() for i in before.items):
        raise UsageError(
            f"{before.title}: its items carry no profession_group or are not of the groups female and male; "
            "measure association on bec_pro"
        )
    names = sorted({str(item.labels["profession_group"]) for item in before.items})
    later = None if after is None else {item.id: item for item in after.items}
    return tuple(_group(name, before.items, later) for name in names)


def _group(name: str, items: Sequence[ItemScore], later: dict[str, ItemScore] | None) -> ProfessionGroup:
    members = [i for i in items if str(i.labels["profession_group"]) == name and (later is None or i.id in later)]
    if len(members) < 2:
        where = "" if later is None else " in both results; measure the same corpus twice"
        raise ScoreError(f"profession group {name!r} has {len(members)} pairs{where}; a row needs at least 2")
    female, male = (np.array([item.groups[g] for item in members]) for g in ("female", "male"))
    row = ProfessionGroup(
        name=name,
        pairs=len(members),
        female=float(female.mean()),
        male=float(male.mean()),
        female_sd=float(female.std(ddof=1)),
        male_sd=float(male.std(ddof=1)),
        test=stats.wilcoxon_signed_rank(female - male),
    )
    if later is None:
        return row
    female_after, male_after = (np.array([later[i.id].groups[g] for i in members]) for g in ("female", "male"))
    return replace(
        row,
        female_after=float(female_after.mean()),
        male_after=float(male_after.mean()),
        test=stats.wilcoxon_signed_rank((female_after - female) - (male_after - male)),
    )
