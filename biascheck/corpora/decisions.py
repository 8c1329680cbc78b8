"""Decisions about a person described by age, gender and race, as in discrim-eval (Tamkin et al. 2023)."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from biascheck.core.errors import CorpusError
from biascheck.corpora.items import ItemSet, Labels
from biascheck.corpora.published import caveats_of_file, json_lines, published_file, rows_as_published

REFERENCE = {"age": 60, "gender": "male", "race": "white"}
"""The person that others are compared with (Tamkin et al. 2023, §3)."""


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
