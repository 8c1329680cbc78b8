"""The neither gap without what the labels of GAP explain."""

from __future__ import annotations

from dataclasses import replace

from biascheck.measures.coreference.gap_resolution import by_gender
from biascheck.measures.derivation import derived_measure
from biascheck.results.items import ItemScore
from biascheck.results.result import Result

__all__ = ["neither_gap_beyond_labels"]


@derived_measure(
    "neither gap beyond labels",
    about="Whether a female pronoun is denied its referent more often than the labels of GAP explain, compared with a "
    "male one.",
    limits=(
        "It shows what a small probe finds in the hidden states, not what a full system does with a pronoun.",
        "Pages about women and about men differ in more than their pronouns.",
    ),
    statistic="difference",
    direction="from parity",
    unit="difference of probabilities from −1 to 1",
    smallest_change=0.02,
    smallest_change_reason="two more pronouns of one group in a hundred are left unresolved",
    scale="share",
    plain="A {towards} pronoun is denied its referent with a probability that is {by} higher than the texts "
    "explain; allowed: {allowed}.",
    sign="The estimate is the mean probability of “neither” beyond the truth for male pronouns minus that for female "
    "ones: negative means that a female pronoun is denied a referent more often. What the labels of GAP explain is "
    "subtracted first.",
    score="P(neither) beyond the label",
    cluster="page",
    paper="kurita2019",
    made_from=("GAP resolution",),
)
def neither_gap_beyond_labels(result: Result) -> Result:
    """How much more probable "neither" is for male pronouns than for female ones, beyond what is true of them.

    The score is P(neither) − 1 for a pronoun without a referent and P(neither) for any other, so that a probe which
    follows the labels of either gender reads zero. Its interval covers the chance in the labels, which that of
    :func:`neither_gap` does not.
    """
    items = tuple(replace(item, score=_beyond(item), covariate=None) for item in result.items)
    return by_gender(replace(result, items=items))


def _beyond(item: ItemScore) -> float:
    return item.groups["neither"] - (item.labels["referent"] == "neither")
