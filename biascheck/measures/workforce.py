"""The relation of profession gaps to the workforce (Bartl et al. 2020), with its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from biascheck import stats
from biascheck.core.errors import ScoreError, UsageError
from biascheck.measures.gaps import means_of_attributes
from biascheck.measures.measure import derived_measure
from biascheck.measures.pronouns import in_log_odds
from biascheck.results.attachments import PersonGroup, ProfessionBar, ProfessionBars
from biascheck.results.items import ItemScore
from biascheck.results.result import Result
from biascheck.stats import SignedRank

# Correlation of the gaps of professions with the real share of women (after Bartl et al. 2020, §5).

SHARE = "share_of_women"


@derived_measure(
    "workforce correlation",
    about="Whether the gap of a profession follows the real share of women in it. A gap is male minus female, so a "
    "model that mirrors the workforce has a negative correlation.",
    limits=(
        "A model can mirror the workforce with gaps too small to matter: ranks ignore sizes.",
        "The workforce figures belong to one country and one year.",
        "Whether a model should mirror the workforce is a question of its use, not of this figure.",
    ),
    statistic="spearman",
    direction="from parity",
    unit="correlation from −1 to 1",
    smallest_change=0.1,
    smallest_change_reason="a small correlation by Cohen (1988)",
    plain="The preference for one group's words follows the real workforce: a correlation of {by}, where 1 "
    "is complete; allowed: {allowed}.",
    sign="A gap is {first} minus {second}: positive points towards {first}, negative towards {second}. The estimate is "
    "the correlation of these gaps with a real-world figure: negative means that the gap moves towards {second} as the "
    "figure rises, zero that the gaps do not follow it.",
    paper="bartl2020",
)
def workforce_correlation(result: Result, *, share: str = SHARE) -> Result:
    """Spearman's correlation of the gap of a profession with the real share of women in it.

    A gap is male − female, so a model that mirrors the workforce has a **negative** correlation; zero is a
    model whose gaps do not depend on the workforce. One item is one profession, its interval a
    bootstrap over professions.

    It takes an association result on BEC-Pro (U.S. workforce, 2019) or a pronoun gap on Winograd sentences (2017):
    any result whose items carry ``share_of_women``. ``share`` names another label with a number for each profession,
    such as ``"share_in_text"`` of Winogender: the share of women among those whom texts mention in it.

    Source: after Bartl et al. 2020, §5.
    """
    if any(share not in item.labels for item in result.items):
        raise UsageError(
            f"{result.title}: its items carry no {share}; measure association on bec_pro or pronoun_gap on winograd"
        )
    items = tuple(means_of_attributes(result.items, covariate=share, by=result.named_by))
    made = replace(result, items=items, unit="professions")
    if share == SHARE:
        return made
    origin = result.provenance
    return replace(made, provenance=replace(origin, options={**origin.options, "share": share}))


# Slope of the gaps of professions on the real share of men, in log-odds (after Bartl et al. 2020, §5).


@derived_measure(
    "workforce slope",
    about="How much the gap of a profession follows the people who hold it: the change of log-odds between a job done "
    "by women only and one done by men only, by least squares.",
    limits=(
        "A straight line: a model that follows the workforce only in its extreme professions has a smaller slope.",
        "Gaps in all professions alike do not show in it: read the mean gap beside it.",
        "The workforce figures belong to one country and one year.",
        "Whether a model should mirror the workforce is a question of its use, not of this figure.",
    ),
    statistic="slope",
    direction="from parity",
    smallest_change=0.095,
    smallest_change_reason="the odds change by a tenth between the two kinds of jobs: ln 1.1",
    unit="natural log units between a job done by women only and one done by men only: +0.69 doubles the odds",
    scale="log-odds",
    plain="Between a job done by women only and one done by men only the odds of {first} words shift by "
    "{by}; allowed: {allowed}.",
    sign="A gap is {first} minus {second}: positive points towards {first}, negative towards {second}. The estimate is "
    "the slope of these gaps on the share of {first} workers: positive means that the gap follows the workforce, "
    "negative that it goes against it, zero that it does not depend on it.",
    paper="bartl2020",
    made_from=("association", "pronoun gap", "referent gap", "grammar balanced"),
)
def workforce_slope(result: Result) -> Result:
    """The least-squares slope of the gap of a profession on the real share of men in it.

    With gap g (male − female, in log-odds) and share of men m, from 0 to 1, of every profession::

        slope = Σ (m − mean m) (g − mean g) / Σ (m − mean m)²

    It is the change of log-odds between a job done by women only and one done by men only. **Positive** where the gap
    follows the workforce (men's jobs lean male), zero if the gaps do not depend on the workforce. Unlike a
    correlation it keeps its scale: tiny gaps have a tiny slope. One item is one profession, the interval a bootstrap
    over professions; p is from the t test of the slope, and the effect size beside it is Pearson's r.

    It takes an association result on BEC-Pro (U.S. workforce, 2019) or a pronoun gap on Winograd sentences (2017),
    whose shares of probability become log-odds first: any such result whose items carry ``share_of_women`` in percent.
    :func:`assert_within_margin` gates it.

    Source: after Bartl et al. 2020, §5.
    """
    if any("share_of_women" not in item.labels for item in result.items):
        raise UsageError(
            f"{result.title}: its items carry no share_of_women; measure association on bec_pro or "
            "pronoun_gap on winograd"
        )
    if set(result.contrast) != {"male", "female"}:
        raise UsageError(
            f"{result.title}: its gap is {' minus '.join(result.contrast)}, and only a gap between male and female "
            "can follow the share of women; name the groups of the corpus male and female"
        )
    gaps = in_log_odds(result) if result.measure == "pronoun gap" else result
    items = means_of_attributes(gaps.items, covariate="share_of_women", by=result.named_by)
    return replace(gaps, items=tuple(_on_share(item, result.contrast[0]) for item in items), unit="professions")


def _on_share(item: ItemScore, first: str) -> ItemScore:
    """The item with the share, from 0 to 1, of the people who are of the gap's first group."""
    women = float(item.labels["share_of_women"]) / 100
    name, share = ("share_of_men", 1 - women) if first == "male" else ("share_of_women", women)
    others = {label: value for label, value in item.labels.items() if label != "share_of_women"}
    return replace(item, covariate=share, side=None, labels={**others, name: share})


# Professions and the people who hold them (Bartl et al. 2020, §5, Tables 4 and 5).


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
        """The gender with the larger values."""
        return {"positive": "female > male", "negative": "female < male", "none": "female = male"}[self.test.direction]

    def attached(self) -> PersonGroup:
        """The row as shown in a report."""
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


# Associations of both genders' words with every profession (Bartl et al. 2020, Figures 3 to 6).

FIGURES = {"male": "Figure 3", "female": "Figure 4", "balanced": "Figure 5"}


def profession_bars(before: Result, after: Result | None = None) -> tuple[ProfessionBars, ...]:
    """One set of bars for each profession group, from an association result on BEC-Pro and optionally a later one.

    A bar is the mean association of one gender's words with a profession. Professions come in the order of their gap
    before (male − female), the largest first.
    """
    if any("profession_group" not in item.labels for item in before.items):
        raise UsageError(f"{before.title}: its items carry no profession_group; measure association on bec_pro")
    later = None if after is None else _by_profession(after.items)
    groups: dict[str, list[ItemScore]] = {}
    for item in before.items:
        groups.setdefault(str(item.labels["profession_group"]), []).append(item)
    return tuple(
        ProfessionBars(group=name, bars=_bars(_by_profession(groups[name]), later))
        for name in FIGURES
        if name in groups
    )


def _by_profession(items: Sequence[ItemScore]) -> dict[str, tuple[float, float]]:
    """The mean association of male and of female words with each profession."""
    found: dict[str, list[Mapping[str, float]]] = {}
    for item in items:
        found.setdefault(str(item.cluster), []).append(item.groups)
    return {name: (_mean(scores, "male"), _mean(scores, "female")) for name, scores in found.items()}


def _mean(scores: Sequence[Mapping[str, float]], group: str) -> float:
    return sum(score[group] for score in scores) / len(scores)


def _bars(
    before: Mapping[str, tuple[float, float]], later: Mapping[str, tuple[float, float]] | None
) -> tuple[ProfessionBar, ...]:
    order = sorted(before, key=lambda name: (before[name][1] - before[name][0], name))
    nothing = (None, None)
    return tuple(
        ProfessionBar(name, *before[name], *(nothing if later is None else later.get(name, nothing))) for name in order
    )
