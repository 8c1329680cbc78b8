"""The page of a whole grid of Jentzsch & Turan (2022): several base models, in the sections of the paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from biascheck.release import __version__, suites_home
from biascheck.reproduce.cells import DrawnFigure
from biascheck.reproduce.jentzsch2022 import PAPER
from biascheck.reproduce.reproduction import FinishedTable, Reproduction
from biascheck.reproduce.reproduction_page import write_reproduction_page
from biascheck.results.attachments import AnyAttachment, Correlations, Facts, Table
from biascheck.results.published_figures import PublishedFigures
from biascheck.studies import GridRow, answers, beside_paper, overview
from biascheck.studies.paper_grid import FAMILY

__all__ = ["write_grid_page"]

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
    shown = [(_section(one), one) for one in (*whole.attachments, *printed)]
    shown += [(SECTION_QUESTIONS, one) for result in found for one in result.attachments]
    write_reproduction_page(path, _page(rows, list(_tables(shown, scale)), scale, seed))


def _section(one: AnyAttachment) -> str:
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


def _page(rows: Sequence[GridRow], tables: Sequence[FinishedTable], scale: float, seed: int) -> Reproduction:
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
