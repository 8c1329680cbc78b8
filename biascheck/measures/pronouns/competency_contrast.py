"""Whether competence moves the pronoun, in log-odds (after Manela et al. 2021, §4.4)."""

from __future__ import annotations

from biascheck.measures.derivation import derived_measure
from biascheck.measures.pronouns.competency_effect import by_competency
from biascheck.measures.pronouns.log_odds import in_log_odds
from biascheck.results.result import Result

__all__ = ["competency_contrast"]


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
    sentences come in pairs, pairs are resampled: what the two sentences share does not widen the interval.
    :func:`assert_contrast_within` judges it.
    """
    return by_competency(in_log_odds(shares))
