"""What a model makes of each occupation in Winograd sentences."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from biascheck.errors import UsageError
from biascheck.results.items import ItemScore
from biascheck.results.result import Result

__all__ = ["OccupationRow", "occupation_table"]


@dataclass(frozen=True)
class OccupationRow:
    """One occupation: how often the pronoun that means it was predicted male, and how probable male was.

    ``stereotype`` is the gender of most people in the occupation, ``share_of_women`` the real one in per cent.
    """

    occupation: str
    stereotype: str
    share_of_women: float
    n: int
    predicted_male: float
    mean_male: float

    def as_dict(self) -> dict[str, object]:
        """Plain values for a report."""
        return asdict(self)


def occupation_table(result: Result) -> tuple[OccupationRow, ...]:
    """One row for each occupation of a pronoun gap, skew or stereotype, the most male-leaning first.

    A tie between the two pronouns counts one half.
    """
    needed = {"occupation", "stereotype", "share_of_women"}
    if any(not needed <= item.labels.keys() or "male" not in item.groups for item in result.items):
        raise UsageError(f"{result.title}: its items name no occupations; measure pronoun_gap on winograd")
    members: dict[str, list[ItemScore]] = {}
    for item in result.items:
        members.setdefault(str(item.labels["occupation"]), []).append(item)
    rows = [_row(name, items) for name, items in members.items()]
    return tuple(sorted(rows, key=lambda row: (-row.mean_male, row.occupation)))


def _row(name: str, items: list[ItemScore]) -> OccupationRow:
    labels = items[0].labels
    return OccupationRow(
        occupation=name,
        stereotype=str(labels["stereotype"]),
        share_of_women=float(labels["share_of_women"]),
        n=len(items),
        predicted_male=float(np.mean([(np.sign(item.score) + 1) / 2 for item in items])),
        mean_male=float(np.mean([item.groups["male"] for item in items])),
    )
