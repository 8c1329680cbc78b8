"""What a result keeps in its details, drawn: each known key has a fixed form and becomes a figure or a table.

A detail that is not in its form is no reason to lose a report: it is shown as text with the provenance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from statistics import fmean
from typing import Any, cast

from markupsafe import Markup

from biascheck.report.charts.columns import Series, TwoSided, column_chart, row_chart, two_sided_chart
from biascheck.report.charts.planes import KINDS, Point, plane_chart
from biascheck.results.result import Result
from biascheck.wording import figure, p_text, signed

__all__ = ["Drawing", "Legend", "Table", "drawings_of", "other_details", "table_of", "two_sided_drawing"]

NAMED_POINTS = 60
TABLE_ROWS = 300
Detail = Any
"""A value that came out of JSON."""


@dataclass(frozen=True)
class Table:
    """Rows of text; the first column names the row, those in ``numbers`` are aligned as figures."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: tuple[int, ...] = ()
    hidden: int = 0


@dataclass(frozen=True)
class Legend:
    """A colour with its shape, and what it stands for."""

    kind: str
    name: str


@dataclass(frozen=True)
class Drawing:
    """A figure with its words: title, legend, note, and the same values as a table."""

    key: str
    title: str
    chart: Markup | None = None
    legend: tuple[Legend, ...] = ()
    note: str = ""
    table: Table | None = None


def drawings_of(result: Result) -> tuple[Drawing, ...]:
    """Draw every detail that has a known form."""
    found = (_drawn(key, result) for key in DRAWERS if key in result.details)
    return tuple(drawing for drawing in found if drawing is not None)


def two_sided_drawing(results: Sequence[Result]) -> Drawing | None:
    """The two-sided biases of several results as one figure, each condition once; nothing where there are not two."""
    entries: dict[str, Any] = {}
    for result in results:
        if _drawn("two_sided", result) is not None:
            entries |= {str(entry["name"]): entry for entry in cast("list[Any]", result.details["two_sided"])}
    contrasts = {result.contrast for result in results}
    return _two_sided(list(entries.values()), results[0]) if len(entries) > 1 and len(contrasts) == 1 else None


def other_details(result: Result) -> dict[str, object]:
    """The details that are not drawn."""
    drawn = {drawing.key for drawing in drawings_of(result)}
    return {key: value for key, value in result.details.items() if key not in drawn}


def table_of(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> Table:
    """A table of anything: numbers are written as figures, and a column of nothing else is aligned as such."""
    numbers = [i for i in range(len(columns)) if rows and all(_is_number(row[i]) for row in rows if row[i] is not None)]
    shown = tuple(tuple(_cell(cell) for cell in row) for row in rows[:TABLE_ROWS])
    return Table(tuple(columns), shown, tuple(numbers), max(0, len(rows) - TABLE_ROWS))


def _drawn(key: str, result: Result) -> Drawing | None:
    try:
        return DRAWERS[key](result.details[key], result)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError):
        return None


def _explained_variance(detail: Detail, _: Result) -> Drawing:
    pairs, random = _numbers(detail["pairs"]), _numbers(detail.get("random", []))
    count = max(len(pairs), len(random))
    places = [f"PC{n}" for n in range(1, count + 1)]
    series = [Series("definitional pairs", "one", pairs), *([Series("random words", "two", random)] if random else [])]
    label = f"Share of variance by principal component; PC1 explains {pairs[0]:.0%} of the pairs' differences" + (
        f" and {random[0]:.0%} of random words'" if random else ""
    )
    rows = [[place, *(s.values[n] if n < len(s.values) else None for s in series)] for n, place in enumerate(places)]
    return Drawing(
        key="explained_variance",
        title="Explained variance",
        chart=column_chart(places, series, label=label),
        legend=tuple(Legend(s.kind, s.name) for s in series),
        note="One tall first bar means that the pairs differ along a single direction; random words have none.",
        table=table_of(["component", *(s.name for s in series)], rows),
    )


def _map(detail: Detail, result: Result) -> Drawing:
    # the first group of the contrast has the same colour in every chart
    present = dict.fromkeys(str(entry["group"]) for entry in detail)
    groups = sorted(present, key=lambda group: group not in result.contrast[:1])
    kinds = {group: KINDS[n % len(KINDS)] for n, group in enumerate(groups)}
    points = [_point(e, str(e["word"]), n, kinds[str(e["group"])]) for n, e in enumerate(detail)]
    _require(points)
    rows = [[p.label, p.x, p.y, str(e["group"])] for p, e in zip(points, detail, strict=True)]
    return Drawing(
        key="map",
        title="Map of words",
        chart=plane_chart(points, x_label="", y_label="", label=f"{len(points)} words of {', '.join(groups)} on a map"),
        legend=tuple(Legend(kind, group) for group, kind in kinds.items()),
        note="Near means alike to the model; the axes have no meaning of their own.",
        table=table_of(["word", "x", "y", "group"], rows),
    )


