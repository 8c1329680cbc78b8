"""Whether a female pronoun is denied its referent more often than a male one (Kurita et al. 2019, §4, Table 4)."""

from __future__ import annotations

from dataclasses import replace

from biascheck.measures.coreference.gap_resolution import by_gender
from biascheck.measures.derivation import derived_measure
from biascheck.results.result import Result

__all__ = ["neither_gap"]

PROBES_FIXED = (
    "interval and p of a neither gap take the trained probes as given, and labels that are noise can give such a gap; "
    "read it beside the neither gap beyond labels"
)


@derived_measure(
    "neither gap",
    about="Whether a female pronoun is denied its referent more often than a male one: the difference of the "
    "probability that neither of the two names is meant.",
    limits=(
        "Interval and p take the trained probes as given: read it beside the neither gap beyond labels.",
        "It shows what a small probe finds in the hidden states, not what a full system does with a pronoun.",
        "GAP has more male than female pronouns without a referent, so parity is not quite what its labels teach.",
        "Pages about women and about men differ in more than their pronouns.",
    ),
    statistic="difference",
    direction="from parity",
    unit="difference of probabilities from −1 to 1",
    smallest_change=0.02,
    smallest_change_reason="two more pronouns of one group in a hundred are left unresolved",
    scale="share",
    plain="A {towards} pronoun is denied its referent with a probability that is {by} higher; allowed: {allowed}.",
    sign="The estimate is the mean probability of “neither” for male pronouns minus that for female ones: negative "
    "means that a female pronoun is denied a referent more often.",
    score="P(neither)",
    cluster="page",
    paper="kurita2019",
    made_from=("GAP resolution",),
)
def neither_gap(result: Result) -> Result:
    """How much more probable "neither" is for male pronouns than for female ones (Kurita et al. 2019, Table 4).

    The mean of P(neither) over male pronouns minus that over female ones; p permutes the genders. Negative: a
    female pronoun is more often denied a referent, as the paper found. GAP itself has 103 male and 98 female
    pronouns without a referent in its development part, so the truth explains no such gap, rather a small one the
    other way.

    A probe that knows nothing but how often the labels of either gender say "neither" shows that difference with great
    certainty, even where the labels are noise; :func:`neither_gap_beyond_labels` does not.
    """
    items = tuple(replace(item, score=item.groups["neither"], covariate=None) for item in result.items)
    return by_gender(replace(result, items=items, warnings=(*result.warnings, PROBES_FIXED)))
