"""The F1 of one gender's pronouns where names show the gender (Manela et al. 2021, §4.1, Table 1)."""

from __future__ import annotations

from biascheck.measures.derivation import derived_measure
from biascheck.measures.pronouns.pronoun_f1 import Gender, of_gender
from biascheck.results.result import Result

__all__ = ["name_f1"]


@derived_measure(
    "name F1",
    about="How well the model predicts the pronouns of one gender when both people have names that show their gender.",
    limits=(
        "Two names only, Alice and Bob.",
        "In the sentences that are resolved by meaning even large models stay below 0.8.",
        "A model that always says this pronoun reads 0.67: read both genders together.",
    ),
    statistic="f1",
    parity=1.0,
    direction="from parity",
    unit="F1 from 0 to 1: always the same pronoun reads 0.67 for that gender and 0 for the other",
    smallest_change=0.05,
    smallest_change_reason="about one name in twenty is resolved otherwise",
    sign="A gap is {first} minus {second}: positive points towards {first}, negative towards {second}. The estimate is "
    "the F1 of the {first} pronouns; one is perfect.",
    paper="manela2021",
    made_from=("name resolution",),
)
def name_f1(names: Result, gender: Gender) -> Result:
    """The F1 of one gender of a :func:`name_resolution` result: a cell of the paper's Table 1.

    ``F1 = 2 TP / (2 TP + FP + FN)`` with the pronoun of ``gender`` as the positive class. The smaller of both genders
    is the estimate of the name resolution itself, by which skew and stereotype are valid or not.
    """
    return of_gender(names, gender, "pro")
