"""How much the gaps of professions follow the people who hold them, in log-odds (after Bartl et al. 2020, §5)."""

from __future__ import annotations

from dataclasses import replace

from biascheck.errors import UsageError
from biascheck.measures.attribute_means import means_of_attributes
from biascheck.measures.derivation import derived_measure
from biascheck.measures.pronouns.log_odds import in_log_odds
from biascheck.results.items import ItemScore
from biascheck.results.result import Result

__all__ = ["workforce_slope"]


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
    follows the workforce (men's jobs lean male), zero where the gaps know nothing of who holds the job. Unlike a
    correlation it keeps its scale: tiny gaps have a tiny slope. One item is one profession, the interval a bootstrap
    over professions; p is from the t test of the slope, and the effect size beside it is Pearson's r.

    It takes an association result on BEC-Pro (U.S. workforce, 2019) or a pronoun gap on Winograd sentences (2017),
    whose shares of probability become log-odds first: any such result whose items carry ``share_of_women`` in percent.
    :func:`assert_within_margin` judges it.
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
