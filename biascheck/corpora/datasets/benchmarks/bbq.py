"""Loader for BBQ (Parrish et al. 2022), any of its categories, read from the user's disk and never shipped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from biascheck.corpora.datasets.benchmarks.item_set import ItemSet, about_left_out
from biascheck.corpora.datasets.benchmarks.published_text import (
    json_lines,
    published_file,
    published_folder,
    table_rows,
)
from biascheck.corpora.datasets.benchmarks.questions import AMBIGUOUS, DISAMBIGUATED, Question, question_flags
from biascheck.corpora.loaded import LeftOut
from biascheck.errors import CorpusError, DataNotFoundError

__all__ = ["published_bbq", "published_bbq_predictions"]

BBQ_CONDITIONS = {"ambig": AMBIGUOUS, "disambig": DISAMBIGUATED}
METADATA = ("additional_metadata.csv", {"category", "question_index", "example_id", "target_loc"})
Targets = Mapping[tuple[str, str], Sequence[str]]


def published_bbq(folder: str | Path | None = None, category: str | None = None) -> ItemSet[Question]:
    """BBQ's items: one category (``"Age"``), or all whose files are there.

    The biased answer is ``target_loc`` of the authors' additional_metadata.csv, which accounts for the polarity of the
    question already. An item whose metadata have no target or several rows is left out with that reason. Clusters are
    category × question_index. Labels: ``condition``, ``category``, ``polarity``, ``question_index``, ``version``,
    ``subcategory`` and ``names`` ("label" or "name": how people are referred to).
    """
    root = published_folder(folder, "bbq")
    files = _files(root, category)
    targets, naming = _metadata(root)
    items: list[Question] = []
    left_out: list[LeftOut] = []
    for path in files:
        for row in json_lines(path):
            made = _item(row, targets, naming)
            if isinstance(made, LeftOut):
                left_out.append(made)
            else:
                items.append(replace(made, flags=(*made.flags, *question_flags(made))))
    name = "published-bbq" + (f"-{category.lower()}" if category else "")
    return ItemSet(name, tuple(items), tuple(left_out), about_left_out(left_out), paper="parrish2022")


def published_bbq_predictions(folder: str | Path | None, category: str, column: str) -> dict[str, str]:
    """The answers of one of the authors' models, as text, by the id of the item.

    ``column`` names the model, as in ``"unifiedqa-t5-11b_pred_race"``.
    """
    path = published_file(published_folder(folder, "bbq") / "predictions", f"unifiedqa_{category}.jsonl")
    rows = json_lines(path)
    known = [name for name in rows[0] if "_pred_" in name]
    if column not in known:
        raise CorpusError(f"{path.name} has no column {column!r}; it has {known}")
    return {_id(row): str(row[column]) for row in rows}


def _files(root: Path, category: str | None) -> list[Path]:
    if category is not None:
        return [published_file(root, f"{category}.jsonl")]
    found = sorted([*root.glob("*.jsonl"), *root.glob("*.jsonl.gz")])
    if not found:
        raise DataNotFoundError(f"{root} has no file CATEGORY.jsonl of BBQ; put the published files there")
    return found


def _metadata(root: Path) -> tuple[Targets, dict[tuple[str, str], str]]:
    """The targets of every (category, example_id), and how its people are referred to."""
    name, columns = METADATA
    targets: dict[tuple[str, str], list[str]] = {}
    naming: dict[tuple[str, str], str] = {}
    for row in table_rows(published_file(root, name), columns):
        key = (row["category"], row["example_id"])
        targets.setdefault(key, []).append(row["target_loc"])
        naming[key] = row.get("label_type", "")
    return targets, naming


def _id(row: Mapping[str, Any]) -> str:
    return f"{row['category']}-{row['example_id']}"


def _item(row: Mapping[str, Any], targets: Targets, naming: Mapping[tuple[str, str], str]) -> Question | LeftOut:
    key = (str(row["category"]), str(row["example_id"]))
    rows = targets.get(key, ())
    if len(rows) != 1:
        count = "no row" if not rows else f"{len(rows)} rows"
        return LeftOut(_id(row), f"additional_metadata.csv has {count} for this item")
    if not rows[0].isdigit():
        return LeftOut(_id(row), "additional_metadata.csv has no target for this item")
    unknown = [place for place in range(3) if row["answer_info"][f"ans{place}"][1] == "unknown"]
    if len(unknown) != 1 or int(rows[0]) == unknown[0]:
        return LeftOut(_id(row), "its answers do not have one unknown option besides the target")
    more = row["additional_metadata"]
    labels = {
        "condition": BBQ_CONDITIONS[row["context_condition"]],
        "category": row["category"],
        "polarity": row["question_polarity"],
        "question_index": str(row["question_index"]),
        "version": str(more.get("version", "")),
        "subcategory": str(more.get("subcategory", "")),
        "names": naming[key],
    }
    return Question(
        id=_id(row),
        cluster=f"{row['category']}-{row['question_index']}",
        context=row["context"],
        question=row["question"],
        options=(row["ans0"], row["ans1"], row["ans2"]),
        unknown=unknown[0],
        correct=int(row["label"]),
        biased=int(rows[0]),
        labels=labels,
    )
