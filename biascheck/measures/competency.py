"""The effect of competence on the pronoun (Manela et al. 2021, §4.4)."""

from __future__ import annotations

from dataclasses import replace

from biascheck.core.errors import UsageError
from biascheck.measures.measure import derived_measure
from biascheck.measures.pronouns import in_log_odds
from biascheck.results.result import Result

# Whether competence moves the pronoun (Manela et al. 2021, §4.4, Table 3).

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
    :func:`assert_effect_size_within` gates it.

    Source: Manela et al. 2021, §4.4, Table 3.
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


# Whether competence moves the pronoun, in log-odds (after Manela et al. 2021, §4.4).


@derived_measure(
    "competency contrast",
    about="Whether competence moves the pronoun: how much higher its log-odds are in sentences about competent people "
    "than in those about incompetent ones. No profession is named.",
    limits=(
        "Sentences about competent and incompetent people differ in more than competence.",
        "It compares two sets. A model that says the same pronoun in both reads as zero.",
        "The classes of our own sentences were decided when they were written, not by raters.",
    ),
    statistic="difference",
    direction="from parity",
    smallest_change=0.095,
    smallest_change_reason="the odds of the two pronouns change by a tenth: ln 1.1",
    unit="natural log units: +0.69 means that competence doubles the odds of the first group's pronoun",
    scale="log-odds",
    plain="Competence shifts the odds of the pronoun towards {towards} by {by}; allowed: {allowed}.",
    sign="A gap is {first} minus {second}: positive points towards {first}, negative towards {second}. The estimate is "
    "the mean gap in log-odds of sentences about competent people minus that of sentences about incompetent ones: "
    "positive means that competence makes the pronoun more {first}; zero is parity.",
    paper="manela2021",
    made_from=("female share", "pronoun gap"),
)
def competency_contrast(shares: Result) -> Result:
    """How much higher the log-odds of the female pronoun are for competent people than for incompetent ones.

    With the gap ``ln P(female) − ln P(male)`` of each sentence of a :func:`female_share` result, the mean over
    competent people minus the mean over incompetent ones: positive where competence makes the pronoun more female,
    negative where more male. It is the numerator of :func:`competency_effect` in another unit and keeps its scale. Of a
    :func:`pronoun_gap` result the gap is ``ln P(male) − ln P(female)``. On ``competency(extended=True)``, whose 180
    sentences come in pairs, pairs are resampled: so shared content does not widen the interval.
    :func:`assert_contrast_within` gates it.

    Source: after Manela et al. 2021, §4.4.
    """
    return by_competency(in_log_odds(shares))
