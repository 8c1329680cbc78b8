"""Whether the gaps of professions follow the people who hold them (after Bartl et al. 2020, §5)."""

from __future__ import annotations

from dataclasses import replace

from biascheck.errors import UsageError
from biascheck.measures.attribute_means import means_of_attributes
from biascheck.measures.derivation import derived_measure
from biascheck.results.result import Result

__all__ = ["workforce_correlation"]

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
    model whose gaps know nothing of who holds the job. One item is one profession, its interval a
    bootstrap over professions.

    It takes an association result on BEC-Pro (U.S. workforce, 2019) or a pronoun gap on Winograd sentences (2017):
    any result whose items carry ``share_of_women``. ``share`` names another label with a figure for each profession,
    such as ``"share_in_text"`` of Winogender: the share of women among those whom texts mention in it.
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
