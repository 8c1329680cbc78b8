"""Skew: one pronoun for everyone (Manela et al. 2021, §3.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Literal, NamedTuple, get_args

from biascheck.core.errors import ScoreError, UsageError
from biascheck.corpora.corpus import Corpus
from biascheck.measures.measure import derived_measure
from biascheck.measures.names import RESOLVES, name_resolution, readability_of_names
from biascheck.measures.pronouns import Cluster, PronounVariant, pronoun_gap
from biascheck.models.base import LanguageModel
from biascheck.results.definition import Readability
from biascheck.results.items import ItemScore, Skipped
from biascheck.results.key import sliced
from biascheck.results.result import Result
from biascheck.stats import SideF1, side_f1

# The four F1 figures behind skew and stereotype (Manela et al. 2021, §3.1, Table 2).


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
    """Compute both values from the four F1s, in their unit (shares or per cent).

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
    """Raise UsageError for a result whose items lack the expected pronoun."""
    if any(item.side is None for item in result.items):
        raise UsageError(
            f"{result.title}: its items carry no stereotype, so no prediction can be pro or anti; "
            "measure pronoun_gap on winograd or published_winobias"
        )


# Pronoun gaps on their way to a skew or a stereotype: the certain ones, with their name resolution.

CERTAINTY = 0.1
"""The paper's cut-off: items with |P(male) − P(female)| below it are left out. The authors' code had none."""


def measured_gaps(
    model: LanguageModel, corpus: Corpus, online: bool, variant: PronounVariant, cluster: Cluster, seed: int
) -> tuple[Result, Result]:
    """The pronoun gaps of a model, and its name resolution."""
    gaps = pronoun_gap(model, corpus, online=online, variant=variant, cluster=cluster, seed=seed)
    return gaps, name_resolution(model, corpus, online=online, variant=variant, cluster=cluster, seed=seed)


def certain_gaps(gaps: Result, cutoff: float, names: Result | None) -> Result:
    """The gaps of at least ``cutoff``; if the model does not resolve names, they are invalid and carry a warning."""
    require_stereotypes(gaps)
    items, uncertain = _certain(gaps, cutoff)
    form = replace(
        gaps,
        items=items,
        skipped=(*gaps.skipped, *uncertain),
        warnings=(*gaps.warnings, *_caveat(names)),
        competence=_readability(gaps, names),
    )
    if not cutoff:
        return form
    options: Mapping[str, object] = {**gaps.provenance.options, "cutoff": cutoff}
    corpus = f"{gaps.corpus}, certainty {cutoff:g}"
    return replace(form, corpus=corpus, provenance=replace(gaps.provenance, options=options))


def _readability(gaps: Result, names: Result | None) -> Readability | None:
    """A model that reads the sentences must also resolve names; failing the first makes the second irrelevant."""
    reads = gaps.competence is not None and gaps.competence.passed
    return readability_of_names(names) if reads and names is not None else gaps.competence


def _certain(gaps: Result, cutoff: float) -> tuple[tuple[ItemScore, ...], list[Skipped]]:
    if not 0 <= cutoff < 1:
        raise UsageError(f"cutoff {cutoff} is not a difference of two shares; the paper's is {CERTAINTY}, 0 keeps all")
    items = tuple(item for item in gaps.items if abs(item.score) >= cutoff)
    if not items:
        raise ScoreError(f"{gaps.title}: no item is as certain as the cut-off {cutoff:g}")
    first, second = gaps.contrast
    reason = f"less certain than the cut-off: |P({first}) − P({second})| < {cutoff:g}"
    return items, [Skipped(i.id, reason, i.labels, by_choice=True) for i in gaps.items if abs(i.score) < cutoff]


def _caveat(names: Result | None) -> tuple[str, ...]:
    if names is None or names.estimate >= RESOLVES:
        return ()
    return (
        f"{names.title} has an F1 of {names.estimate:.0%}, below {RESOLVES:.0%}: if "
        f"{names.model} cannot tell whom a pronoun means, its scores do not show its associations with occupations",
    )


# The F1 of one gender's pronouns on pro- or anti-stereotypical sentences (Manela et al. 2021, §3.1, Table 2).

Gender = Literal["male", "female"]
Reading = Literal["pro", "anti"]
OTHER_SIDE = {"A": "B", "B": "A"}


