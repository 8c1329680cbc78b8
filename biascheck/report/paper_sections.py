"""The sections of the report: one for each paper, with its figures, its measures, and their results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from biascheck.gates import Gate
from biascheck.report.bounds import Bounds
from biascheck.report.drawings import Drawing, drawings_of
from biascheck.report.limits import Limits, limits_of
from biascheck.report.overviews import base_of, changes_of, correlations_of, gaps_of, plane_of
from biascheck.report.papers import OWN, PAPERS, Paper
from biascheck.report.published import BesidePublished, beside_published
from biascheck.report.result_sections import Placed, ResultSection, result_section
from biascheck.results import Result

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
    drawings = _drawings(members)
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
        several_models=len({entry.result.model for entry in members}) > 1,
    )


def _drawings(members: Sequence[Placed]) -> tuple[Drawing, ...]:
    """What the results show together, then their details; a detail that several results share is drawn once."""
    results = [entry.result for entry in members]
    models = sorted({result.model for result in results})
    together = [plane] if (plane := plane_of(results)) is not None else []
    if len(models) == 1:
        together += gaps_of(results)
    if len(models) == 2:
        first, second = ([result for result in results if result.model == model] for model in models)
        together += changes_of(first, second, (models[0], models[1]))
    together += correlations_of(results)
    own: dict[Drawing, list[Result]] = {}
    for result in results:
        for drawing in drawings_of(result):
            own.setdefault(drawing, []).append(result)
    named = [replace(drawing, title=f"{drawing.title}: {_source(of, models)}") for drawing, of in own.items()]
    return (*together, *sorted(named, key=lambda drawing: drawing.chart is None))


def _source(results: Sequence[Result], models: Sequence[str]) -> str:
    """The result that a figure comes from; of several, what they have in common."""
    corpora = {result.corpus for result in results}
    corpus = results[0].corpus if len(corpora) == 1 else base_of(results[0].corpus)
    measures = " and ".join(dict.fromkeys(result.measure for result in results))
    return f"{measures}, {corpus}{f' on {results[0].model}' if len(models) > 1 else ''}"
