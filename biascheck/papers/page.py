"""The page of a reproduction: every table and figure of the paper, or a whole grid, one file that needs no network."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from string import ascii_lowercase
from typing import Literal, get_args

import msgspec

from biascheck.core.errors import ResultError, UsageError
from biascheck.core.files import write_atomically
from biascheck.core.release import __version__, suites_home
from biascheck.core.wording import (
    as_printed,
    citation,
    format_number,
    interval_text,
    level_text,
    p_text,
    pluralize,
    shortened,
)
from biascheck.papers.grid import FAMILY, GridRow
from biascheck.papers.grid_results import answers, beside_paper, overview
from biascheck.papers.jentzsch2022 import PAPER
from biascheck.papers.paper import Absent, Bars, Cell, DrawnFigure, Measured, Value
from biascheck.report.charts import KINDS, Series, column_chart, row_chart
from biascheck.report.drawings import Drawing, Legend, drawing_of, table_of
from biascheck.report.html import render
from biascheck.results.attachments import AnyAttachment, Correlations, Facts, Table
from biascheck.results.published import PublishedFigures

# The finished tables of a reproduction, in one JSON file that the page is made from.

REPRODUCTION_FORMAT = "biascheck reproduction 1"
ReproductionState = Literal["reproduced", "not applicable", "missing"]


class FinishedTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table or figure that was run. ``digest`` is of everything it depends on: with another one it is run again."""

    name: str
    title: str
    about: str
    digest: str
    scale: float
    cells: tuple[Cell, ...]
    drawings: tuple[DrawnFigure, ...] = ()
    seconds: float = 0.0

    @property
    def state(self) -> ReproductionState:
        """Reproduced where it has any figure of this model; not applicable where that is the reason of all cells."""
        if self.drawings or any(cell.measured for cell in self.cells):
            return "reproduced"
        reasons = [found.why for cell in self.cells for found in _absences(cell)]
        return "not applicable" if reasons and set(reasons) == {"not applicable"} else "missing"

    @property
    def reasons(self) -> tuple[str, ...]:
        """Every reason for which a cell has no figure, once."""
        return tuple(dict.fromkeys(found.reason for cell in self.cells for found in _absences(cell)))


class Reproduction(msgspec.Struct, frozen=True, kw_only=True):
    """The finished tables of one paper on one model at one scale."""

    paper: str
    title: str
    link: str
    model: str
    fingerprint: str
    scale: float
    seed: int
    version: str
    about: str = ""
    planned: tuple[str, ...] = ()
    tables: tuple[FinishedTable, ...] = ()
    format: str = REPRODUCTION_FORMAT

    @property
    def question(self) -> tuple[object, ...]:
        """The settings that all tables of a page share."""
        return self.paper, self.fingerprint, self.scale, self.seed

    def with_table(self, finished: FinishedTable) -> Reproduction:
        """With one more table, in the order of the paper; it takes the place of an earlier one of that name."""
        kept = {table.name: table for table in self.tables} | {finished.name: finished}
        ordered = [name for name in self.planned if name in kept] + [name for name in kept if name not in self.planned]
        return msgspec.structs.replace(self, tables=tuple(kept[name] for name in ordered))

    def count(self, state: ReproductionState) -> int:
        """How many tables and figures are in that state."""
        return sum(table.state == state for table in self.tables)

    @property
    def counts(self) -> str:
        """How many tables and figures are in each state, in words."""
        return ", ".join(f"{self.count(state)} {state}" for state in get_args(ReproductionState))

    @property
    def not_run(self) -> tuple[str, ...]:
        """Tables of the paper that have not been run."""
        have = {table.name for table in self.tables}
        return tuple(name for name in self.planned if name not in have)


