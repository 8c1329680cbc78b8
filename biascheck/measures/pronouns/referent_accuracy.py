"""How often a model that is asked knows whom a pronoun means (after Rudinger et al. 2018, §4)."""

from __future__ import annotations

from dataclasses import replace

from biascheck.measures.derivation import derived_measure
from biascheck.results.items import ItemScore
from biascheck.results.result import Result

__all__ = ["referent_accuracy"]


@derived_measure(
    "referent accuracy",
    about="The share of pronouns for which the model finds the right person the more probable answer.",
    limits=(
        "One half is chance, also for a model that always names the occupation.",
        "A model that prefers short or frequent answers loses accuracy for that alone.",
    ),
    statistic="share_positive",
    parity=1.0,
    direction="from parity",
    unit="share from 0 to 1",
    smallest_change=0.05,
    smallest_change_reason="one answer in twenty changes",
    sign="The estimate is the share of correct answers; one half is chance.",
    paper="rudinger2018",
    made_from=("referent odds",),
)
def referent_accuracy(odds: Result) -> Result:
    """The share of correct answers over all pronouns; of one with ``.where(pronoun="female")``."""
    items = tuple(_answer(item, group) for item in odds.items for group in item.groups)
    return replace(odds, items=items, unit="answers")


def _answer(item: ItemScore, group: str) -> ItemScore:
    right = bool(item.labels[f"right_{group}"])
    labels = {name: value for name, value in item.labels.items() if not name.startswith("right_")}
    return replace(
        item,
        id=f"{item.id}/{group}",
        score=1.0 if right else -1.0,
        groups={},
        labels={**labels, "pronoun": group, "correct": int(right)},
        sentences={group: item.sentences[group]},
    )
