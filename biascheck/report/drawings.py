"""Drawings of attachments: each becomes a chart or a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import Any, Protocol

from markupsafe import Markup

from biascheck.core.wording import as_printed, citation, format_number, p_text, signed
from biascheck.report.charts import (
    KINDS,
    PlanePoint,
    Series,
    SideBars,
    column_chart,
    plane_chart,
    row_chart,
    two_sided_chart,
)
from biascheck.report.svg import not_drawn
from biascheck.results.attachments import (
    Attachment,
    Correlations,
    Draws,
    ExplainedVariance,
    Facts,
    Groups,
    Histogram,
    MapPoint,
    PersonGroup,
    Point as NamedPoint,
    ProfessionBars,
    Published,
    Scatter,
    Table as AttachedTable,
    TwoSided,
    WordMap,
)
from biascheck.results.result import Result

NAMED_POINTS = 60
TABLE_ROWS = 300


@dataclass(frozen=True)
class TextTable:
    """Rows of text; the first column names the row, those in ``numbers`` are aligned as figures."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: tuple[int, ...] = ()
    hidden: int = 0


@dataclass(frozen=True)
class Legend:
    """A colour with its shape, and what it means."""

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
    table: TextTable | None = None


def drawings_of(result: Result) -> tuple[Drawing, ...]:
    """Draw every attachment that has something to show, in the order of its kind."""
    order = list(DRAWERS)
    shown = sorted((one for one in result.attachments if type(one) in DRAWERS), key=lambda one: order.index(type(one)))
    found = (_attempt(attachment, result) for attachment in shown)
    return tuple(drawing for drawing in found if drawing is not None)


class Contrasted(Protocol):
    """The facts of a result that the drawing of its attachment needs."""

    @property
    def contrast(self) -> tuple[str, str]:
        """The two groups, the first of which a positive score favours."""
        ...


@dataclass(frozen=True)
class _Contrast:
    contrast: tuple[str, str]


def drawing_of(attachment: Attachment, contrast: tuple[str, str]) -> Drawing | None:
    """Draw one attachment without a result; a list of published figures needs one."""
    if isinstance(attachment, Published) or type(attachment) not in DRAWERS:
        return None
    return _attempt(attachment, _Contrast(contrast))


def _attempt(attachment: Attachment, about: Contrasted) -> Drawing | None:
    """Draw an attachment, or an error in its place: one that cannot be drawn must not break the page."""
    try:
        return DRAWERS[type(attachment)](attachment, about)
    except Exception as error:
        kind = str(attachment.__struct_config__.tag)
        key = kind.replace(" ", "_").replace("-", "_")
        return Drawing(key=key, title=kind.capitalize(), chart=not_drawn(kind, error))


def two_sided_drawing(results: Sequence[Result]) -> Drawing | None:
    """The two-sided biases of several results as one figure, each condition once; None if there are fewer than two."""
    attached = [one for result in results for one in result.attachments if isinstance(one, TwoSided)]
    sides = {side.name: side for one in attached for side in one.sides}
    contrasts = {result.contrast for result in results}
    return (
        _attempt(TwoSided(sides=tuple(sides.values())), results[0]) if len(sides) > 1 and len(contrasts) == 1 else None
    )


def facts_of(result: Result) -> dict[str, object]:
    """What was attached to be shown as text."""
    return {name: value for one in result.attachments if isinstance(one, Facts) for name, value in one.facts.items()}


def table_of(columns: Sequence[str], rows: Sequence[Sequence[object]], *, numbers: Sequence[int] = ()) -> TextTable:
    """A table of anything: numbers are written as figures, and a column of nothing else is aligned as such.

    ``numbers`` are further columns to align: those whose numbers are written already.
    """
    found = [
        i
        for i in range(len(columns))
        if i in numbers or (rows and all(_is_number(row[i]) for row in rows if row[i] is not None))
    ]
    shown = tuple(tuple(_cell(cell) for cell in row) for row in rows[:TABLE_ROWS])
    return TextTable(tuple(columns), shown, tuple(found), max(0, len(rows) - TABLE_ROWS))


