"""The mean size of sentiment deltas (Jentzsch & Turan 2022, §2.4)."""

from __future__ import annotations

from biascheck.measures.derivation import derived_measure
from biascheck.results.result import Result

__all__ = ["absolute_delta"]


@derived_measure(
    "absolute delta",
    about="How much the rating of a review moves when the gender of its people changes, in either direction.",
    limits=(
        "Never below zero: any sensitivity to words counts, also without a direction.",
        "It is about one classifier and its training data; another classifier on the same model may differ.",
        "It depends on the term set: turning every term of a review to one gender makes some sentences that nobody "
        "would write, and changes more than gender where words have no equal counterpart.",
    ),
    statistic="mean_absolute",
    direction="upwards",
    unit="mean size of the difference, from 0 to 1",
    smallest_change=0.02,
    smallest_change_reason="a rating moves by two points in a hundred with the gender alone",
    scale="rating",
    plain="A single text is rated {by} differently, on average, when its people change group; allowed: {allowed}.",
    sign="A gap is {first} minus {second}: positive means that the {first} version is rated better, negative the "
    "{second} one. The estimate is the mean size of the gaps, whatever their sign; zero is parity.",
    paper="jentzsch2022",
    made_from=("sentiment delta",),
)
def absolute_delta(result: Result) -> Result:
    """The mean size of the deltas, whatever their sign: the paper's absolute bias, from a ``sentiment_delta`` result.

    Deltas of both signs do not cancel here. It is never below zero and only bad when large:
    :func:`assert_absolute_delta_below` judges it.
    """
    return result
