"""The sections of the report: one for each paper, with its figures, its measures, and their results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from biascheck.gates.gate import Gate
from biascheck.report.bounds import Bounds
from biascheck.report.charts.drawings import Drawing
from biascheck.report.limits import Limits, limits_of
from biascheck.report.sections.beside_published import BesidePublished, beside_published
from biascheck.report.sections.paper_figures import paper_figures
from biascheck.report.sections.papers import OWN, PAPERS, Paper
from biascheck.report.sections.result_sections import Placed, ResultSection, result_section

__all__ = ["MeasureSection", "PaperSection", "paper_sections"]

MOST_FIGURES = 16


@dataclass(frozen=True)
class MeasureSection:
    """A measure with its limits, and all its results."""

    measure: str
    limits: Limits
    results: tuple[ResultSection, ...]


@dataclass(frozen=True)
class PaperSection:
    """A paper: its question, its figures, its published numbers beside the measured ones, its measures."""

    anchor: str
    paper: Paper
    published: tuple[BesidePublished, ...]
    drawings: tuple[Drawing, ...]
    drawings_hidden: int
    measures: tuple[MeasureSection, ...]
    several_models: bool


def paper_sections(
    placed: Sequence[tuple[Paper, Placed]], gates: Sequence[tuple[Paper, Gate]]
) -> tuple[PaperSection, ...]:
    """Lay out all results, in the order of the papers."""
    bounds = Bounds.of(len(placed))
    sections = []
    for paper in (*PAPERS, OWN):
        members = [entry for of, entry in placed if of is paper]
        if members:
            judged = [gate for of, gate in gates if of is paper]
            sections.append(_section(paper, members, judged, bounds))
    return tuple(sections)


def _section(paper: Paper, members: Sequence[Placed], gates: Sequence[Gate], bounds: Bounds) -> PaperSection:
    drawings = paper_figures([entry.result for entry in members])
    measures: dict[str, list[ResultSection]] = {}
    for entry in members:
        # skew and skew-O are one measure, without and with online mitigation
        measures.setdefault(entry.result.measure.removesuffix("-O"), []).append(result_section(entry, bounds))
    return PaperSection(
        anchor=f"paper-{paper.key}",
        paper=paper,
        published=beside_published(gates),
        drawings=drawings[:MOST_FIGURES],
        drawings_hidden=len(drawings[MOST_FIGURES:]),
        measures=tuple(MeasureSection(name, limits_of(name), tuple(found)) for name, found in measures.items()),
        several_models=len({entry.result.model_label for entry in members}) > 1,
    )
