"""The sections of the report: one for each paper, with its figures, its measures, and their results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from biascheck.gates.gate import Gate
from biascheck.report.bounds import Bounds
from biascheck.report.charts.drawings import Drawing, TextTable
from biascheck.report.sections.beside_published import BesidePublished, beside_published
from biascheck.report.sections.paper_figures import card_table, paper_figures
from biascheck.report.sections.papers import OWN, PAPERS, CitedPaper
from biascheck.report.sections.result_sections import Placed, ResultSection, result_section
from biascheck.report.sentences import ORDER, direction_in_words, smallest_change_in_words
from biascheck.wording import pluralize, tally

__all__ = ["MeasureSection", "PaperSection", "paper_sections"]

MOST_FIGURES = 16


ABOUT = "A measure of the difference between groups; its documentation defines what one unit means."
PAPER_LIMITS = (
    "The figure is about this corpus and this model as they were measured, and about nothing beyond them.",
    "A mean near parity can hide large gaps in opposite directions: look at the attributes below.",
    "A difference measured on a model says nothing by itself about what an application does with it.",
)
"""What is true of a measure that states no limits."""


@dataclass(frozen=True)
class MeasureSection:
    """A measure in its own words, and all its results."""

    measure: str
    about: str
    unit: str
    direction: str
    smallest_change: str
    limits: tuple[str, ...]
    results: tuple[ResultSection, ...]


@dataclass(frozen=True)
class PaperSection:
    """A paper: its question, its figures, its published numbers beside the measured ones, its measures."""

    anchor: str
    paper: CitedPaper
    published: tuple[BesidePublished, ...]
    drawings: tuple[Drawing, ...]
    drawings_hidden: int
    measures: tuple[MeasureSection, ...]
    several_models: bool
    verdict: str = "none"
    tally: str = ""
    size: str = ""
    card: TextTable | None = None


def paper_sections(
    placed: Sequence[tuple[CitedPaper, Placed]], gates: Sequence[tuple[CitedPaper, Gate]]
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


def _section(paper: CitedPaper, members: Sequence[Placed], gates: Sequence[Gate], bounds: Bounds) -> PaperSection:
    drawings = paper_figures([entry.result for entry in members])
    measures: dict[str, list[Placed]] = {}
    for entry in members:
        measures.setdefault(entry.result.measure, []).append(entry)
    return PaperSection(
        anchor=f"paper-{paper.key}",
        paper=paper,
        published=beside_published(gates),
        drawings=drawings[:MOST_FIGURES],
        drawings_hidden=len(drawings[MOST_FIGURES:]),
        measures=tuple(_measure(name, found, bounds) for name, found in measures.items()),
        several_models=len({entry.result.model_label for entry in members}) > 1,
        verdict=next((str(verdict) for verdict in ORDER if any(gate.verdict is verdict for gate in gates)), "none"),
        tally=tally(gates) if gates else "no gate",
        size=pluralize(len(members), "result"),
        card=card_table([entry.result for entry in members]),
    )


def _measure(name: str, members: Sequence[Placed], bounds: Bounds) -> MeasureSection:
    description = members[0].result.description
    return MeasureSection(
        measure=name,
        about=description.about or ABOUT,
        unit=description.unit,
        direction=direction_in_words(description),
        smallest_change=smallest_change_in_words(description),
        limits=description.limits or PAPER_LIMITS,
        results=tuple(result_section(entry, bounds) for entry in members),
    )
