"""Loaders for KoBBQ (Jin et al. 2024) and EsBBQ (Ruiz-Fernández et al. 2025): BBQ's scheme in other languages."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from biascheck.corpora.datasets.benchmarks.item_set import ItemSet, about_left_out
from biascheck.corpora.datasets.benchmarks.published_text import published_file, published_folder, table_rows
from biascheck.corpora.datasets.benchmarks.questions import AMBIGUOUS, DISAMBIGUATED, Question, question_flags
from biascheck.corpora.loaded import LeftOut
from biascheck.errors import DataNotFoundError

__all__ = ["published_esbbq", "published_kobbq"]

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
    found = [_korean(row) for row in table_rows(path, KOREAN, delimiter="\t")]
    return _gathered("published-kobbq", found, "ko")


def published_esbbq(
    folder: str | Path | None = None, category: str | None = None, *, unknown: str = SPANISH_UNKNOWN
) -> ItemSet[Question]:
    """EsBBQ's items, in Spanish: one category (``"Religion"``), or all whose files are there.

    The files leave the wording of the unknown answer open; ``unknown`` is put in its place. The biased answer is the
    stereotyped person where the question is negative, else the other one. Clusters are category × template. Labels:
    ``condition``, ``category``, ``polarity``, ``version``, ``subcategory``.
    """
    root = published_folder(folder, "esbbq")
    pattern = f"{category or '*'}.full.csv"
    files = sorted([*root.glob(pattern), *root.glob(f"{pattern}.gz")])
    if not files:
        raise DataNotFoundError(f"{root} has no file {pattern} of EsBBQ; put the published files there")
    found = [_spanish(row, unknown) for path in files for row in table_rows(path, SPANISH)]
    return _gathered("published-esbbq" + (f"-{category.lower()}" if category else ""), found, "es")


def _gathered(name: str, found: Sequence[Question | LeftOut], language: str) -> ItemSet[Question]:
    items = tuple(replace(one, flags=question_flags(one)) for one in found if isinstance(one, Question))
    left_out = tuple(one for one in found if isinstance(one, LeftOut))
    return ItemSet(name, items, left_out, about_left_out(left_out), paper="parrish2022", language=language)


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
