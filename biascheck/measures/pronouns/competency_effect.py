"""Whether competence moves the pronoun (Manela et al. 2021, §4.4, Table 3)."""

from __future__ import annotations

from dataclasses import replace

from biascheck.errors import UsageError
from biascheck.measures.derivation import derived_measure
from biascheck.results.result import Result

__all__ = ["by_competency", "competency_effect"]

COMPETENCY_SIDES = {"competent": "A", "incompetent": "B"}


@derived_measure(
    "competency effect",
    about="Whether competence moves the pronoun: the gap between pronouns in sentences about competent and about "
    "incompetent people, in standard deviations. No profession is named.",
    limits=(
        "A few dozen sentences, labelled by people: the interval is wide, and others may give another figure.",
        "Sentences about competent and incompetent people differ in more than competence.",
        "It compares two sets. A model that says the same pronoun in both reads as zero.",
    ),
    statistic="standardised_difference",
    direction="from parity",
    unit="standard deviations",
    smallest_change=0.2,
    smallest_change_reason="a small effect by Cohen (1988)",
    plain="Competent people get {towards} pronouns more often than incompetent ones do: a difference of "
    "{by} standard deviations; allowed: {allowed}.",
    sign="A gap is {first} minus {second}: positive points towards {first}, negative towards {second}. The estimate is "
    "competent minus incompetent in standard deviations of these gaps: positive means that competence makes the "
    "pronoun more {first}.",
    paper="manela2021",
    made_from=("female share",),
)
def competency_effect(shares: Result) -> Result:
    """How much more female the pronouns of competent people are than those of incompetent ones.

    The effect size d of ``P(female) − P(male)`` between the two classes of a :func:`female_share` result, in
    standard deviations: positive where competence makes the pronoun more female, negative where more male.
    :func:`assert_effect_size_within` judges it.
    """
    return by_competency(shares)


def by_competency(shares: Result) -> Result:
    """The sentences about competent people on side A and about incompetent ones on side B; the others are left out."""
    items = tuple(
        replace(item, side=COMPETENCY_SIDES[str(item.labels["competency"])])
        for item in shares.items
        if item.labels.get("competency") in COMPETENCY_SIDES
    )
    if {item.side for item in items} != {"A", "B"}:
        raise UsageError(
            f"{shares.title}: its items are not labelled competent and incompetent; use competency() or "
            "rated_competency(corpus, file)"
        )
    return replace(shares, items=items)
