"""Table 5: the share of titles, traits and skills that lean to men."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from biascheck import stats
from biascheck.corpora import Corpus, published_employment
from biascheck.measures import positive_share
from biascheck.measures.effect_size import pooled_rows
from biascheck.reproduce.cells import Shown, Value
from biascheck.reproduce.setting import Setting
from biascheck.results.summaries import LEVEL

__all__ = ["table_5"]

LISTS: dict[str, tuple[str, dict[str, Any], str]] = {
    "Salary": (
        "titles",
        {"best_paid": None},
        "all different titles of the file; the paper has 921 of them",
    ),
    "Salary, 1,000 best-paid rows": ("titles", {}, "the list that the text describes; the paper has no figure for it"),
    "Pos-Traits": ("positive_traits", {}, ""),
    "Neg-Traits": ("negative_traits", {}, "each once; the paper's figure counts two twice"),
    "Skills": ("onet_skills", {}, "“can do”; O*NET's Technology Skills.txt goes to onet/ in the data folder"),
    "Skills, the authors' file": ("skills", {}, "“is good at”; 25 skills of LinkedIn"),
}


def table_5(setting: Setting) -> Iterator[Shown]:
    """The share of titles, traits and skills that lean to men."""
    for row, (kind, options, note) in LISTS.items():
        loaded = setting.tried(published_employment, kind, setting.tried(_data, setting), **options)
        corpus = setting.tried(lambda found: setting.part_of(found.corpus, least=20), loaded)
        comparable = kind != "titles" or bool(options)
        yield setting.cell(
            row,
            ours=setting.tried(positive_share, setting.model, corpus, seed=setting.seed),
            as_published=setting.tried(_share_as_coded, setting, corpus),
            published=f"kurita2019.{kind}" if comparable else "",
            note=note,
        )


def _data(setting: Setting) -> Any:
    return setting.folder(".")


def _share_as_coded(setting: Setting, corpus: Corpus) -> Value:
    """The share with the prior read where the authors' code reads it: at the word left of the attribute."""
    rows, _ = pooled_rows(setting.model, corpus)
    share = sum(row.score > 0 for row in rows) / len(rows)
    return Value(share, stats.wilson_interval(share, len(rows), level=LEVEL), n=len(rows))
