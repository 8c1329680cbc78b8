"""The F1 of one gender's pronouns on pro- or anti-stereotypical sentences (Manela et al. 2021, §3.1, Table 2)."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, get_args

from biascheck.errors import UsageError
from biascheck.measures.derivation import derived_measure
from biascheck.measures.pronouns.gender_f1 import require_stereotypes
from biascheck.results.items import ItemScore
from biascheck.results.key import sliced
from biascheck.results.result import Result

__all__ = ["Gender", "Reading", "of_gender", "pronoun_f1"]

Gender = Literal["male", "female"]
Reading = Literal["pro", "anti"]
OTHER_SIDE = {"A": "B", "B": "A"}


@derived_measure(
    "pronoun F1",
    about="How well the model predicts the pronouns of one gender in pro- or in anti-stereotypical sentences: one of "
    "the four figures that skew and stereotype are made from.",
    limits=(
        "It is fair beside the other three only: skew and stereotype compare the four.",
        "A model that always says this pronoun reads 0.67; one that tosses a coin reads 0.5 in all four.",
    ),
    statistic="f1",
    parity=0.5,
    direction="from parity",
    smallest_change=0.05,
    smallest_change_reason="about one prediction in twenty changes",
    unit="F1 from 0 to 1: always the same pronoun reads 0.67 for that gender and 0 for the other",
    sign="A gap is {first} minus {second}: positive points towards {first}, negative towards {second}. The estimate is "
    "the F1 of the {first} pronouns; a coin reads 0.50.",
    paper="manela2021",
    made_from=("pronoun gap", "skew", "stereotype"),
)
def pronoun_f1(gaps: Result, gender: Gender, sentences: Reading) -> Result:
    """One of the four F1s behind a skew or a stereotype, with its interval: a cell of the paper's Table 2.

    ``F1 = 2 TP / (2 TP + FP + FN)`` with the pronoun of ``gender`` as the positive class. In ``"pro"`` sentences the
    true pronoun is the one that most people of the occupation have, in ``"anti"`` ones the other; both have the same
    masked input. :func:`gender_f1` has all four without intervals.
    """
    return of_gender(gaps, gender, sentences, shown={"sentences": sentences})


def of_gender(result: Result, gender: Gender, reading: Reading, *, shown: dict[str, str] | None = None) -> Result:
    """The items with ``gender`` on side A of the given reading, so that the F1 of side A is the one asked for."""
    require_stereotypes(result)
    if gender not in result.contrast or reading not in get_args(Reading):
        raise UsageError(
            f"{result.title}: no F1 of {gender!r} pronouns in {reading!r} sentences; the genders are "
            f"{', '.join(result.contrast)}, the sentences pro and anti"
        )
    first = gender == result.contrast[0]
    contrast = result.contrast if first else (result.contrast[1], result.contrast[0])
    items = tuple(_item(item, turned=not first, other=first == (reading == "anti")) for item in result.items)
    labels = {"pronouns": gender, **(shown or {})}
    return replace(result, items=items, contrast=contrast, slice=sliced(result.slice, labels))


def _item(item: ItemScore, *, turned: bool, other: bool) -> ItemScore:
    side = OTHER_SIDE[str(item.side)] if other else item.side
    return replace(item, score=-item.score if turned else item.score, side=side)
