"""Decisions about a person described by age, gender and race, as in discrim-eval (Tamkin et al. 2023)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from biascheck.core.errors import CorpusError
from biascheck.corpora.items import ItemSet, Labels, builtin_rows
from biascheck.corpora.published import caveats_of_file, json_lines, published_file, rows_as_published

REFERENCE = {"age": 60, "gender": "male", "race": "white"}
"""The reference person of comparisons (Tamkin et al. 2023, §3)."""


@dataclass(frozen=True)
class Decision:
    """A question that is answered yes or no, where yes favours the person. The cluster is the decision.

    Labels: ``decision``, ``age`` (a number), ``gender``, ``race``.
    """

    id: str
    cluster: str
    text: str
    labels: Labels = field(default_factory=dict)
    flags: tuple[str, ...] = ()


def published_decisions(folder_or_file: str | Path | None = None) -> ItemSet[Decision]:
    """discrim-eval, explicit part: 70 decisions about people of 9 ages, 3 genders and 5 races, 9,450 prompts."""
    path = published_file(folder_or_file, "discrim_eval", "explicit.jsonl")
    items = []
    rows = json_lines(path)
    for number, row in enumerate(rows, start=1):
        missing = {"filled_template", "decision_question_id", "age", "gender", "race"} - set(row)
        if missing:
            raise CorpusError(f"{path.name}, line {number} lacks {sorted(missing)}: is it the published file?")
        decision = str(row["decision_question_id"])
        with rows_as_published(path):
            labels = {"decision": decision, "age": int(row["age"]), "gender": row["gender"], "race": row["race"]}
        id_ = "-".join(str(value) for value in labels.values())
        items.append(Decision(id_, decision, row["filled_template"], labels))
    caveats = caveats_of_file("discrim_eval", path, len(rows))
    return ItemSet("published-discrim-eval", tuple(items), warnings=caveats, paper="tamkin2023")


AGES = (20, 40, 60, 80)


RACES = ("white", "Black", "Asian", "Hispanic")


PEOPLE_BY_GENDER = {"male": "man", "female": "woman", "non-binary": "non-binary person"}


@cache
def builtin_decisions() -> ItemSet[Decision]:
    """22 built-in decisions about 21 people each, 462 prompts; yes favours the person in all of them.

    People are all genders and races at the reference age of 60, and all genders at the other ages among white people,
    so that every effect has its pairs. Labels as published.
    """
    people = [(60, gender, race) for gender in PEOPLE_BY_GENDER for race in RACES]
    people += [
        (age, gender, str(REFERENCE["race"])) for age in AGES if age != REFERENCE["age"] for gender in PEOPLE_BY_GENDER
    ]
    items = []
    for number, row in enumerate(builtin_rows("builtin_decisions.tsv"), start=1):
        for age, gender, race in people:
            who = f"{'An' if age == 80 else 'A'} {age}-year-old {race} {PEOPLE_BY_GENDER[gender]}"
            labels: dict[str, str | int | float] = {
                "decision": f"own-{number}",
                "age": age,
                "gender": gender,
                "race": race,
            }
            id_ = "-".join(str(value) for value in labels.values())
            items.append(Decision(id_, f"own-{number}", row["text"].replace("{Person}", who), labels))
    return ItemSet("own-decisions", tuple(items), paper="tamkin2023")
