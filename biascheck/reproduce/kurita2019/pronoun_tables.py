"""Tables 4 and 6 and section 4: whom pronouns mean, and the topics of their texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from biascheck.corpora import Gap, published_gap
from biascheck.measures import gap_resolution, neither_gap, neither_gap_beyond_labels, topic_correlation
from biascheck.reproduce.cells import Absent, Bars, BarSeries, DrawnFigure, Measured, Shown, Value
from biascheck.reproduce.paper import Work
from biascheck.reproduce.setting import Setting
from biascheck.results.attachments import Table
from biascheck.results.result import Result
from biascheck.results.summaries import summarise

__all__ = ["gap_work", "section_4", "table_4", "table_6"]

KURITA_GENDERS = ("male", "female")


def table_4(setting: Setting) -> Iterator[Shown]:
    """How probable "neither" is for the pronouns of each gender, by a probe on frozen states."""
    gap = setting.tried(_development, setting)
    resolved = setting.tried(gap_resolution, setting.model, gap, seed=setting.seed)
    neither = setting.tried(neither_gap, resolved)
    shown: dict[str, list[Measured]] = {"prior": [], "predicted": []}
    for gender in KURITA_GENDERS:
        for column, read, source in (("prior", _share, gap), ("predicted", _mean_neither, neither)):
            found = setting.tried(read, source, gender)
            shown[column].append(found)
            title = {"prior": "prior prob. (share of the labels)", "predicted": "avg. predicted prob."}[column]
            yield setting.cell(gender, title, ours=found, published=f"kurita2019.gap.share.{gender}.{column}")
    yield setting.cell("male − female", "avg. predicted prob.", ours=neither, published="kurita2019.gap.neither")
    p_value = setting.tried(lambda result: result.p, neither)
    yield setting.cell("male − female", "p of the permutation test", ours=p_value, published="kurita2019.gap.p")
    beyond = setting.tried(neither_gap_beyond_labels, resolved)
    yield setting.cell("male − female", "beyond what the labels explain", ours=beyond, note="not in the paper")
    if not any(isinstance(one, Absent) for values in shown.values() for one in values):
        series = tuple(BarSeries(f"P(neither), {column}", _numbers(values)) for column, values in shown.items())
        yield DrawnFigure(
            title="Table 4: probability that a pronoun means neither name",
            content=Bars(places=tuple(f"{gender} pronouns" for gender in KURITA_GENDERS), series=series),
        )


def section_4(setting: Setting) -> Iterator[Shown]:
    """Whether a female pronoun goes unresolved where the topic of the text leans to men."""
    found = _topics(setting)
    yield setting.cell("Spearman's ρ", ours=found, published="kurita2019.gap.topics", note="over female pronouns")


def table_6(setting: Setting) -> Iterator[Shown]:
    """The topics of the texts by their heaviest words, and how far each leans."""
    found = _topics(setting)
    if isinstance(found, Absent):
        yield setting.cell("topics", ours=found)
        return
    table = next(one for one in found.attachments if isinstance(one, Table))
    for number, words, lean in table.rows:
        yield setting.cell(f"topic {number}: {words}", "lean (positive: men)", ours=float(lean or 0.0))


def gap_work(setting: Setting) -> Work:
    """The texts of the development part, each read once."""
    return Work(read=setting.scaled(2_000, least=200), tokens=110)


def _development(setting: Setting) -> Gap:
    gap = published_gap(setting.folder("gap"), parts=("development",))
    return replace(gap, items=setting.sample(gap.items, least=200))


def _topics(setting: Setting) -> Any:
    gap = setting.tried(_development, setting)
    return setting.tried(topic_correlation, setting.model, gap, seed=setting.seed)


def _share(gap: Gap, gender: str) -> Value:
    labels = [item.referent == "neither" for item in gap if item.gender == gender]
    return Value(sum(labels) / len(labels), n=len(labels))


def _mean_neither(neither: Result, gender: str) -> Value:
    items = tuple(item for item in neither.items if item.labels["gender"] == gender)
    found = summarise(replace(neither, statistic="mean", items=items))
    return Value(found.estimate, found.interval, n=found.n)


def _numbers(values: list[Measured]) -> tuple[float, ...]:
    return tuple(value.estimate for value in values if isinstance(value, Value))
