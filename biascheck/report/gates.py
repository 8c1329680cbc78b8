"""The tables of gates: failed first, then accepted, then within the margin."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from markupsafe import Markup

from biascheck.core.wording import INCONCLUSIVE, format_number, level_text, power_text
from biascheck.gates.gate import Gate, profiles_text, to_decide
from biascheck.report.charts import interval_chart, interval_scale
from biascheck.report.papers import OWN, PAPERS, Citation, CitedPaper, cited
from biascheck.report.svg import Scale
from biascheck.report.words import ORDER, statistic_name
from biascheck.results.key import ResultKey
from biascheck.stats import Verdict

ENOUGH_POWER = 0.8
FEW_GATES, MANY_GATES = 12, 40
EXPECTED_FAILURES = "Expected failures, not counted"
STATES = {
    "failed": "Failed",
    "inconclusive": f"Failed: {INCONCLUSIVE.lower()}",
    "accepted": "Accepted, though not within the margin",
    "expected": EXPECTED_FAILURES,
    "within": "Within the margin",
}
"""The states of a gate in its run, the most urgent first, with the titles of their tables."""
RANKS = {str(verdict): rank for rank, verdict in enumerate(ORDER)}
"""Verdicts, the worst first."""


@dataclass(frozen=True)
class Caution:
    """A caution that one or more gates share."""

    number: int
    text: str


@dataclass(frozen=True)
class Link:
    """The result behind a gate: its place on the page, and its contrast."""

    anchor: str
    contrast: str


@dataclass(frozen=True)
class GateRow:
    """One gate in words and as a drawing."""

    state: str
    suite: str
    verdict: str
    accepted: bool
    measure: str
    corpus: str
    model: str
    base_model: str
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
    """The gates of one measure in one paper that have one verdict, drawn on the scale of all its gates."""

    paper: str
    measure: str
    unit: str
    rows: tuple[GateRow, ...]


@dataclass(frozen=True)
class GateBlock:
    """The gates of one state; more than a few within their margin, and many of any other state, are folded."""

    state: str
    title: str
    count: int
    folded: bool
    groups: tuple[GateGroup, ...]


@dataclass(frozen=True)
class GateTable:
    """All gates, and the cautions their rows point to."""

    blocks: tuple[GateBlock, ...]
    cautions: tuple[Caution, ...]
    several_models: bool
    low_power: int
    count: int


def state_of(gate: Gate, caught: Collection[Gate] = ()) -> str:
    """The state of a gate: "failed", "inconclusive" (and failed for that), "accepted", "expected" or "within"."""
    if gate in caught:
        return "expected"
    if gate.passed:
        return "within" if gate.verdict is Verdict.WITHIN else "accepted"
    return "inconclusive" if gate.verdict is Verdict.INCONCLUSIVE else "failed"


def gate_table(
    gates: Sequence[tuple[CitedPaper, Gate]], links: Mapping[ResultKey, Link], caught: Collection[Gate] = ()
) -> GateTable:
    """Lay out all gates by state, within a state by verdict, the worst first, then in the order of the papers."""
    texts = dict.fromkeys(warning for _, gate in gates for warning in gate.warnings)
    numbers = {text: number for number, text in enumerate(texts, start=1)}
    members: dict[tuple[CitedPaper, str], list[Gate]] = {}
    for paper, gate in gates:
        members.setdefault((paper, gate.measure), []).append(gate)
    order = [key for paper in (*PAPERS, OWN) for key in members if key[0] is paper]
    groups = [one for key in order for one in _groups(*key, members[key], links, numbers, caught)]
    blocks = [_block(state, title, groups, len(gates)) for state, title in STATES.items()]
    return GateTable(
        blocks=tuple(block for block in blocks if block.count),
        cautions=tuple(Caution(number, text) for text, number in numbers.items()),
        several_models=len({gate.model_label for _, gate in gates}) > 1,
        low_power=sum(row.low_power and row.verdict != Verdict.EXCEEDS for group in groups for row in group.rows),
        count=len(gates),
    )


def _block(state: str, title: str, groups: Sequence[GateGroup], total: int) -> GateBlock:
    members = [group for group in groups if group.rows[0].state == state]
    found = tuple(sorted(members, key=lambda group: RANKS[group.rows[0].verdict]))
    count = sum(len(group.rows) for group in found)
    folded = count > MANY_GATES or (state == "within" and total > FEW_GATES)
    return GateBlock(state, title, count, folded, groups=found)


def _groups(
    paper: CitedPaper,
    measure: str,
    gates: Sequence[Gate],
    links: Mapping[ResultKey, Link],
    numbers: Mapping[str, int],
    caught: Collection[Gate],
) -> Iterator[GateGroup]:
    """The gates of one measure, by state and verdict; all of them are drawn on one scale."""
    scale = interval_scale([value for gate in gates for value in _extent(gate)])
    rows = [_row(gate, scale, links, numbers, (state_of(gate, caught), paper.name)) for gate in gates]
    for state, verdict in product(STATES, RANKS):
        if members := tuple(row for row in rows if (row.state, row.verdict) == (state, verdict)):
            yield GateGroup(paper=paper.name, measure=measure, unit=gates[0].description.unit, rows=members)


def _extent(gate: Gate) -> list[float]:
    ends = [] if gate.interval is None else [gate.interval.low, gate.interval.high]
    return [*gate.region, gate.estimate, *ends]


def _row(
    gate: Gate,
    scale: Scale,
    links: Mapping[ResultKey, Link],
    numbers: Mapping[str, int],
    place: tuple[str, str],
) -> GateRow:
    state, suite = place
    return GateRow(
        state=state,
        suite=suite,
        verdict=str(gate.verdict),
        accepted=gate.passed and gate.verdict is not Verdict.WITHIN,
        measure=gate.measure,
        corpus=gate.corpus,
        model=gate.model_label,
        base_model=gate.model,
        link=links.get(gate.key),
        estimate=gate.estimate_text,
        interval=_interval(gate),
        level="" if gate.interval is None else level_text(gate.interval.level),
        chart=_chart(gate, scale),
        margin=gate.allowed,
        reason=gate.reason,
        power="unknown" if gate.power is None else power_text(gate.power),
        low_power=gate.power is not None and gate.power < ENOUGH_POWER,
        detectable="" if gate.detectable is None else format_number(gate.detectable),
        to_decide=to_decide(gate),
        profiles=profiles_text(gate),
        size=gate.size,
        published=cited(gate.published) if gate.published else None,
        largest=", ".join(gate.offenders),
        note="; ".join(
            filter(None, (gate.acceptance, gate.note, gate.inability if gate.verdict is Verdict.INVALID else ""))
        ),
        test=gate.test,
        cautions=tuple(dict.fromkeys(numbers[warning] for warning in gate.warnings)),
    )


def _interval(gate: Gate) -> str:
    if gate.interval is None:
        return f"no interval: only {gate.clusters} clusters"
    return gate.interval_text


def _chart(gate: Gate, scale: Scale) -> Markup:
    low, high = map(format_number, gate.region)
    label = f"{statistic_name(gate.statistic)} {gate.estimate_text}, {_interval(gate)}; margin from {low} to {high}"
    return interval_chart(
        scale,
        estimate=gate.estimate,
        interval=gate.interval,
        parity=gate.parity,
        region=gate.region,
        label=label,
    )
