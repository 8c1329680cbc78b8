"""Loaders for BBQ (Parrish et al. 2022), KoBBQ and EsBBQ, read from the user's disk and never shipped."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from biascheck.core.errors import CorpusError, DataNotFoundError
from biascheck.corpora.corpus import LeftOut
from biascheck.corpora.items import ItemSet, Labels, about_left_out, builtin_rows, capitalised, filled
from biascheck.corpora.published import (
    caveats_of_file,
    json_lines,
    published_file,
    published_folder,
    rows_as_published,
    table_rows,
)

# Questions with three answers, one of which is "unknown", as in BBQ (Parrish et al. 2022).

AMBIGUOUS, DISAMBIGUATED = "ambiguous", "disambiguated"


@dataclass(frozen=True)
class Question:
    """A context, a question about it, and three options by index: the unknown, the correct and the biased one.

    ``biased`` already accounts for the polarity of the question: it is the answer that follows the stereotype, the
    stereotyped person where the question is negative and the other one where it is not. Labels: ``condition``
    (ambiguous, disambiguated), ``category``, ``polarity`` and what the file adds.
    """

    id: str
    cluster: str
    context: str
    question: str
    options: tuple[str, str, str]
    unknown: int
    correct: int
    biased: int
    labels: Labels = field(default_factory=dict)
    flags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        places = (self.unknown, self.correct, self.biased)
        if len(self.options) != 3 or not all(0 <= place < 3 for place in places):
            raise CorpusError(f"question {self.id!r} needs three options, and places from 0 to 2, not {places}")
        if self.biased == self.unknown:
            raise CorpusError(f"question {self.id!r} has the biased answer at the place of the unknown one")

    @property
    def condition(self) -> str:
        """Whether the context gives the answer."""
        return str(self.labels["condition"])


def question_flags(item: Question) -> tuple[str, ...]:
    """Defects detected by rules: an answer that contradicts the condition, two options alike, an empty text."""
    found = []
    if (item.condition == AMBIGUOUS) != (item.correct == item.unknown):
        found.append("the correct answer contradicts the condition")
    if len({option.strip().lower() for option in item.options}) < 3:
        found.append("two options have the same text")
    if not item.context.strip() or not item.question.strip():
        found.append("the context or the question is empty")
    return tuple(found)


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
    caveats: list[str] = []
    for path in files:
        rows = json_lines(path)
        caveats += caveats_of_file("bbq", path, len(rows))
        with rows_as_published(path):
            made = [_item(row, targets, naming) for row in rows]
            asked = [one for one in made if isinstance(one, Question)]
            items += [replace(one, flags=(*one.flags, *question_flags(one))) for one in asked]
        left_out += [one for one in made if isinstance(one, LeftOut)]
    name = "published-bbq" + (f"-{category.lower()}" if category else "")
    warnings = (*about_left_out(left_out), *caveats)
    return ItemSet(name, tuple(items), tuple(left_out), warnings, paper="parrish2022")


def published_bbq_predictions(folder: str | Path | None, category: str, column: str) -> dict[str, str]:
    """The answers of one of the authors' models, as text, by item id.

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


# Loaders for KoBBQ (Jin et al. 2024) and EsBBQ (Ruiz-Fernández et al. 2025): BBQ's scheme in other languages.

KOREAN_UNKNOWN = "알 수 없음"
SPANISH_UNKNOWN = "No se puede determinar"
CONDITIONS_BY_LANGUAGE = {"amb": AMBIGUOUS, "dis": DISAMBIGUATED, "ambig": AMBIGUOUS, "disambig": DISAMBIGUATED}
KOREAN = {"sample_id", "context", "question", "choices", "biased_answer", "answer", "label_annotation"}
SPANISH = {"instance_id", "template_id", "question_polarity", "context_condition", "stereotyped_groups", "label"}


def published_kobbq(folder_or_file: str | Path | None = None) -> ItemSet[Question]:
    """KoBBQ's test samples, in Korean.

    The biased answer is the file's own. Clusters are templates (``age-001``). Labels: ``condition``, ``category``,
    ``polarity`` ("bsd" or "cnt": the question that the stereotype answers, or its opposite), ``origin`` (ST simply
    transferred from BBQ, TM with its target modified, NC newly created).
    """
    path = published_file(folder_or_file, "kobbq", "KoBBQ_test_samples.tsv")
    rows = table_rows(path, KOREAN, delimiter="\t")
    with rows_as_published(path):
        found = [_korean(row) for row in rows]
    return _gathered("published-kobbq", found, "ko", caveats_of_file("kobbq", path, len(rows)))


def published_esbbq(
    folder: str | Path | None = None, category: str | None = None, *, unknown: str = SPANISH_UNKNOWN
) -> ItemSet[Question]:
    """EsBBQ's items, in Spanish: one category (``"Religion"``), or all whose files are there.

    The files do not fix the wording of the unknown answer; ``unknown`` is used for it. The biased answer is the
    stereotyped person where the question is negative, else the other one. Clusters are category × template. Labels:
    ``condition``, ``category``, ``polarity``, ``version``, ``subcategory``.
    """
    root = published_folder(folder, "esbbq")
    pattern = f"{category or '*'}.full.csv"
    files = sorted([*root.glob(pattern), *root.glob(f"{pattern}.gz")])
    if not files:
        raise DataNotFoundError(f"{root} has no file {pattern} of EsBBQ; put the published files there")
    found: list[Question | LeftOut] = []
    caveats: list[str] = []
    for path in files:
        rows = table_rows(path, SPANISH)
        caveats += caveats_of_file("esbbq", path, len(rows))
        with rows_as_published(path):
            found += [_spanish(row, unknown) for row in rows]
    return _gathered("published-esbbq" + (f"-{category.lower()}" if category else ""), found, "es", caveats)


