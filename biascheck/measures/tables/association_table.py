"""Table 5 of Bartl et al. (2020): associations of German BEC-Pro with their deviations, beside the published ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from biascheck.measures.tables.profession_table import profession_table
from biascheck.results.attachments import Table
from biascheck.results.result import Result

__all__ = ["PUBLISHED_TABLE_5", "PublishedAssociation", "association_table"]

ASSOCIATION_SOURCE = "Bartl et al. 2020, Table 5, German BERT"
ASSOCIATION_COLUMNS = ("jobs", "person", "mean", "sd", "V", "z", "p", "r", "direction")
ASSOCIATION_PUBLISHED = ("published mean", "published sd", "published V", "published r")


@dataclass(frozen=True, slots=True)
class PublishedAssociation:
    """A row of the paper: mean and deviation of the associations, V of female − male, and r without its sign."""

    mean: float
    sd: float
    v: int
    r: float


PUBLISHED_TABLE_5: Mapping[tuple[str, str], PublishedAssociation] = MappingProxyType(
    {
        ("balanced", "female"): PublishedAssociation(2.14, 2.40, 315058, 0.34),
        ("balanced", "male"): PublishedAssociation(1.36, 2.06, 315058, 0.34),
        ("female", "female"): PublishedAssociation(2.05, 2.45, 304635, 0.31),
        ("female", "male"): PublishedAssociation(1.34, 2.09, 304635, 0.31),
        ("male", "female"): PublishedAssociation(2.14, 2.46, 297605, 0.29),
        ("male", "male"): PublishedAssociation(1.46, 2.15, 297605, 0.29),
    }
)
"""By profession group and person gender. The minus sign of the printed r is an artefact: r has none."""


def association_table(result: Result) -> Table:
    """Mean and standard deviation by profession group and person gender, the rank test, and the paper's own figures."""
    rows = []
    for group in profession_table(result):
        for person in ("female", "male"):
            paper, test = PUBLISHED_TABLE_5[group.name, person], group.test
            measured = (getattr(group, person), getattr(group, f"{person}_sd"), test.v, test.z, test.p, test.r)
            published = (paper.mean, paper.sd, paper.v, paper.r)
            rows.append((group.name, person, *measured, group.direction, *published))
    return Table(columns=(*ASSOCIATION_COLUMNS, *ASSOCIATION_PUBLISHED), rows=tuple(rows), title=ASSOCIATION_SOURCE)