def _explained_variance(attached: ExplainedVariance, _: object) -> Drawing | None:
    pairs, random = attached.pairs, attached.random
    if not pairs:
        return None
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
        note="A tall first bar means that the pairs differ along a single direction; random words do not.",
        table=table_of(["component", *(s.name for s in series)], rows),
    )


def _map(attached: WordMap, result: Contrasted) -> Drawing | None:
    if not attached.points:
        return None
    # the first group of the contrast has the same colour in every chart
    present = dict.fromkeys(point.group for point in attached.points)
    groups = sorted(present, key=lambda group: group not in result.contrast[:1])
    kinds = {group: KINDS[n % len(KINDS)] for n, group in enumerate(groups)}
    points = [_point(p.word, p, n, kinds[p.group]) for n, p in enumerate(attached.points)]
    rows = [[point.word, point.x, point.y, point.group] for point in attached.points]
    return Drawing(
        key="map",
        title=f"Map of words ({attached.method})" if attached.method else "Map of words",
        chart=plane_chart(points, x_label="", y_label="", label=f"{len(points)} words of {', '.join(groups)} on a map"),
        legend=tuple(Legend(kind, group) for group, kind in kinds.items()),
        note="Near words are alike to the model; the axes have no meaning.",
        table=table_of(["word", "x", "y", "group"], rows),
    )


def _scatter(attached: Scatter, _: object) -> Drawing | None:
    x, y = attached.x, attached.y
    points = [_point(point.name, point, n, "one") for n, point in enumerate(attached.points)]
    if not points:
        return None
    rows = [[point.label, point.x, point.y] for point in points]
    return Drawing(
        key="scatter",
        title=f"{y[:1].upper()}{y[1:]} against {x}",
        chart=plane_chart(points, x_label=f"{x} →", y_label=f"↑ {y}", label=f"{y} against {x}, {len(points)} points"),
        table=table_of(["name", x, y], rows),
    )


def _point(name: str, at: NamedPoint | MapPoint, place: int, kind: str) -> PlanePoint:
    return PlanePoint(name, at.x, at.y, kind, named=place < NAMED_POINTS)


def _draws(attached: Draws, _: object) -> Drawing | None:
    values = attached.values
    if not values:
        return None
    row = [len(values), min(values), fmean(values), max(values)]
    return Drawing(
        key="draws",
        title="Independent draws",
        note="The whole measurement, repeated on newly drawn sentences.",
        table=table_of(["draws", "minimum", "mean", "maximum"], [row]),
    )


def _two_sided(attached: TwoSided, result: Contrasted) -> Drawing | None:
    if not attached.sides:
        return None
    sides = [SideBars(side.name, side.negative, side.positive) for side in attached.sides]
    rows = [
        [side.name, signed(side.negative), signed(side.positive), side.n_negative, side.n_zero, side.n_positive]
        for side in attached.sides
    ]
    first, second = result.contrast
    return Drawing(
        key="two_sided",
        title="Positive and negative biases",
        chart=two_sided_chart(sides, label=f"Two-sided biases of {len(sides)} conditions"),
        legend=(Legend("two", f"mean of scores towards {second}"), Legend("one", f"mean of scores towards {first}")),
        note="A mean near zero can hide large biases in both directions; here they are shown separately.",
        table=table_of(["condition", "negative", "positive", "N < 0", "N = 0", "N > 0"], rows),
    )


def _correlations(attached: Correlations, _: object) -> Drawing:
    rows = [[name, *row] for name, row in zip(attached.names, attached.matrix, strict=True)]
    return Drawing(key="correlations", title="Correlations", table=table_of(["", *attached.names], rows))


def _published(attached: Published, result: Result) -> Drawing | None:
    rows = [[one.name or one.model, as_printed(one.value), citation(one), one.erratum] for one in attached.figures]
    return Drawing(
        key="published",
        title="Published figures",
        note=f"Measured here: {format_number(result.estimate)}. The published figures are about other models.",
        table=table_of(["name", "value", "source", "erratum"], rows, numbers=(1,)),
    )


