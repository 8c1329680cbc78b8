"""One result on the page: figures, chart, attributes, items, what was skipped, and where it comes from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from biascheck.report.bounds import Bounds
from biascheck.report.charts.covariates import covariate_chart, has_covariates
from biascheck.report.charts.drawings import facts_of
from biascheck.report.charts.intervals import Bar, bar_chart
from biascheck.report.sections.attribute_rows import AttributeGap, ItemRow, attributes_of, covariate_name, largest_items
from biascheck.report.sections.model_cards import short_fingerprint, when
from biascheck.report.sentences import contrast_in_words, measured_text, statistic_name
from biascheck.results.result import Result
from biascheck.wording import format_number, level_text, p_text, shortened, signed

__all__ = ["Placed", "ResultSection", "result_section"]

FACT_LENGTH = 300


@dataclass(frozen=True)
class Placed:
    """A result with its place: its number among all results of the page, and how its gates went."""

    result: Result
    number: int
    verdicts: tuple[str, ...] = ()
    packed: int = 0
    states: tuple[str, ...] = ()
    drawn: int = 0

    @property
    def anchor(self) -> str:
        """The id of its place on the page."""
        return f"result-{self.number + 1}"


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


@dataclass(frozen=True)
class Skips:
    """How many items were skipped, and why."""

    count: int
    reasons: tuple[tuple[str, int, str], ...]
    hidden: int


@dataclass(frozen=True)
class ResultSection:
    """One result in words and drawings."""

    anchor: str
    number: int
    measure: str
    model: str
    corpus: str
    variant: str
    verdicts: tuple[str, ...]
    states: tuple[str, ...]
    base_model: str
    estimate: str
    interval: str
    figures: tuple[Fact, ...]
    contrast: str
    contrast_text: str
    competence: str
    competent: bool
    chart: Markup | None
    chart_note: str
    rows: tuple[AttributeRow, ...]
    rows_hidden: int
    with_sides: bool
    covariate: str
    score: str
    cluster: str
    items: tuple[ItemRow, ...]
    items_total: int
    items_packed: int
    items_drawn: int
    skips: Skips
    warnings: tuple[str, ...]
    provenance: tuple[Fact, ...]
    unit: str


def result_section(placed: Placed, bounds: Bounds) -> ResultSection:
    """Lay out one result."""
    result = placed.result
    attributes = attributes_of(result)
    charted = attributes[: bounds.bars]
    rows = _rows(attributes[: bounds.rows])
    estimate, interval = measured_text(result)
    return ResultSection(
        anchor=placed.anchor,
        number=placed.number,
        measure=result.measure,
        model=result.model_label,
        corpus=result.corpus_label,
        variant=result.provenance.variant,
        verdicts=placed.verdicts,
        states=placed.states or ("no gate",),
        base_model=result.model,
        estimate=estimate,
        interval=interval,
        figures=tuple(_figures(result)),
        contrast=" − ".join(result.contrast),
        contrast_text=contrast_in_words(result),
        competence="" if result.competence is None else result.competence.finding,
        competent=result.competence is None or result.competence.passed,
        chart=_chart(result, charted) if charted else None,
        chart_note=_chart_note(result, len(charted), len(attributes)),
        rows=rows,
        rows_hidden=len(attributes) - len(rows),
        with_sides=any(row.side for row in rows),
        covariate=covariate_name(result) if any(row.covariate for row in rows) else "",
        score=_score(result),
        cluster=result.description.cluster,
        items=largest_items(result, bounds.items),
        items_total=len(result.items),
        items_packed=placed.packed,
        items_drawn=placed.drawn,
        skips=_skips(result, bounds.reasons),
        warnings=result.warnings,
        provenance=tuple(_provenance(result)),
        unit=result.unit,
    )


def _figures(result: Result) -> list[Fact]:
    level = "" if result.interval is None else f"{level_text(result.interval.level)} "
    estimate, interval = measured_text(result)
    facts = [Fact(statistic_name(result.statistic), estimate), Fact(f"{level}interval", interval)]
    if result.p is not None:
        facts.append(Fact("p", p_text(result.p)))
    if result.effect_size is not None and result.effect_size != result.estimate:
        facts.append(Fact("effect size", format_number(result.effect_size)))
    return [
        *facts,
        Fact(result.unit, f"{result.n:,}"),
        Fact("clusters", f"{result.clusters:,}"),
        Fact("skipped", f"{len(result.skipped):,}"),
    ]


def _chart(result: Result, attributes: Sequence[AttributeGap]) -> Markup:
    by_gap = sorted(attributes, key=lambda attribute: (-attribute.gap, attribute.name))
    if has_covariates(result):
        return covariate_chart(result, attributes)
    top, bottom = by_gap[0], by_gap[-1]
    label = (
        f"{_score(result)} of {len(by_gap)} {result.description.cluster}s, from {top.name} {signed(top.gap)} "
        f"to {bottom.name} {signed(bottom.gap)}; the table gives every value"
    )
    bars = [Bar(a.label, a.gap, a.kind) for a in by_gap]
    return bar_chart(bars, contrast=result.contrast, label=label, axis=result.description.score)


def _score(result: Result) -> str:
    return f"Mean {result.description.score or 'gap'}"


def _chart_note(result: Result, shown: int, total: int) -> str:
    score, clusters = _score(result), f"{result.description.cluster}s"
    if shown == total:
        return f"{score} of each of the {total:,} {clusters}."
    largest = f"mean {result.description.score}" if result.description.score else "mean gaps"
    return f"The {shown:,} {clusters} with the largest {largest}, of {total:,}."


def _rows(attributes: Sequence[AttributeGap]) -> tuple[AttributeRow, ...]:
    return tuple(
        AttributeRow(
            name=attribute.name,
            side=attribute.side_name or attribute.side or "",
            gap=signed(attribute.gap),
            n=len(attribute.items),
            covariate="" if attribute.covariate is None else format_number(attribute.covariate),
        )
        for attribute in attributes
    )


def _skips(result: Result, most: int) -> Skips:
    reasons = Counter(skip.reason for skip in result.skipped).most_common()
    example = {skip.reason: skip.id for skip in reversed(result.skipped)}
    shown = tuple((reason, count, example[reason]) for reason, count in reasons[:most])
    return Skips(len(result.skipped), shown, len(reasons) - len(shown))


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
        **{name.replace("_", " "): _value(value) for name, value in facts_of(result).items()},
    }
    return [Fact(name, shortened(value, FACT_LENGTH)) for name, value in facts.items() if value]


def _value(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)
