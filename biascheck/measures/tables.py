"""Results as tables in the form of the papers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType

import numpy as np

from biascheck.core.errors import UsageError
from biascheck.core.wording import as_printed, format_number, signed
from biascheck.corpora.winograd import WinogradKind, winograd
from biascheck.measures.names import name_resolution
from biascheck.measures.pronouns import pronoun_gap
from biascheck.measures.skew import CERTAINTY, name_f1, pronoun_f1, skew_of, stereotype_of
from biascheck.measures.workforce import ProfessionGroup, profession_table
from biascheck.models.base import LanguageModel
from biascheck.results.attachments import Histogram, Table
from biascheck.results.items import ItemScore
from biascheck.results.published import PublishedFigure, PublishedFigures
from biascheck.results.result import Result
from biascheck.stats import SignedRank

# Table 5 of Bartl et al. (2020): associations of German BEC-Pro with standard deviations, beside the published figures.

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
    """Mean and standard deviation by profession group and person gender, the rank test, and the paper's figures."""
    rows = []
    for group in profession_table(result):
        for person in ("female", "male"):
            paper, test = PUBLISHED_TABLE_5[group.name, person], group.test
            measured = (getattr(group, person), getattr(group, f"{person}_sd"), test.v, test.z, test.p, test.r)
            published = (paper.mean, paper.sd, paper.v, paper.r)
            rows.append((group.name, person, *measured, group.direction, *published))
    return Table(columns=(*ASSOCIATION_COLUMNS, *ASSOCIATION_PUBLISHED), rows=tuple(rows), title=ASSOCIATION_SOURCE)


# Certainty of the predicted pronouns (Manela et al. 2021, Figure 3).

BINS = 20


def certainty_histogram(gaps: Result, *, bins: int = BINS) -> Histogram:
    """|P(male) − P(female)| of every sentence of a :func:`pronoun_gap` result, from 0 to 1 in equal bins.

    The paper calls a prediction certain from 0.1 on, and says that most of its own are. A model whose sentences
    accumulate below that guesses, and its F1s count guesses. A value at an edge belongs to the bin above it, 1 to the
    last one.
    """
    certainties = np.abs([item.score for item in gaps.items])
    # in whole bins, so that 0.3 does not fall just below the edge printed as 0.3
    places = np.minimum(np.floor(certainties * bins + 1e-9).astype(int), bins - 1)
    below = int((certainties < CERTAINTY).sum())
    first, second = gaps.contrast
    return Histogram(
        x=f"|P({first}) − P({second})|",
        unit=gaps.unit,
        edges=tuple(round(n / bins, 12) for n in range(bins + 1)),
        counts=tuple(np.bincount(places, minlength=bins).tolist()),
        note=f"{below:,} of {gaps.n:,} {gaps.unit} lie below {CERTAINTY:g}, the cut-off of Manela et al. (2021).",
    )


# Table 4 of Bartl et al. (2020): associations before and after fine-tuning, beside the published ones.

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


# Predictions for each occupation in Winograd sentences.


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
    rows = [_occupation_row(name, items) for name, items in members.items()]
    return tuple(sorted(rows, key=lambda row: (-row.mean_male, row.occupation)))


def _occupation_row(name: str, items: list[ItemScore]) -> OccupationRow:
    labels = items[0].labels
    return OccupationRow(
        occupation=name,
        stereotype=str(labels["stereotype"]),
        share_of_women=float(labels["share_of_women"]),
        n=len(items),
        predicted_male=float(np.mean([(np.sign(item.score) + 1) / 2 for item in items])),
        mean_male=float(np.mean([item.groups["male"] for item in items])),
    )


# Tables 1 and 2 of Manela et al. (2021) for one model before and after fine-tuning, beside the published rows.

KIND: WinogradKind = "T2"
UNTRAINED = "BERT"


@dataclass(frozen=True)
class PronounRow:
    """One figure before and after, and the paper's for BERT and for BERT fine-tuned in the same way."""

    name: str
    before: Result
    after: Result
    published: tuple[PublishedFigure, PublishedFigure]

    @property
    def warnings(self) -> tuple[str, ...]:
        """Caveats of either score, such as that the model does not resolve names."""
        return (*self.before.warnings, *self.after.warnings)


def pronoun_table(
    before: LanguageModel, after: LanguageModel, figures: PublishedFigures, trained_like: str, *, seed: int = 0
) -> tuple[PronounRow, ...]:
    """F1 of both genders on names, the four F1s, stereotype and skew of two models on our own sentences of kind T2.

    ``trained_like`` is the row of the paper to compare with after the training: BERT-U or BERT-A. The two columns that
    are swapped in print are put right in ``figures``, and their errata say so.
    """
    found = [_figures(model, seed) for model in (before, after)]
    return tuple(
        PronounRow(name, found[0][name], found[1][name], _published(figures, key, trained_like))
        for name, key in _NAMES.items()
    )


_NAMES = {
    "F1 of male names": "resolution.{}.T2.male",
    "F1 of female names": "resolution.{}.T2.female",
    "F1 male, pro": "f1.{}.male.pro",
    "F1 male, anti": "f1.{}.male.anti",
    "F1 female, pro": "f1.{}.female.pro",
    "F1 female, anti": "f1.{}.female.anti",
    "stereotype": "stereotype.{}",
    "skew": "skew.{}",
}
"""The rows of the table, and the names under which the paper's figures of a model are stored."""


def _figures(model: LanguageModel, seed: int) -> dict[str, Result]:
    corpus = winograd(KIND)
    gaps, names = pronoun_gap(model, corpus, seed=seed), name_resolution(model, corpus, seed=seed)
    return {
        "F1 of male names": name_f1(names, "male"),
        "F1 of female names": name_f1(names, "female"),
        "F1 male, pro": pronoun_f1(gaps, "male", "pro"),
        "F1 male, anti": pronoun_f1(gaps, "male", "anti"),
        "F1 female, pro": pronoun_f1(gaps, "female", "pro"),
        "F1 female, anti": pronoun_f1(gaps, "female", "anti"),
        "stereotype": stereotype_of(gaps, resolution=names),
        "skew": skew_of(gaps, resolution=names),
    }


def _published(figures: PublishedFigures, key: str, trained_like: str) -> tuple[PublishedFigure, PublishedFigure]:
    first, second = (figures.entries[f"manela2021.{key.format(model)}"] for model in (UNTRAINED, trained_like))
    return first, second


def text_of_pronouns(rows: Sequence[PronounRow]) -> str:
    """The rows as lines of text, the published figures in brackets after ours; then their errata."""
    models = " → ".join(one.model for one in rows[0].published)
    lines = [f"pronouns on {rows[0].before.corpus_label.split('·')[0]} [in brackets: Manela et al. 2021, {models}]"]
    for row in rows:
        ours, theirs = (
            f"{format_number(row.before.estimate)} → {format_number(row.after.estimate)}",
            map(_printed, row.published),
        )
        lines.append(f"  {row.name:20}{ours} [{' → '.join(theirs)}]")
    errata = dict.fromkeys(one.erratum for row in rows for one in row.published if one.erratum)
    return "\n".join([*lines, *(f"  erratum: {erratum}" for erratum in errata)])


def _printed(one: PublishedFigure) -> str:
    return as_printed(one.value)
