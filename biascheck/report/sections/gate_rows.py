"""The table of gates: one row each, grouped by paper and measure, the worst first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from biascheck.gates.deciding import profiles_text, to_decide
from biascheck.gates.gate import Gate
from biascheck.report.charts.intervals import interval_chart, interval_scale
from biascheck.report.charts.scales import Scale
from biascheck.report.sections.beside_published import Citation, cited
from biascheck.report.sections.papers import OWN, PAPERS, Paper
from biascheck.report.sentences import ORDER, statistic_name
from biascheck.results.key import ResultKey
from biascheck.stats import Verdict
from biascheck.wording import figure, level_text, power_text

__all__ = ["Caution", "GateGroup", "GateRow", "GateTable", "Link", "gate_table"]

ENOUGH_POWER = 0.8


@dataclass(frozen=True)
class Caution:
    """A reservation that one or more gates share."""

    number: int
    text: str


@dataclass(frozen=True)
class Link:
    """The result behind a gate: its place on the page, and what it contrasts."""

    anchor: str
    contrast: str


@dataclass(frozen=True)
class GateRow:
    """One gate in words and as a drawing."""

    verdict: str
    accepted: bool
    measure: str
    corpus: str
    model: str
    link: Link | None
    estimate: str
    interval: str
    level: str
    chart: Markup
    margin: str
    reason: str
    power: str
    low_power: bool
    detectable: str
    to_decide: str
    profiles: str
    size: str
    published: Citation | None
    largest: str
    note: str
    test: str
    cautions: tuple[int, ...]


@dataclass(frozen=True)
class GateGroup:
    """The gates of one measure in one paper, drawn on one scale."""

    paper: str
    measure: str
    unit: str
    scale: str
    rows: tuple[GateRow, ...]


@dataclass(frozen=True)
class GateTable:
    """All gates, and the cautions their rows point to."""

    groups: tuple[GateGroup, ...]
    cautions: tuple[Caution, ...]
    several_models: bool
    low_power: int
    count: int


def gate_table(gates: Sequence[tuple[Paper, Gate]], links: Mapping[ResultKey, Link]) -> GateTable:
    """Lay out all gates, in the order of the papers."""
    texts = dict.fromkeys(warning for _, gate in gates for warning in gate.warnings)
    numbers = {text: number for number, text in enumerate(texts, start=1)}
    members: dict[tuple[Paper, str], list[Gate]] = {}
    for paper, gate in gates:
        members.setdefault((paper, gate.measure), []).append(gate)
    order = [key for paper in (*PAPERS, OWN) for key in members if key[0] is paper]
    groups = tuple(_group(*key, members[key], links, numbers) for key in order)
    return GateTable(
        groups=groups,
        cautions=tuple(Caution(number, text) for text, number in numbers.items()),
        several_models=len({gate.model_label for _, gate in gates}) > 1,
        low_power=sum(row.low_power for group in groups for row in group.rows),
        count=len(gates),
    )


def _group(
    paper: Paper, measure: str, gates: Sequence[Gate], links: Mapping[ResultKey, Link], numbers: Mapping[str, int]
) -> GateGroup:
    scale = interval_scale([value for gate in gates for value in _extent(gate)])
    ranked = sorted(gates, key=lambda gate: ORDER.index(gate.verdict))
    return GateGroup(
        paper=paper.name,
        measure=measure,
        unit=gates[0].description.unit,
        scale=f"{figure(scale.low)} to {figure(scale.high)}",
        rows=tuple(_row(gate, scale, links, numbers) for gate in ranked),
    )


def _extent(gate: Gate) -> list[float]:
    ends = [] if gate.interval is None else [gate.interval.low, gate.interval.high]
    return [*gate.region, gate.estimate, *ends]


def _row(gate: Gate, scale: Scale, links: Mapping[ResultKey, Link], numbers: Mapping[str, int]) -> GateRow:
    return GateRow(
        verdict=str(gate.verdict),
        accepted=gate.passed and gate.verdict is not Verdict.WITHIN,
        measure=gate.measure,
        corpus=gate.corpus,
        model=gate.model_label,
        link=links.get(gate.key),
        estimate=gate.estimate_text,
        interval=_interval(gate),
        level="" if gate.interval is None else level_text(gate.interval.level),
        chart=_chart(gate, scale),
        margin=gate.allowed,
        reason=gate.reason,
        power="unknown" if gate.power is None else power_text(gate.power),
        low_power=gate.power is not None and gate.power < ENOUGH_POWER,
        detectable="" if gate.detectable is None else figure(gate.detectable),
        to_decide=to_decide(gate),
        profiles=profiles_text(gate),
        size=gate.size,
        published=cited(gate.published) if gate.published else None,
        largest=", ".join(gate.offenders),
        note="; ".join(filter(None, (gate.note, gate.inability if gate.verdict is Verdict.INVALID else ""))),
        test=gate.test,
        cautions=tuple(dict.fromkeys(numbers[warning] for warning in gate.warnings)),
    )


def _interval(gate: Gate) -> str:
    if gate.interval is None:
        return f"no interval: {gate.clusters} clusters are too few"
    return gate.interval_text


def _chart(gate: Gate, scale: Scale) -> Markup:
    low, high = map(figure, gate.region)
    label = f"{statistic_name(gate.statistic)} {gate.estimate_text}, {_interval(gate)}; margin from {low} to {high}"
    return interval_chart(
        scale,
        estimate=gate.estimate,
        interval=gate.interval,
        parity=gate.parity,
        region=gate.region,
        label=label,
    )