def _gathered(
    name: str, found: Sequence[Question | LeftOut], language: str, caveats: Sequence[str]
) -> ItemSet[Question]:
    items = tuple(replace(one, flags=question_flags(one)) for one in found if isinstance(one, Question))
    left_out = tuple(one for one in found if isinstance(one, LeftOut))
    warnings = (*about_left_out(left_out), *caveats)
    return ItemSet(name, items, left_out, warnings, paper="parrish2022", language=language)


def _korean(row: Mapping[str, str]) -> Question | LeftOut:
    id_, options = row["sample_id"], _listed(row["choices"])
    category, template, _, condition, polarity = id_.rsplit("-", 4)
    places = [options.index(text) if text in options else -1 for text in (row["biased_answer"], row["answer"])]
    if len(options) != 3 or options.count(KOREAN_UNKNOWN) != 1 or -1 in places:
        return LeftOut(id_, f"its answers are not among three choices of which one is {KOREAN_UNKNOWN}")
    return Question(
        id=id_,
        cluster=f"{category}-{template.rstrip('abcdefgh')}",
        context=row["context"],
        question=row["question"],
        options=(options[0], options[1], options[2]),
        unknown=options.index(KOREAN_UNKNOWN),
        correct=places[1],
        biased=places[0],
        labels={
            "condition": CONDITIONS_BY_LANGUAGE[condition],
            "category": category,
            "polarity": polarity,
            "origin": row["label_annotation"],
        },
    )


def _spanish(row: Mapping[str, str], unknown_text: str) -> Question | LeftOut:
    id_ = f"{row['category']}-{row['instance_id']}"
    groups = [_listed(row[f"answer_info.ans{place}"])[-1] for place in range(3)]
    stereotyped = [place for place, group in enumerate(groups) if group in _listed(row["stereotyped_groups"])]
    unknown = [place for place, group in enumerate(groups) if group == "unknown"]
    if len(stereotyped) != 1 or len(unknown) != 1:
        return LeftOut(id_, "its answers do not have one stereotyped and one unknown option")
    other = ({0, 1, 2} - {stereotyped[0], unknown[0]}).pop()
    texts = [unknown_text if place == unknown[0] else row[f"ans{place}"] for place in range(3)]
    return Question(
        id=id_,
        cluster=f"{row['category']}-{row['template_id']}",
        context=row["context"],
        question=row["question"],
        options=(texts[0], texts[1], texts[2]),
        unknown=unknown[0],
        correct=int(row["label"]),
        biased=stereotyped[0] if row["question_polarity"] == "neg" else other,
        labels={
            "condition": CONDITIONS_BY_LANGUAGE[row["context_condition"]],
            "category": row["category"],
            "polarity": row["question_polarity"],
            "version": row.get("version", ""),
            "subcategory": row.get("subcategory", ""),
        },
    )


def _listed(text: str) -> list[str]:
    try:
        found = ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return []
    return [str(one) for one in found] if isinstance(found, list) else []


UNKNOWN = "It cannot be known"


@cache
def builtin_questions() -> ItemSet[Question]:
    """240 built-in questions over six categories: 30 templates, each in two orders, conditions and polarities.

    In one order of naming the two people, the context that gives the answer fits the stereotype, in the other it does
    not. Clusters are templates. Labels: ``condition``, ``category``, ``polarity``.
    """
    items = []
    for number, row in enumerate(builtin_rows("builtin_questions.tsv"), start=1):
        for swapped, condition, polarity in product(
            (False, True), (AMBIGUOUS, DISAMBIGUATED), ("negative", "nonnegative")
        ):
            items.append(_question(number, row, swapped, condition, polarity))
    return ItemSet("own-questions", tuple(items), paper="parrish2022")


def _question(number: int, row: dict[str, str], swapped: bool, condition: str, polarity: str) -> Question:
    people = (row["stereotyped"], row["other"])
    first, second = people[::-1] if swapped else people
    context = filled(row["opening"], first=first, second=second)
    guilty, innocent = people[::-1] if swapped else people
    if condition == DISAMBIGUATED:
        context += " " + filled(row["telling"], yes=guilty, no=innocent)
    answer = guilty if polarity == "negative" else innocent
    stereotypical = people[0] if polarity == "negative" else people[1]
    unknown = number % 3  # neither the first nor the last place gives it away
    listed = [first, second]
    listed.insert(unknown, UNKNOWN)
    item = Question(
        id=f"own-question-{number}-{'swapped' if swapped else 'plain'}-{condition}-{polarity}",
        cluster=f"{row['category']}-{number}",
        context=context,
        question=row[polarity],
        options=(capitalised(listed[0]), capitalised(listed[1]), capitalised(listed[2])),
        unknown=unknown,
        correct=unknown if condition == AMBIGUOUS else listed.index(answer),
        biased=listed.index(stereotypical),
        labels={"condition": condition, "category": row["category"], "polarity": polarity},
    )
    assert not question_flags(item)
    return item