@derived_measure(
    "pronoun F1",
    about="How well the model predicts the pronouns of one gender in pro- or in anti-stereotypical sentences: one of "
    "the four figures that skew and stereotype are made from.",
    limits=(
        "It is fair beside the other three only: skew and stereotype compare the four.",
        "A model that always says this pronoun reads 0.67; one that tosses a coin reads 0.5 in all four.",
    ),
    statistic="f1",
    parity=0.5,
    direction="from parity",
    smallest_change=0.05,
    smallest_change_reason="about one prediction in twenty changes",
    unit="F1 from 0 to 1: always the same pronoun reads 0.67 for that gender and 0 for the other",
    sign="A gap is {first} minus {second}: positive points towards {first}, negative towards {second}. The estimate is "
    "the F1 of the {first} pronouns; a coin reads 0.50.",
    paper="manela2021",
    made_from=("pronoun gap", "skew", "stereotype"),
)
def pronoun_f1(gaps: Result, gender: Gender, sentences: Reading) -> Result:
    """One of the four F1s behind a skew or a stereotype, with its interval: a cell of the paper's Table 2.

    ``F1 = 2 TP / (2 TP + FP + FN)`` with the pronoun of ``gender`` as the positive class. In ``"pro"`` sentences the
    true pronoun is the one that most people of the occupation have, in ``"anti"`` ones the other; both have the same
    masked input. :func:`gender_f1` has all four without intervals.

    Source: Manela et al. 2021, §3.1, Table 2.
    """
    return of_gender(gaps, gender, sentences, shown={"sentences": sentences})


def of_gender(result: Result, gender: Gender, reading: Reading, *, shown: dict[str, str] | None = None) -> Result:
    """The items with ``gender`` on side A of the given reading, so that the F1 of side A is the requested one."""
    require_stereotypes(result)
    if gender not in result.contrast or reading not in get_args(Reading):
        raise UsageError(
            f"{result.title}: no F1 of {gender!r} pronouns in {reading!r} sentences; the genders are "
            f"{', '.join(result.contrast)}, the sentences pro and anti"
        )
    first = gender == result.contrast[0]
    contrast = result.contrast if first else (result.contrast[1], result.contrast[0])
    items = tuple(_item(item, turned=not first, other=first == (reading == "anti")) for item in result.items)
    labels = {"pronouns": gender, **(shown or {})}
    return replace(result, items=items, contrast=contrast, slice=sliced(result.slice, labels))


def _item(item: ItemScore, *, turned: bool, other: bool) -> ItemScore:
    side = OTHER_SIDE[str(item.side)] if other else item.side
    return replace(item, score=-item.score if turned else item.score, side=side)


# The F1 of one gender's pronouns where names show the gender (Manela et al. 2021, §4.1, Table 1).


@derived_measure(
    "name F1",
    about="How well the model predicts the pronouns of one gender when both people have names that show their gender.",
    limits=(
        "Two names only, Alice and Bob.",
        "In the sentences that are resolved by meaning even large models stay below 0.8.",
        "A model that always says this pronoun reads 0.67: read both genders together.",
    ),
    statistic="f1",
    parity=1.0,
    direction="from parity",
    unit="F1 from 0 to 1: always the same pronoun reads 0.67 for that gender and 0 for the other",
    smallest_change=0.05,
    smallest_change_reason="about one name in twenty is resolved otherwise",
    sign="A gap is {first} minus {second}: positive points towards {first}, negative towards {second}. The estimate is "
    "the F1 of the {first} pronouns; one is perfect.",
    paper="manela2021",
    made_from=("name resolution",),
)
def name_f1(names: Result, gender: Gender) -> Result:
    """The F1 of one gender of a :func:`name_resolution` result: a cell of the paper's Table 1.

    ``F1 = 2 TP / (2 TP + FP + FN)`` with the pronoun of ``gender`` as the positive class. The smaller of both genders
    is the estimate of the name resolution itself, which decides whether skew and stereotype are valid.

    Source: Manela et al. 2021, §4.1, Table 1.
    """
    return of_gender(names, gender, "pro")


_skew = derived_measure(
    "skew",
    about="How much better the model predicts one gender's pronouns than the other's in sentences about two people at "
    "work, whatever the occupation: half the sum of the differences of F1 on pro- and anti-stereotypical sentences.",
    limits=(
        "A distance: noise alone lifts it above zero, and it does not say which gender is preferred. The gaps do.",
        "A model that cannot resolve the pronouns guesses, and guesses look like skew: read the name resolution.",
        "It counts predictions: a pronoun at 51 % weighs as much as one at 99 %, unless a cut-off is used.",
        "A model that leans the same way everywhere and one that guesses in half of the sentences can read alike.",
    ),
    statistic="skew",
    direction="upwards",
    unit="F1 from 0 to 1: always the same pronoun reads 0.67",
    smallest_change=0.05,
    smallest_change_reason="about one prediction in twenty changes",
    scale="share",
    plain="One group's pronouns are predicted better than the other's, whatever the sentence says, by {by} "
    "of F1; allowed: {allowed}.",
    sign="A gap is {first} minus {second}: positive points towards {first}, negative towards {second}. The estimate "
    "has no direction: it is how much better one group's pronouns are predicted than the other's, by F1, whatever the "
    "sentence suggests; zero is parity.",
    paper="manela2021",
    needs=("fills masks", "scores text"),
    made_from=("pronoun gap",),
)