def _scatter(detail: Detail, _: Result) -> Drawing:
    x, y = str(detail["x"]), str(detail["y"])
    points = [_point(entry, str(entry["name"]), n, "one") for n, entry in enumerate(detail["points"])]
    _require(points)
    rows = [[point.label, point.x, point.y] for point in points]
    return Drawing(
        key="scatter",
        title=f"{y[:1].upper()}{y[1:]} against {x}",
        chart=plane_chart(points, x_label=f"{x} →", y_label=f"↑ {y}", label=f"{y} against {x}, {len(points)} points"),
        table=table_of(["name", x, y], rows),
    )


def _point(entry: Mapping[str, Any], name: str, place: int, kind: str) -> Point:
    x, y = _numbers([entry["x"], entry["y"]])
    return Point(name, x, y, kind, named=place < NAMED_POINTS)


def _draws(detail: Detail, _: Result) -> Drawing:
    values = _numbers(detail)
    row = [len(values), min(values), fmean(values), max(values)]
    return Drawing(
        key="draws",
        title="Independent draws",
        note="The whole measurement, repeated on sentences drawn anew.",
        table=table_of(["draws", "minimum", "mean", "maximum"], [row]),
    )


def _two_sided(detail: Detail, result: Result) -> Drawing:
    names = [str(entry["name"]) for entry in detail]
    sides = [TwoSided(name, *_numbers([e["negative"], e["positive"]])) for name, e in zip(names, detail, strict=True)]
    _require(sides)
    counts = [[int(e["n_negative"]), int(e["n_zero"]), int(e["n_positive"])] for e in detail]
    rows = [[s.name, signed(s.negative), signed(s.positive), *c] for s, c in zip(sides, counts, strict=True)]
    first, second = result.contrast
    return Drawing(
        key="two_sided",
        title="Positive and negative biases",
        chart=two_sided_chart(sides, label=f"Two-sided biases of {len(sides)} conditions"),
        legend=(Legend("two", f"mean of scores towards {second}"), Legend("one", f"mean of scores towards {first}")),
        note="A mean near zero can hide large biases on both sides; here they stand apart.",
        table=table_of(["condition", "negative", "positive", "N < 0", "N = 0", "N > 0"], rows),
    )


def _correlations(detail: Detail, _: Result) -> Drawing:
    names = [str(name) for name in detail["names"]]
    rows = [[name, *_numbers(row)] for name, row in zip(names, detail["matrix"], strict=True)]
    return Drawing(key="correlations", title="Correlations", table=table_of(["", *names], rows))


def _published(detail: Detail, result: Result) -> Drawing:
    rows = [[str(e["name"]), *_numbers([e["value"]]), str(e["source"]), str(e.get("erratum", ""))] for e in detail]
    return Drawing(
        key="published",
        title="Published figures",
        note=f"Measured here: {figure(result.estimate)}. The published figures are about other models.",
        table=table_of(["name", "value", "source", "erratum"], rows),
    )


def _table(detail: Detail, _: Result) -> Drawing:
    columns = [str(column) for column in detail["columns"]]
    rows = [list(row) for row in detail["rows"]]
    if any(len(row) != len(columns) for row in rows):
        raise ValueError("a row has more or fewer cells than there are columns")
    return Drawing(key="table", title=columns[0].capitalize() or "Table", table=table_of(columns, rows))


def _profession_table(detail: Detail, _: Result) -> Drawing:
    groups = [str(row["name"]) for row in detail]
    after = all(row.get("female_after") is not None for row in detail)
    fields = [("male", "one"), ("female", "two")]
    fields += [("male_after", "three"), ("female_after", "four")] if after else []
    series = [
        Series(field.replace("_", ", "), kind, _numbers([row[field] for row in detail])) for field, kind in fields
    ]
    _require(groups)
    rows = [
        [row["name"], row["pairs"], *_numbers([row[field] for field, _ in fields]), *_rank_test(row)] for row in detail
    ]
    return Drawing(
        key="profession_table",
        title="Mean association by profession group",
        chart=row_chart(groups, series, label=f"Mean association of {', '.join(s.name for s in series)} person words"),
        legend=tuple(Legend(s.kind, s.name) for s in series),
        note="Wilcoxon’s signed-rank test over the ordered pairs "
        + ("is on the change from before to after." if after else "is on female − male; V is its positive rank sum."),
        table=table_of(["professions", "pairs", *(s.name for s in series), "V", "z", "p", "r", "direction"], rows),
    )


def _rank_test(row: Mapping[str, Any]) -> list[object]:
    test = row["test"]
    return [f"{test['v']:,.0f}", float(test["z"]), p_text(float(test["p"])), float(test["r"]), str(row["direction"])]


DRAWERS: Mapping[str, Callable[[Detail, Result], Drawing]] = {
    "profession_table": _profession_table,
    "explained_variance": _explained_variance,
    "map": _map,
    "scatter": _scatter,
    "two_sided": _two_sided,
    "correlations": _correlations,
    "table": _table,
    "draws": _draws,
    "published": _published,
}


def _numbers(values: Sequence[Any]) -> tuple[float, ...]:
    numbers = tuple(float(value) for value in values)
    if not all(map(isfinite, numbers)) or any(isinstance(value, str) for value in values):
        raise ValueError("not all finite numbers")
    return numbers


def _require(values: Sequence[object]) -> None:
    if not values:
        raise ValueError("nothing to draw")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return figure(value)
    return f"{value:,}".replace("-", "−") if _is_number(value) else str(value)
