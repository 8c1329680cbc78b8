"""One result on the page: figures, chart, attributes, items, skipped items, cautions and provenance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from markupsafe import Markup

from biascheck.core.wording import format_number, level_text, p_text, shortened, signed
from biascheck.report.cards import short_fingerprint, when
from biascheck.report.charts import Bar, PlanePoint, bar_chart, plane_chart
from biascheck.report.drawings import facts_of
from biascheck.report.items import Bounds, ranked
from biascheck.report.svg import chart, nothing_to_draw
from biascheck.report.words import contrast_in_words, measured_text, statistic_name
from biascheck.results.items import ItemScore, Shown
from biascheck.results.result import Result

# The items of a result: grouped by attribute, and the largest gaps one by one.


@dataclass(frozen=True)
class AttributeGap:
    """A cluster: the mean gap of its items, and how many there are."""

    name: str
    gap: float
    items: tuple[ItemScore, ...]
    side: str | None = None
    covariate: float | None = None
    side_name: str = ""

    @property
    def label(self) -> str:
        """Its name, with the set or the group it belongs to."""
        return self.name if self.side is None else f"{self.side_name or self.side} · {self.name}"

    @property
    def kind(self) -> str:
        """The class of its bar: its set, or its direction if there are no sets."""
        if self.side is not None:
            return "one" if self.side == "A" else "two"
        return "one" if self.gap >= 0 else "two"


@dataclass(frozen=True)
class SentenceLine:
    """A sentence of one group, cut around its target."""

    group: str
    before: str
    target: str
    after: str
    score: str


@dataclass(frozen=True)
class ItemRow:
    """One item: its attribute, its labels, the sentence of each group, the gap."""

    name: str
    labels: str
    lines: tuple[SentenceLine, ...]
    gap: str


def attributes_of(result: Result) -> tuple[AttributeGap, ...]:
    """The attributes of the items, the largest gap in either direction first."""
    found = gathered((result.name_of(item), item) for item in result.items)
    if not result.description.score:
        return found
    # the sides are the groups that are compared, not two sets of attributes
    names = dict(zip(("A", "B"), result.contrast, strict=True))
    return tuple(replace(one, side_name=names.get(one.side or "", "")) for one in found)


def points_of(result: Result, attributes: Sequence[AttributeGap]) -> Sequence[AttributeGap]:
    """The points of a covariate chart: the attributes, or if it varies within them, the items of each value.

    A decision, for example, is about people of several ages. Values that print alike are one point, at their mean.
    """
    if all(attribute.covariate is not None for attribute in attributes):
        return attributes
    found = gathered((format_number(item.covariate), item) for item in result.items if item.covariate is not None)
    return tuple(sorted(found, key=lambda attribute: attribute.covariate or 0.0))


def gathered(named: Iterable[tuple[str, ItemScore]]) -> tuple[AttributeGap, ...]:
    """Items under the same name become one attribute; the largest gap in either direction first."""
    members: dict[str, list[ItemScore]] = {}
    for name, item in named:
        members.setdefault(name, []).append(item)
    found = [_attribute(name, items) for name, items in members.items()]
    return tuple(sorted(found, key=lambda attribute: (-abs(attribute.gap), attribute.name)))


def covariate_name(result: Result) -> str:
    """The name of the covariate: as the measure says, or the label that has its value in every item."""
    if result.description.covariate:
        return result.description.covariate
    for name in result.items[0].labels if result.items else ():
        if all(item.labels.get(name) == item.covariate for item in result.items):
            return name.replace("_", " ")
    return "real-world figure"


def largest_items(result: Result, count: int) -> tuple[ItemRow, ...]:
    """The items with the largest gaps in either direction, as rows of text."""
    return tuple(_row(item, result) for item in ranked(result, count))


def _attribute(name: str, items: Sequence[ItemScore]) -> AttributeGap:
    sides = {item.side for item in items}
    return AttributeGap(
        name=name,
        gap=fmean(item.score for item in items),
        items=tuple(items),
        side=sides.pop() if len(sides) == 1 else None,
        covariate=_shared([item.covariate for item in items]),
    )


def _shared(covariates: Sequence[float | None]) -> float | None:
    """The common value, or None. Values that print alike count as one, their mean: digits differ by machine."""
    distinct = set(covariates)
    if len(distinct) == 1:
        return distinct.pop()
    known = [value for value in covariates if value is not None]
    alike = (
        len(known) == len(covariates) and len({format_number(value) for value in distinct if value is not None}) == 1
    )
    return fmean(known) if alike else None


def _row(item: ItemScore, result: Result) -> ItemRow:
    compared = [group for group in result.contrast if group in item.sentences]
    groups = compared or list(item.sentences)
    return ItemRow(
        name=result.name_of(item),
        labels=", ".join(f"{name.replace('_', ' ')} {value}" for name, value in item.labels.items()),
        lines=tuple(_line(group, item.sentences[group], item) for group in groups),
        gap=signed(item.score),
    )


def _line(group: str, shown: Shown, item: ItemScore) -> SentenceLine:
    score = signed(item.groups[group]) if group in item.groups else ""
    text, start, end = shown.text, shown.start, shown.end
    return SentenceLine(group, text[:start], text[start:end], text[end:], score)


# Gaps against a real-world figure.


def has_covariates(result: Result) -> bool:
    """Whether the result is a correlation or a slope whose items all have the covariate."""
    known = all(item.covariate is not None for item in result.items)
    return bool(result.items) and known and result.statistic in ("spearman", "pearson", "slope")


@chart
def covariate_chart(result: Result, attributes: Sequence[AttributeGap]) -> Markup:
    """Gaps (or the scores of the measure) on the y axis, the covariate on the x axis.

    If the covariate varies within an attribute, its values are drawn instead of the attributes.
    """
    drawn = points_of(result, attributes)
    first, second = result.contrast
    name, score = covariate_name(result), result.description.score
    up = f"↑ {score}" if score else f"gap: up is towards {first}, down towards {second}"
    points = [PlanePoint(a.name, a.covariate, a.gap, named=True) for a in drawn if a.covariate is not None]
    if not points:
        return nothing_to_draw(f"no {result.description.cluster} has a {name}")
    counted = f"{result.description.cluster}s against {name}" if drawn is attributes else f"values of {name}"
    return plane_chart(
        points,
        x_label=f"{name} →",
        y_label=up,
        label=f"{score or 'Gaps'} of {len(points)} {counted}; the table gives every value",
        y_from=[0.0],
        zero=True,
    )


# The section of one result.

FACT_LENGTH = 300


@dataclass(frozen=True)
class Placed:
    """A result with its number on the page, and the verdicts of its gates."""

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