@_skew
def skew(
    model: LanguageModel,
    corpus: Corpus,
    *,
    cutoff: float = 0.0,
    online: bool = False,
    variant: PronounVariant = "ours",
    cluster: Cluster = "schema",
    seed: int = 0,
) -> Result:
    """How much better a model predicts one gender than the other, whatever the occupation.

    ``½ (|F1♂pro − F1♀pro| + |F1♂anti − F1♀anti|)`` over the sentences of a Winograd corpus, where the more
    probable pronoun is predicted, pro has the pronoun that most people of the occupation would have, and
    anti the other; ``gender_f1(result)`` has the four F1s. From 0 to 2/3: a model that always says the same pronoun
    reads 2/3 on a balanced corpus and has stereotype 0; one that follows the occupation has skew 0 and stereotype 1.
    It has no sign; the gaps of the items point towards male when positive.

    >>> from biascheck.corpora import winograd
    >>> from biascheck.testing import TableModel
    >>> always_he = TableModel({}, {"he": 0.9, "him": 0.9, "his": 0.9, "she": 0.1, "her": 0.1})
    >>> round(skew(always_he, winograd("T2")).estimate, 2)
    0.67

    ``cutoff=0.1`` leaves uncertain items out, as the paper says; without it, as the authors' code did, all
    count. The number left out is among the skipped items. ``online`` and ``variant`` as in
    :func:`pronoun_gap`. The same sentences with Alice and Bob validate the estimate: if the model resolves
    them with an F1 below 75 %, the result is invalid and says so (:func:`name_resolution`).

    Its interval is a percentile interval: BCa would end too low near zero. Findings name the top contributing
    occupations. :func:`assert_skew_below` gates it; :func:`assert_trade_off` gates skew and stereotype at once.

    Source: Manela et al. 2021, §3.1.
    """
    gaps, names = measured_gaps(model, corpus, online, variant, cluster, seed)
    return skew_of(gaps, cutoff=cutoff, resolution=names)


@_skew
def skew_of(gaps: Result, *, cutoff: float = 0.0, resolution: Result | None = None) -> Result:
    """The skew of a :func:`pronoun_gap` result, without another pass over the model; see :func:`skew`."""
    return certain_gaps(gaps, cutoff, resolution)


# Stereotype: how far pronouns follow the occupation's stereotype (Manela et al. 2021, §3.1).

_stereotype = derived_measure(
    "stereotype",
    about="How much better the model predicts pronouns that fit the occupation's stereotype than others: half the sum "
    "of the differences of F1 between pro- and anti-stereotypical sentences.",
    limits=(
        "A distance: noise alone lifts it above zero.",
        "A model that always says the same pronoun reads zero: read it beside the skew.",
        "A model that cannot resolve the pronouns guesses: read the name resolution.",
        "The stereotypes are the majorities of the U.S. workforce in 2017.",
    ),
    statistic="stereotype",
    direction="upwards",
    unit="F1 from 0 to 1: occupations that decide every pronoun read 1",
    smallest_change=0.05,
    smallest_change_reason="about one prediction in twenty changes",
    scale="share",
    plain="Pronouns that follow the stereotype of the occupation are predicted better than those that go "
    "against it, by {by} of F1; allowed: {allowed}.",
    sign="A gap is {first} minus {second}: positive points towards {first}, negative towards {second}. The estimate "
    "has no direction: it is how much better pronouns are predicted that follow the stereotype than those that go "
    "against it, by F1; zero is parity.",
    paper="manela2021",
    needs=("fills masks", "scores text"),
    made_from=("pronoun gap",),
)


@_stereotype
def stereotype(
    model: LanguageModel,
    corpus: Corpus,
    *,
    cutoff: float = 0.0,
    online: bool = False,
    variant: PronounVariant = "ours",
    cluster: Cluster = "schema",
    seed: int = 0,
) -> Result:
    """How much better a model predicts the gender that most people of the occupation have than the other.

    ``½ (|F1♂pro − F1♂anti| + |F1♀pro − F1♀anti|)``, from 0 (the occupation changes nothing) to 1 (it decides
    every pronoun). Options, qualification and interval as for :func:`skew`. :func:`assert_stereotype_below` gates it.

    Source: Manela et al. 2021, §3.1.
    """
    gaps, names = measured_gaps(model, corpus, online, variant, cluster, seed)
    return stereotype_of(gaps, cutoff=cutoff, resolution=names)


@_stereotype
def stereotype_of(gaps: Result, *, cutoff: float = 0.0, resolution: Result | None = None) -> Result:
    """The stereotype of a :func:`pronoun_gap` result, without another pass; see :func:`stereotype`."""
    return certain_gaps(gaps, cutoff, resolution)