def _table(attached: AttachedTable, _: object) -> Drawing:
    first = "".join(attached.columns[:1])
    title = attached.title or f"{first[:1].upper()}{first[1:]}" or "Table"
    return Drawing(key="table", title=title, table=table_of(attached.columns, attached.rows))


def _profession_groups(attached: Groups, _: object) -> Drawing | None:
    groups = attached.groups
    if not groups:
        return None
    after = all(group.female_after is not None for group in groups)
    fields = [("male", "one"), ("female", "two")]
    fields += [("male_after", "three"), ("female_after", "four")] if after else []
    series = [
        Series(name.replace("_", ", "), kind, tuple(float(getattr(group, name)) for group in groups))
        for name, kind in fields
    ]
    rows = [
        [group.name, group.pairs, *(getattr(group, name) for name, _ in fields), *_rank_test(group)] for group in groups
    ]
    names = [group.name for group in groups]
    return Drawing(
        key="profession_table",
        title="Mean association by profession group",
        chart=row_chart(names, series, label=f"Mean association of {', '.join(s.name for s in series)} person words"),
        legend=tuple(Legend(s.kind, s.name) for s in series),
        note="Wilcoxon’s signed-rank test over the ordered pairs "
        + ("is on the change from before to after." if after else "is on female − male; V is its positive rank sum."),
        table=table_of(["professions", "pairs", *(s.name for s in series), "V", "z", "p", "r", "direction"], rows),
    )


def _professions(attached: ProfessionBars, _: object) -> Drawing | None:
    bars = attached.bars
    if not bars:
        return None
    after = all(bar.female_after is not None for bar in bars)
    fields = [("male", "one"), ("female", "two")]
    fields += [("male_after", "three"), ("female_after", "four")] if after else []
    series = [
        Series(name.replace("_", ", "), kind, tuple(float(getattr(bar, name)) for bar in bars)) for name, kind in fields
    ]
    label = f"Mean association of {', '.join(s.name for s in series)} person words with {attached.group} professions"
    return Drawing(
        key=f"professions_{attached.group}",
        title=f"Associations with {attached.group} professions",
        chart=row_chart([bar.name for bar in bars], series, label=label),
        legend=tuple(Legend(s.kind, s.name) for s in series),
        note="A bar is the mean association of one gender’s words with a profession, in natural log units; those that "
        "lean most towards male words come first.",
        table=table_of(
            ["profession", *(s.name for s in series)],
            [[bar.name, *(getattr(bar, f) for f, _ in fields)] for bar in bars],
        ),
    )


def _rank_test(group: PersonGroup) -> list[object]:
    return [f"{group.v:,.0f}", group.z, p_text(group.p), group.r, group.direction]


def _histogram(attached: Histogram, _: object) -> Drawing:
    bins = [f"{low:g} to {high:g}" for low, high in pairwise(attached.edges)]
    total, top = sum(attached.counts), max(range(len(bins)), key=attached.counts.__getitem__)
    label = f"{total:,} {attached.unit} by {attached.x}: most, {attached.counts[top]:,}, from {bins[top]}"
    places = [f"{edge:g}" for edge in attached.edges[:-1]]
    return Drawing(
        key="histogram",
        title=f"{attached.x[:1].upper()}{attached.x[1:]}",
        chart=column_chart(places, [Series(attached.unit, "one", tuple(map(float, attached.counts)))], label=label),
        note=" ".join(filter(None, ("A bar begins at the number below it.", attached.note))),
        table=table_of([attached.x, attached.unit], list(zip(bins, attached.counts, strict=True))),
    )


DRAWERS: Mapping[type[Attachment], Callable[[Any, Any], Drawing | None]] = {
    Groups: _profession_groups,
    ProfessionBars: _professions,
    Histogram: _histogram,
    ExplainedVariance: _explained_variance,
    WordMap: _map,
    Scatter: _scatter,
    TwoSided: _two_sided,
    Correlations: _correlations,
    AttachedTable: _table,
    Draws: _draws,
    Published: _published,
}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return format_number(value)
    return f"{value:,}".replace("-", "−") if _is_number(value) else str(value)
