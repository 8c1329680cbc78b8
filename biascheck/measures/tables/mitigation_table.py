"""Table 4 of Bartl et al. (2020): associations before and after fine-tuning, beside the published ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from biascheck.errors import UsageError
from biascheck.measures.tables.profession_table import ProfessionGroup, profession_table
from biascheck.results.attachments import Table
from biascheck.results.result import Result
from biascheck.stats import SignedRank
from biascheck.wording import signed

__all__ = ["PUBLISHED_TABLE_4", "MitigationRow", "PublishedRow", "attached_table", "mitigation_table", "text_of"]

MITIGATION_SOURCE = "Bartl et al. 2020, Table 4, BERT-base uncased, GAP with CDS"
MITIGATION_COLUMNS = ("jobs", "person", "pre", "post", "diff", "V", "z", "p", "r", "direction")
MITIGATION_PUBLISHED = ("published pre", "published post", "published diff", "published V", "published r")


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """A row of the paper: mean association before and after, V of both genders' changes, and r without its sign."""

    pre: float
    post: float
    diff: float
    v: int
    r: float


PUBLISHED_TABLE_4: Mapping[tuple[str, str], PublishedRow] = MappingProxyType(
    {
        ("balanced", "female"): PublishedRow(-0.35, 0.20, 0.55, 359188, 0.47),
        ("balanced", "male"): PublishedRow(0.05, 0.07, 0.01, 359188, 0.47),
        ("female", "female"): PublishedRow(0.50, 0.36, -0.14, 96428, 0.32),
        ("female", "male"): PublishedRow(-0.68, -0.14, 0.55, 96428, 0.32),
        ("male", "female"): PublishedRow(-0.83, 0.13, 0.96, 395974, 0.58),
        ("male", "male"): PublishedRow(0.16, 0.21, 0.05, 395974, 0.58),
    }
)
"""By profession group and person gender. The minus sign of the printed r is an artefact: r has none."""


@dataclass(frozen=True)
class MitigationRow:
    """One profession group and person gender: mean association before and after, and the test of the group.

    ``test`` is Wilcoxon's signed-rank test on the change of female minus the change of male over the ordered pairs; it
    is the same for both rows of a group.
    """

    jobs: str
    person: str
    pre: float
    post: float
    test: SignedRank
    direction: str
    published: PublishedRow

    @property
    def diff(self) -> float:
        """The change: after minus before."""
        return self.post - self.pre


def mitigation_table(before: Result, after: Result) -> tuple[MitigationRow, ...]:
    """Bartl's Table 4 from two association results on BEC-Pro, with its own figures beside ours."""
    if before.provenance.corpus_fingerprint != after.provenance.corpus_fingerprint:
        raise UsageError(f"{before.title} and {after.title} are of different corpora; measure both on the same")
    groups = profession_table(before, after)
    return tuple(_row(group, person) for group in groups for person in ("female", "male"))


def _row(group: ProfessionGroup, person: str) -> MitigationRow:
    pre, post = (group.female, group.female_after) if person == "female" else (group.male, group.male_after)
    published = PUBLISHED_TABLE_4[group.name, person]
    return MitigationRow(group.name, person, pre, post or 0.0, group.test, group.direction, published)


def attached_table(rows: Sequence[MitigationRow]) -> Table:
    """The rows as a table to attach to a result."""
    return Table(
        columns=(*MITIGATION_COLUMNS, *MITIGATION_PUBLISHED),
        rows=tuple(tuple(_cells(row)) for row in rows),
        title=MITIGATION_SOURCE,
    )


def _cells(row: MitigationRow) -> list[str | float]:
    test, paper = row.test, row.published
    measured = [row.pre, row.post, row.diff, test.v, test.z, test.p, test.r]
    return [row.jobs, row.person, *measured, row.direction, paper.pre, paper.post, paper.diff, paper.v, paper.r]


def text_of(rows: Sequence[MitigationRow]) -> str:
    """The rows as lines of text, the published figure in brackets after each of ours."""
    lines = [f"mean association [in brackets: {MITIGATION_SOURCE}]"]
    for row in rows:
        paper = row.published
        figures = [
            f"{name} {signed(ours)} [{signed(theirs)}]"
            for name, ours, theirs in (
                ("pre", row.pre, paper.pre),
                ("post", row.post, paper.post),
                ("diff", row.diff, paper.diff),
            )
        ]
        lines.append(f"  {row.jobs:8} jobs, {row.person:6} persons: {', '.join(figures)}")
        if row.person == "male":
            p = "< 0.001" if row.test.p < 0.001 else f"= {row.test.p:.3f}"
            change = {"female > male": "female rose more", "female < male": "male rose more"}.get(
                row.direction, "alike"
            )
            test = f"V {row.test.v:,.0f} [{paper.v:,}], z {row.test.z:+.2f}, p {p}, r {row.test.r:.2f} [{paper.r}]"
            lines.append(f"  {'':8} change: {change}; {test}")
    return "\n".join(lines)
