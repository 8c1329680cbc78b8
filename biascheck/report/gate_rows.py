"""The table of gates: one row each, grouped by measure, the worst first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from biascheck.figures import figure
from biascheck.gates import Gate
from biascheck.report.charts import interval_chart, interval_scale
from biascheck.report.limits import limits_of
from biascheck.report.scales import Scale
from biascheck.report.wording import ORDER, interval_text, level_text, statistic_name
from biascheck.results import Result
from biascheck.stats import Verdict

__all__ = ["Caution", "GateGroup", "GateRow", "GateTable", "gate_table", "result_anchor", "result_keys"]

Key = tuple[str, str, float, int]


@dataclass(frozen=True)
class Caution:
    """A reservation that one or more gates share."""

    number: int
    text: str


@dataclass(frozen=True)
class Link:
    """The result behind a gate: where it stands on the page, and what it contrasts."""

    anchor: str
    contrast: str


@dataclass(frozen=True)
class GateRow:
    """One gate in words and as a drawing."""

    verdict: str
    accepted: bool
    corpus: str
    model: str
    link: Link | None
    estimate: str
    interval: str
    chart: Markup
    margin: str
    reason: str
    detectable: str
    low_power: bool
    size: str
    published: str
    largest: str
    test: str
    cautions: tuple[int, ...]


@dataclass(frozen=True)
class GateGroup:
    """The gates of one measure, drawn on one scale."""

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
    count: int


def gate_table(gates: Sequence[Gate], results: Sequence[Result]) -> GateTable:
    """Lay out all gates."""
    texts = dict.fromkeys(warning for gate in gates for warning in gate.warnings)
    numbers = {text: number for number, text in enumerate(texts, start=1)}
    links = _links(results)
    measures = dict.fromkeys(gate.measure for gate in gates)
    return GateTable(
        groups=tuple(_group(name, [g for g in gates if g.measure == name], links, numbers) for name in measures),
        cautions=tuple(Caution(number, text) for text, number in numbers.items()),
        several_models=len({gate.model for gate in gates}) > 1,
        count=len(gates),
    )


def result_anchor(index: int) -> str:
    """Where on the page a result stands."""
    return f"result-{index + 1}"


def result_keys(entries: Sequence[Result] | Sequence[Gate]) -> list[Key]:
    """What a gate and its result have in common: a title alone can stand for several contrasts."""
    return [(entry.title, entry.statistic, entry.estimate, entry.n) for entry in entries]


def _links(results: Sequence[Result]) -> dict[Key, Link]:
    links: dict[Key, Link] = {}
    for index, (key, result) in enumerate(zip(result_keys(results), results, strict=True)):
        links.setdefault(key, Link(result_anchor(index), " − ".join(result.contrast)))
    return links


def _group(measure: str, gates: Sequence[Gate], links: Mapping[Key, Link], numbers: Mapping[str, int]) -> GateGroup:
    scale = interval_scale([value for gate in gates for value in _extent(gate)])
    ranked = sorted(gates, key=lambda gate: ORDER.index(gate.verdict))
    return GateGroup(
        measure=measure,
        unit=limits_of(measure).unit,
        scale=f"{figure(scale.low)} to {figure(scale.high)}",
        rows=tuple(_row(gate, scale, links, numbers) for gate in ranked),
    )


def _extent(gate: Gate) -> list[float]:
    ends = [] if gate.interval is None else [gate.interval.low, gate.interval.high]
    return [*gate.region, gate.estimate, *ends]


def _row(gate: Gate, scale: Scale, links: Mapping[Key, Link], numbers: Mapping[str, int]) -> GateRow:
    return GateRow(
        verdict=str(gate.verdict),
        accepted=gate.passed and gate.verdict is Verdict.INCONCLUSIVE,
        corpus=gate.corpus,
        model=gate.model,
        link=links.get(result_keys([gate])[0]),
        estimate=figure(gate.estimate),
        interval=_interval(gate),
        chart=_chart(gate, scale),
        margin=gate.allowed,
        reason=gate.reason,
        detectable="" if gate.detectable is None else figure(gate.detectable),
        low_power=gate.detectable is not None and gate.detectable > gate.margin,
        size=_size(gate),
        published=gate.published,
        largest=", ".join(gate.offenders),
        test=gate.test,
        cautions=tuple(dict.fromkeys(numbers[warning] for warning in gate.warnings)),
    )


def _interval(gate: Gate) -> str:
    if gate.interval is None:
        return f"no interval: {gate.clusters} clusters are too few"
    return f"{interval_text(gate.interval)} at {level_text(gate.interval.level)}"


def _size(gate: Gate) -> str:
    parts = [f"{gate.n:,} {gate.unit}"]
    if gate.skipped:
        parts.append(f"{gate.skipped:,} skipped")
    if gate.family > 1:
        parts.append(f"one of {gate.family} gates")
    return ", ".join(parts)


def _chart(gate: Gate, scale: Scale) -> Markup:
    low, high = map(figure, gate.region)
    label = f"{statistic_name(gate.statistic)} {figure(gate.estimate)}, {_interval(gate)}; margin from {low} to {high}"
    return interval_chart(
        scale,
        estimate=gate.estimate,
        interval=gate.interval,
        parity=gate.parity,
        region=gate.region,
        label=label,
    )
