"""The figures of the papers, to stand beside the measured ones with their errata."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from biascheck.gates.gate import Gate
from biascheck.report.charts.intervals import interval_chart, interval_scale
from biascheck.report.charts.scales import Scale
from biascheck.report.sentences import interval_text, label_of
from biascheck.stats import Interval
from biascheck.wording import figure

__all__ = ["BesidePublished", "PublishedFigure", "beside_published", "read_published"]

WRITTEN = re.compile(r"(?P<figures>[^(]*) \((?P<source>.*?)(?:; erratum: (?P<erratum>.*))?\)", re.DOTALL)
"""How :class:`biascheck.gates.margins.Published` writes a figure into a gate; a suite may write several."""
FIGURE = re.compile(r"(?P<name>\S.* )?(?P<number>[−-]?\d+(\.\d+)?)")


@dataclass(frozen=True)
class PublishedFigure:
    """A figure of a paper, or one for each of its models; ``values`` is empty where the text is no list of numbers."""

    values: tuple[float, ...]
    text: str
    source: str = ""
    erratum: str = ""


@dataclass(frozen=True)
class BesidePublished:
    """A measured figure with its interval, and the published one."""

    measure: str
    corpus: str
    model: str
    estimate: str
    interval: str
    published: PublishedFigure
    chart: Markup


def read_published(words: str) -> PublishedFigure:
    """Take a gate's published figure apart; what is written otherwise stays text."""
    found = WRITTEN.fullmatch(words)
    if found is None:
        return PublishedFigure((), words)
    source, erratum = found["source"], found["erratum"] or ""
    listed = [FIGURE.fullmatch(part) for part in found["figures"].split(", ")]
    values = [float(part["number"].replace("−", "-")) for part in listed if part is not None]
    if len(values) < len(listed):
        return PublishedFigure((), found["figures"], source, erratum)
    parts = [f"{part['name'] or ''}{figure(value)}" for part, value in zip(listed, values, strict=True) if part]
    return PublishedFigure(tuple(values), ", ".join(parts), source, erratum)


def beside_published(gates: Sequence[Gate]) -> tuple[BesidePublished, ...]:
    """All gates that have a published figure; those of one measure share a scale."""
    known = [(gate, read_published(gate.published)) for gate in gates if gate.published]
    rows: list[BesidePublished] = []
    for measure in dict.fromkeys(gate.measure for gate, _ in known):
        members = [(gate, paper) for gate, paper in known if gate.measure == measure]
        scale = interval_scale([value for gate, paper in members for value in _values(gate, paper)])
        rows.extend(_row(gate, paper, scale) for gate, paper in members)
    return tuple(rows)


def _values(gate: Gate, paper: PublishedFigure) -> list[float]:
    ends = [] if gate.interval is None else [gate.interval.low, gate.interval.high]
    return [gate.estimate, gate.parity, *ends, *paper.values]


def _row(gate: Gate, paper: PublishedFigure, scale: Scale) -> BesidePublished:
    return BesidePublished(
        measure=gate.measure,
        corpus=label_of(gate.corpus),
        model=gate.model,
        estimate=figure(gate.estimate),
        interval=interval_text(gate.interval),
        published=paper,
        chart=_chart(gate.estimate, gate.interval, gate.parity, paper, scale),
    )


def _chart(estimate: float, interval: Interval | None, parity: float, paper: PublishedFigure, scale: Scale) -> Markup:
    label = f"measured {figure(estimate)} {interval_text(interval)}, published {paper.text}"
    return interval_chart(
        scale, estimate=estimate, interval=interval, parity=parity, region=None, label=label, published=paper.values
    )
