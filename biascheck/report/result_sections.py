"""The sections of the report: one for each measure, and in it every result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from biascheck.figures import figure, signed
from biascheck.gates import Gate
from biascheck.report.attributes import Attribute, Example, attributes_of, covariate_name, examples_of
from biascheck.report.bounds import Bounds
from biascheck.report.charts import Bar, Point, bar_chart, scatter_chart, small_bar
from biascheck.report.gate_rows import result_anchor, result_keys
from biascheck.report.limits import Limits, limits_of
from biascheck.report.model_cards import short_fingerprint, when
from biascheck.report.wording import (
    contrast_in_words,
    interval_text,
    level_text,
    p_text,
    shortened,
    statistic_name,
)
from biascheck.results import Result

__all__ = ["MeasureSection", "ResultSection", "measure_sections"]

FACT_LENGTH = 300


@dataclass(frozen=True)
class Fact:
    """A name and a value."""

    name: str
    value: str


@dataclass(frozen=True)
class AttributeRow:
    """One row of the table of attributes."""

    name: str
    side: str
    gap: str
    n: int
    covariate: str
    bar: Markup


@dataclass(frozen=True)
class Cluster:
    """An attribute with some of its sentences."""

    name: str
    gap: str
    examples: tuple[Example, ...]


@dataclass(frozen=True)
class ResultSection:
    """One result: figures, chart, attributes, sentences, and what to beware of."""

    anchor: str
    model: str
    corpus: str
    variant: str
    verdicts: tuple[str, ...]
    figures: tuple[Fact, ...]
    contrast: str
    chart: Markup | None
    chart_note: str
    rows: tuple[AttributeRow, ...]
    rows_hidden: int
    with_sides: bool
    covariate: str
    clusters: tuple[Cluster, ...]
    items_hidden: int
    skipped: int
    reasons: tuple[tuple[str, int], ...]
    reasons_hidden: int
    warnings: tuple[str, ...]
    provenance: tuple[Fact, ...]
    unit: str


@dataclass(frozen=True)
class MeasureSection:
    """All results of a measure, and what it can and cannot tell."""

    measure: str
    anchor: str
    limits: Limits
    results: tuple[ResultSection, ...]


def measure_sections(results: Sequence[Result], gates: Sequence[Gate]) -> tuple[MeasureSection, ...]:
    """Lay out all results in the order given, each measure once."""
    bounds = Bounds.of(len(results))
    verdicts: dict[object, list[str]] = {}
    for key, gate in zip(result_keys(gates), gates, strict=True):
        verdicts.setdefault(key, []).append(str(gate.verdict))
    sections: dict[str, list[ResultSection]] = {}
    for index, (key, result) in enumerate(zip(result_keys(results), results, strict=True)):
        judged = tuple(dict.fromkeys(verdicts.get(key, ())))
        sections.setdefault(result.measure, []).append(_section(result, result_anchor(index), judged, bounds))
    return tuple(
        MeasureSection(name, f"measure-{number}", limits_of(name), tuple(entries))
        for number, (name, entries) in enumerate(sections.items(), start=1)
    )


def _section(result: Result, anchor: str, verdicts: tuple[str, ...], bounds: Bounds) -> ResultSection:
    attributes = attributes_of(result)
    charted = attributes[: bounds.bars]
    rows = _rows(attributes[: bounds.rows])
    clusters = _clusters(attributes, result.contrast, bounds)
    reasons = Counter(skip.reason for skip in result.skipped).most_common()
    return ResultSection(
        anchor=anchor,
        model=result.model,
        corpus=result.corpus,
        variant=result.provenance.variant,
        verdicts=verdicts,
        figures=tuple(_figures(result)),
        contrast=contrast_in_words(result),
        chart=_chart(result, charted) if charted else None,
        chart_note=_chart_note(len(charted), len(attributes)),
        rows=rows,
        rows_hidden=len(attributes) - len(rows),
        with_sides=any(row.side for row in rows),
        covariate=covariate_name(result) if any(row.covariate for row in rows) else "",
        clusters=clusters,
        items_hidden=len(result.items) - sum(len(cluster.examples) for cluster in clusters),
        skipped=len(result.skipped),
        reasons=tuple(reasons[: bounds.reasons]),
        reasons_hidden=len(reasons[bounds.reasons :]),
        warnings=result.warnings,
        provenance=tuple(_provenance(result)),
        unit=result.unit,
    )


def _figures(result: Result) -> list[Fact]:
    level = "" if result.interval is None else f"{level_text(result.interval.level)} "
    facts = [
        Fact(statistic_name(result.statistic), figure(result.estimate)),
        Fact(f"{level}interval", interval_text(result.interval)),
    ]
    if result.p is not None:
        facts.append(Fact("p", p_text(result.p)))
    if result.effect_size is not None and result.effect_size != result.estimate:
        facts.append(Fact("effect size", figure(result.effect_size)))
    return [
        *facts,
        Fact(result.unit, f"{result.n:,}"),
        Fact("clusters", f"{result.clusters:,}"),
        Fact("skipped", f"{len(result.skipped):,}"),
    ]


def _chart(result: Result, attributes: Sequence[Attribute]) -> Markup:
    by_gap = sorted(attributes, key=lambda attribute: (-attribute.gap, attribute.name))
    first, second = result.contrast
    points = [Point(a.name, a.covariate, a.gap) for a in by_gap if a.covariate is not None]
    name = covariate_name(result)
    if points and result.statistic in ("spearman", "pearson"):
        return scatter_chart(
            points,
            x_label=f"{name} →",
            y_label=f"gap: up is towards {first}, down towards {second}",
            label=f"Gaps of {len(points)} attributes against {name}; the table gives every value",
        )
    top, bottom = by_gap[0], by_gap[-1]
    label = (
        f"Mean gaps of {len(by_gap)} attributes, from {top.name} {signed(top.gap)} "
        f"to {bottom.name} {signed(bottom.gap)}; the table gives every value"
    )
    return bar_chart([Bar(a.label, a.gap, a.kind) for a in by_gap], contrast=result.contrast, label=label)


def _chart_note(shown: int, total: int) -> str:
    if shown == total:
        return f"Mean gap of each of the {total:,} attributes."
    return f"The {shown:,} attributes with the largest mean gaps, of {total:,}."


def _rows(attributes: Sequence[Attribute]) -> tuple[AttributeRow, ...]:
    largest = max((abs(attribute.gap) for attribute in attributes), default=0.0)
    return tuple(
        AttributeRow(
            name=attribute.name,
            side=attribute.side or "",
            gap=signed(attribute.gap),
            n=len(attribute.items),
            covariate="" if attribute.covariate is None else figure(attribute.covariate),
            bar=small_bar(attribute.gap, largest, attribute.kind),
        )
        for attribute in attributes
    )


def _clusters(attributes: Sequence[Attribute], contrast: tuple[str, str], bounds: Bounds) -> tuple[Cluster, ...]:
    shown = (
        Cluster(attribute.name, signed(attribute.gap), examples_of(attribute, contrast, bounds.examples))
        for attribute in attributes[: bounds.clusters]
    )
    return tuple(cluster for cluster in shown if cluster.examples)


def _provenance(result: Result) -> list[Fact]:
    origin = result.provenance
    facts = {
        "variant": origin.variant,
        "measure version": str(origin.measure_version),
        "model fingerprint": short_fingerprint(origin.model_fingerprint),
        "corpus fingerprint": short_fingerprint(origin.corpus_fingerprint),
        "seed": str(result.seed),
        "interval": "" if result.interval is None else result.interval.method,
        "measured": when(origin.created),
        **{f"option {name}": _value(value) for name, value in origin.options.items()},
        **{name.replace("_", " "): _value(value) for name, value in result.details.items()},
    }
    return [Fact(name, shortened(value, FACT_LENGTH)) for name, value in facts.items() if value]


def _value(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)
