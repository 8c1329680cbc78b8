"""The figures of the papers beside the measured ones, with their errata."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from biascheck.gates.gate import Gate
from biascheck.report.charts.intervals import interval_chart, interval_scale
from biascheck.report.charts.scales import Scale
from biascheck.results.published_figures import PublishedFigure
from biascheck.wording import citation, published_number, published_text

__all__ = ["BesidePublished", "Citation", "beside_published", "cited"]


@dataclass(frozen=True)
class Citation:
    """Published figures as a table shows them: the numbers, where they are printed, and their errata."""

    numbers: str
    single: bool
    source: str
    erratum: str


@dataclass(frozen=True)
class BesidePublished:
    """A measured figure with its interval, and the published one."""

    measure: str
    corpus: str
    model: str
    estimate: str
    interval: str
    published: Citation
    chart: Markup


def cited(figures: Sequence[PublishedFigure]) -> Citation:
    """Figures in the words of a table."""
    return Citation(
        numbers=", ".join(map(published_number, figures)),
        single=len(figures) == 1,
        source=_distinct(map(citation, figures)),
        erratum=_distinct(one.erratum for one in figures),
    )


def _distinct(texts: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(filter(None, texts)))


def beside_published(gates: Sequence[Gate]) -> tuple[BesidePublished, ...]:
    """All gates that have a published figure; those of one measure share a scale."""
    known = [gate for gate in gates if gate.published]
    rows: list[BesidePublished] = []
    for measure in dict.fromkeys(gate.measure for gate in known):
        members = [gate for gate in known if gate.measure == measure]
        scale = interval_scale([value for gate in members for value in _values(gate)])
        rows.extend(_row(gate, scale) for gate in members)
    return tuple(rows)


def _values(gate: Gate) -> list[float]:
    ends = [] if gate.interval is None else [gate.interval.low, gate.interval.high]
    return [gate.estimate, gate.parity, *ends, *(paper.value for paper in gate.published)]


def _row(gate: Gate, scale: Scale) -> BesidePublished:
    return BesidePublished(
        measure=gate.measure,
        corpus=gate.corpus,
        model=gate.model_label,
        estimate=gate.estimate_text,
        interval=gate.interval_text,
        published=cited(gate.published),
        chart=interval_chart(
            scale,
            estimate=gate.estimate,
            interval=gate.interval,
            parity=gate.parity,
            region=None,
            label=f"measured {gate.measured}, published {published_text(gate.published)}",
            published=tuple(paper.value for paper in gate.published),
        ),
    )
