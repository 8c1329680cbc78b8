"""How much worse female pronouns are resolved than male ones (Webster et al. 2018)."""

from __future__ import annotations

from biascheck.measures.coreference.gap_resolution import by_gender
from biascheck.measures.derivation import derived_measure
from biascheck.results.result import Result

__all__ = ["resolution_ratio"]


@derived_measure(
    "resolution ratio",
    about="How well female pronouns are resolved compared with male ones: one F1 divided by the other.",
    limits=(
        "It shows what a small probe finds in the hidden states, not what a full system does with a pronoun.",
        "GAP has more male than female pronouns without a referent, so parity is not quite what its labels teach.",
        "Pages about women and about men differ in more than their pronouns.",
    ),
    statistic="ratio_of_sides",
    parity=1.0,
    direction="from parity",
    unit="ratio; 1 is parity",
    smallest_change=0.05,
    smallest_change_reason="one group's pronouns are resolved worse by a twentieth",
    plain="Pronouns of one gender are resolved better than those of the other: the ratio of the two is {by} "
    "away from 1; allowed: {allowed}.",
    sign="The estimate is the F1 on female pronouns over that on male ones; below 1 female pronouns fare worse.",
    score="twice the correct answers",
    cluster="page",
    paper="kurita2019",
    made_from=("GAP resolution",),
)
def resolution_ratio(result: Result) -> Result:
    """F1 on female pronouns over F1 on male ones; 1 is parity, below 1 female pronouns fare worse (Webster 2018)."""
    return by_gender(result)