def write_reproduction(path: Path, found: Reproduction) -> None:
    """Write the file, whole or not at all."""
    write_atomically(path, msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")


def read_reproduction(path: Path) -> Reproduction | None:
    """The file of an earlier call, or ``None`` where there is none. One of another kind is never overwritten."""
    if not path.exists():
        return None
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Reproduction)
    except (OSError, msgspec.MsgspecError, UsageError) as error:
        raise ResultError(f"{path} is not a file of a reproduction ({error}); name another place with --out") from error
    if found.format != REPRODUCTION_FORMAT:
        raise ResultError(
            f"{path} has the format {found.format!r}, not {REPRODUCTION_FORMAT!r}; name another place with --out"
        )
    return found


def _absences(cell: Cell) -> Sequence[Absent]:
    found = (cell.ours, cell.as_published)
    return [one for one in found if isinstance(one, Absent)]


# The page of a reproduction: every table and figure of the paper, one file that needs neither network nor
# script.

DECIMALS = 3
SMALL = 0.02
"""Below this a figure is shown with one decimal more."""
TITLE_LENGTH = 80
SHARED = 3


@dataclass(frozen=True)
class CellNote:
    """A line of notes on a cell, with an optional heading."""

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
    """The source of the printed figure, its erratum, the reason for a missing figure, and cautions."""
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
    """The reasons for missing figures; a common one is given once."""
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


# The page of a whole grid of Jentzsch & Turan (2022): several base models, in the sections of the paper.

BIASES, QUALITY, CORRELATIONS, SECTION_QUESTIONS = "tables 1, 3 and 4", "tables 5 and 6", "table 2", "section 3"
TITLES = {
    BIASES: "Biases of all classifiers, beside the printed ones",
    CORRELATIONS: "Correlations over these classifiers",
    QUALITY: "Test accuracy; recall, precision and F1 of the negative class",
    SECTION_QUESTIONS: "The research questions: differences of absolute bias, paired over reviews",
}


def write_grid_page(
    path: Path, rows: Sequence[GridRow], *, layers: Mapping[str, float] | None = None, scale: float = 1.0, seed: int = 0
) -> None:
    """Write the page of these rows; ``layers`` put the models of a family in order."""
    whole = overview(rows, correction="bonferroni", family=max(FAMILY, len(rows)), seed=seed)
    printed = beside_paper(rows, PublishedFigures.read(suites_home() / "published.toml"))
    found = answers(rows, sizes=layers, seed=seed)
    shown = [(_grid_section(one), one) for one in (*whole.attachments, *printed)]
    shown += [(SECTION_QUESTIONS, one) for result in found for one in result.attachments]
    write_reproduction_page(path, _grid_page(rows, list(_tables(shown, scale)), scale, seed))


def _grid_section(one: AnyAttachment) -> str:
    if isinstance(one, Correlations) or "p (Holm)" in getattr(one, "columns", ()):
        return CORRELATIONS
    return QUALITY if isinstance(one, Table) and "recall" in one.columns else BIASES


def _tables(shown: Sequence[tuple[str, AnyAttachment]], scale: float) -> Iterator[FinishedTable]:
    for name, title in TITLES.items():
        drawings = tuple(
            DrawnFigure(title=getattr(one, "title", "") or title, content=one)
            for section, one in shown
            if section == name and not isinstance(one, Facts)
        )
        if drawings:
            yield FinishedTable(name=name, title=title, about="", digest="", scale=scale, cells=(), drawings=drawings)


def _grid_page(rows: Sequence[GridRow], tables: Sequence[FinishedTable], scale: float, seed: int) -> Reproduction:
    models = ", ".join(dict.fromkeys(row.cell.model for row in rows))
    return Reproduction(
        paper=PAPER.name,
        title=PAPER.title,
        link=PAPER.link,
        model=models,
        fingerprint="",
        scale=scale,
        seed=seed,
        version=__version__,
        about=f"{len(rows)} classifiers of {models}, on {len(rows[0].ids):,} reviews. {PAPER.about}",
        planned=tuple(table.name for table in tables),
        tables=tuple(tables),
    )
