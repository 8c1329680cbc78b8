"""The page of a reproduction: every table and figure of the paper, one file that needs neither network nor script."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from string import ascii_lowercase

from biascheck.files import write_atomically
from biascheck.report.charts.columns import Series, column_chart, row_chart
from biascheck.report.charts.drawings import Drawing, Legend, drawing_of, table_of
from biascheck.report.charts.planes import KINDS
from biascheck.report.rendering import render
from biascheck.reproduce.cells import Absent, Bars, Cell, DrawnFigure, Measured, Value
from biascheck.reproduce.reproduction import FinishedTable, Reproduction
from biascheck.wording import (
    as_printed,
    citation,
    format_number,
    interval_text,
    level_text,
    p_text,
    pluralize,
    shortened,
)

__all__ = ["page_text", "write_reproduction_page"]

DECIMALS = 3
SMALL = 0.02
"""Below this a figure is shown with one decimal more."""
TITLE_LENGTH = 80
SHARED = 3


@dataclass(frozen=True)
class CellNote:
    """A line of what is said about a cell, perhaps with a word before it."""

    text: str
    heading: str = ""


@dataclass(frozen=True)
class CellRow:
    """A cell as the page shows it."""

    row: str
    column: str
    published: str
    as_published: str
    ours: str
    interval: str
    details: str
    lines: tuple[CellNote, ...]


@dataclass(frozen=True)
class Section:
    """A table or figure as the page shows it."""

    anchor: str
    name: str
    title: str
    about: str
    state: str
    with_columns: bool
    rows: tuple[CellRow, ...]
    footnotes: tuple[CellNote, ...]
    drawings: tuple[Drawing, ...]


@dataclass(frozen=True)
class ReproductionPage:
    """Everything the template shows; ``scale`` is empty for a whole reproduction."""

    title: str
    paper: str
    link: str
    about: str
    model: str
    scale: str
    counts: str
    not_run: str
    facts: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]


def write_reproduction_page(path: Path, found: Reproduction) -> None:
    """Write the page, whole or not at all."""
    write_atomically(path, page_text(found))


def page_text(found: Reproduction) -> str:
    """The page as HTML."""
    return render("reproduction.html.j2", page=_page(found))


def _page(found: Reproduction) -> ReproductionPage:
    return ReproductionPage(
        title=shortened(f"{found.paper} on {found.model}", TITLE_LENGTH),
        paper=found.title,
        link=found.link,
        about=found.about,
        model=found.model,
        scale=_scale_text(found.scale),
        counts=f"{pluralize(len(found.tables), 'table or figure', 'tables and figures')}: {found.counts}",
        not_run=", ".join(found.not_run),
        facts=(("seed", str(found.seed)), ("scale", f"{found.scale:g}"), ("biascheck", found.version)),
        sections=tuple(_section(table) for table in found.tables),
    )


def _scale_text(scale: float) -> str:
    return "" if scale == 1 else f"scale {scale:g}"


def _section(table: FinishedTable) -> Section:
    drawn = (_drawing(one, table) for one in table.drawings)
    marks = _marks(table)
    return Section(
        anchor=table.name.replace(" ", "-"),
        name=f"{table.name[:1].upper()}{table.name[1:]}",
        title=table.title,
        about=table.about,
        state=table.state,
        with_columns=any(cell.column for cell in table.cells),
        rows=tuple(_row(cell, marks) for cell in table.cells),
        footnotes=tuple(CellNote(text, f"{mark}:") for text, mark in marks.items()),
        drawings=tuple(drawing for drawing in drawn if drawing is not None),
    )


def _marks(table: FinishedTable) -> dict[str, str]:
    """A letter for each reason that several cells share: it is given once, below the table."""
    counts = Counter(reason for cell in table.cells if (reason := _why(cell)))
    shared = [reason for reason, count in counts.items() if count >= SHARED]
    return dict(zip(shared, ascii_lowercase, strict=False))


def _row(cell: Cell, marks: Mapping[str, str]) -> CellRow:
    shown = cell.ours if isinstance(cell.ours, Value) else cell.as_published
    value = shown if isinstance(shown, Value) else None
    printed_figure = cell.published
    return CellRow(
        row=cell.row,
        column=cell.column,
        published="" if printed_figure is None else as_printed(printed_figure.value),
        as_published=_as_published(cell),
        ours=_number(cell.ours),
        interval="" if value is None else _interval(value),
        details="" if value is None else _details(value),
        lines=tuple(_lines(cell, marks)),
    )


def _as_published(cell: Cell) -> str:
    if cell.as_published is None:
        return "as ours" if isinstance(cell.ours, Value) else "–"
    return _number(cell.as_published)


def _lines(cell: Cell, marks: Mapping[str, str]) -> Iterator[CellNote]:
    """Where the printed figure is from, its erratum, why there is no figure, and what else is to be known."""
    if cell.published is not None:
        yield CellNote(citation(cell.published))
    if cell.published is not None and cell.published.erratum:
        yield CellNote(cell.published.erratum, "Erratum:")
    if reason := _why(cell):
        what = "as published" if isinstance(cell.ours, Value) else "no figure"
        yield CellNote(f"{what}: see {marks[reason]} below" if reason in marks else reason)
    if cell.note:
        yield CellNote(cell.note)


def _number(found: Measured) -> str:
    if not isinstance(found, Value):
        return "–"
    counted = found.whole or (abs(found.estimate) > 1 and float(found.estimate).is_integer())
    return f"{found.estimate:,.0f}" if counted else format_number(found.estimate, _decimals(found))


def _decimals(value: Value) -> int:
    """One more for figures such as 0.0016."""
    return DECIMALS + (abs(value.estimate) < SMALL)


def _interval(value: Value) -> str:
    ends = value.interval
    return "" if ends is None else f"{interval_text(ends, _decimals(value))} at {level_text(ends.level)}"


def _details(value: Value) -> str:
    parts = [f"n = {value.n:,}"] if value.n is not None else []
    parts += [f"p {p}" if (p := p_text(value.p)).startswith("<") else f"p = {p}"] if value.p is not None else []
    return ", ".join(parts)


def _why(cell: Cell) -> str:
    """Why a figure is not there; what is true of both is said once."""
    ours = cell.ours.reason if isinstance(cell.ours, Absent) else ""
    theirs = cell.as_published.reason if isinstance(cell.as_published, Absent) else ""
    if theirs and theirs != ours:
        return " ".join(filter(None, (ours, f"As published: {theirs}")))
    return ours


def _drawing(drawn: DrawnFigure, table: FinishedTable) -> Drawing | None:
    """A drawing under its title, which says the scale."""
    content = drawn.content
    found = _bars(content) if isinstance(content, Bars) else drawing_of(content, drawn.contrast)
    if found is None:
        return None
    title = " · ".join(filter(None, (drawn.title, _scale_text(table.scale))))
    return replace(found, title=title, note=" ".join(filter(None, (drawn.note, found.note))))


def _bars(bars: Bars) -> Drawing:
    series = [Series(one.name, KINDS[n % len(KINDS)], one.values) for n, one in enumerate(bars.series)]
    label = f"{bars.axis or 'Values'} of {', '.join(one.name for one in series)}"
    chart = (column_chart if bars.upright else row_chart)(bars.places, series, label=label)
    rows = [[place, *(one.values[n] for one in series)] for n, place in enumerate(bars.places)]
    return Drawing(
        key="bars",
        title="",
        chart=chart,
        legend=tuple(Legend(one.kind, one.name) for one in series),
        note=bars.axis,
        table=table_of(["", *(one.name for one in series)], rows),
    )
