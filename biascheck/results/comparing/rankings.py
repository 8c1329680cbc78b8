"""Whether two models change places between wordings, orders or templates (after Selvam et al. 2023)."""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence

from biascheck import stats
from biascheck.errors import UsageError
from biascheck.results.attachments import Table
from biascheck.results.item_columns import sample_of
from biascheck.results.key import canonical
from biascheck.results.result import Result

__all__ = ["UNSTABLE", "ranking_table", "with_rankings"]

UNSTABLE = "ranking unstable"


def ranking_table(results: Sequence[Result], *, by: str = "wording") -> Table:
    """How far each model lies from parity under every value of a label, and whether the ranking is the same under all.

    The results are of one measure on one corpus, of two models or more. The title of the table says "ranking unstable"
    where two models change places between two values of the label, in either direction; the interval of each result
    covers this if the values are draws (several wordings or orders). Attach it to a result with ``with_attachments``.
    """
    if len(results) < 2 or len({(one.measure, one.corpus, one.slice) for one in results}) > 1:
        raise UsageError("a ranking needs results of two models or more, of one measure on one corpus")
    values = sorted({str(item.labels.get(by, "")) for one in results for item in one.items})
    if len(values) < 2:
        raise UsageError(f"the items have one {by} only, so there is nothing to compare; measure several")
    found = {value: [_distance(one, by, value) for one in results] for value in values}
    orders = {_ranking(distances) for distances in found.values()}
    said = f"{UNSTABLE} between {by}s" if len(orders) > 1 else f"the ranking is the same under every {by}"
    columns = (by, *(one.model_label for one in results), "ranking")
    rows: tuple[tuple[str | int | float | None, ...], ...] = tuple(
        (value, *distances, _text(distances, results)) for value, distances in found.items()
    )
    return Table(columns=columns, rows=rows, title=said)


def with_rankings(results: Sequence[Result]) -> list[Result]:
    """The results; those of several models that were asked in several wordings have their ranking attached.

    Models are compared that were measured alike: the same measure, corpus, part, contrast and options.
    """
    alike: dict[Hashable, list[Result]] = {}
    for one in results:
        alike.setdefault(_measured_alike(one), []).append(one)
    tables = {key: ranking_table(group) for key, group in alike.items() if _can_be_ranked(group)}
    found = [(one, tables.get(_measured_alike(one))) for one in results]
    return [one if table is None else one.with_attachments(table) for one, table in found]


def _measured_alike(one: Result) -> Hashable:
    key = one.key
    asked = {name: value for name, value in json.loads(key.options).items() if name != "framing"}
    return key.measure, key.version, key.statistic, key.corpus, key.slice, key.contrast, canonical(asked)


def _can_be_ranked(group: Sequence[Result]) -> bool:
    first, *others = [{str(item.labels.get("wording", "")) for item in one.items} for one in group]
    several = len(first) > 1 and all(wordings == first for wordings in others)
    return several and len({one.model_label for one in group}) > 1


def _distance(result: Result, by: str, value: str) -> float:
    items = tuple(item for item in result.items if str(item.labels.get(by, "")) == value)
    if not items:
        raise UsageError(f"{result.title}: no item has {by}={value}; measure all models in the same way")
    return abs(stats.estimate(sample_of(items), result.statistic) - result.parity)


def _ranking(distances: Sequence[float]) -> tuple[int, ...]:
    return tuple(sorted(range(len(distances)), key=lambda place: (distances[place], place)))


def _text(distances: Sequence[float], results: Sequence[Result]) -> str:
    return " < ".join(results[place].model_label for place in _ranking(distances))
