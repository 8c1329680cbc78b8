"""Charts of several results: all attributes of a corpus, two models, the skew–stereotype plane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from biascheck.core.wording import as_printed, signed
from biascheck.report.charts import Bar, BeforeAfter, PlanePoint, bar_chart, change_chart, plane_chart
from biascheck.report.drawings import Drawing, Legend, table_of
from biascheck.report.results import attributes_of, covariate_chart, covariate_name, gathered, has_covariates, points_of
from biascheck.report.words import measured_text, statistic_name
from biascheck.results.attachments import Published
from biascheck.results.items import ItemScore
from biascheck.results.key import ResultKey
from biascheck.results.result import Result

MOST_BARS = 80
ROUNDING = 1e-6


@dataclass(frozen=True)
class Whole:
    """The parts of a corpus that were judged one by one, merged: each item once."""

    measure: str
    corpus: str
    contrast: tuple[str, str]
    parts: int
    items: dict[str, tuple[str, ItemScore]]

    def gaps(self) -> dict[str, float]:
        """The mean gap of every attribute of the items."""
        return {attribute.name: attribute.gap for attribute in gathered(self.items.values())}


def gaps_of(results: Sequence[Result]) -> list[Drawing]:
    """Gaps by attribute over a whole corpus, where its parts were judged one by one."""
    wholes = [whole for whole in _wholes(results) if whole.parts > 1]
    return [_gaps(whole) for whole in wholes if 1 < len(whole.gaps()) <= MOST_BARS]


def correlations_of(results: Sequence[Result]) -> list[Drawing]:
    """Gaps against a real-world figure, where a correlation was measured."""
    return [_correlation(result) for result in results if has_covariates(result)]


def changes_of(before: Sequence[Result], after: Sequence[Result], names: tuple[str, str]) -> list[Drawing]:
    """Gaps by attribute in one model and in another, ordered by the change; where both measured the same."""
    later = {(whole.measure, whole.corpus, whole.contrast): whole for whole in _wholes(after)}
    pairs = [(whole, later.get((whole.measure, whole.corpus, whole.contrast))) for whole in _wholes(before)]
    drawn = [_changes(whole, other, names) for whole, other in pairs if other is not None]
    return [drawing for drawing in drawn if drawing is not None]


def plane_of(results: Sequence[Result]) -> Drawing | None:
    """Skew and stereotype as one plane: every measured pair, and the published models that both results name."""
    measured, published = _measured(results), _published(results)
    if not measured:
        return None
    points = [PlanePoint(name, x, y, "one", named=True) for name, (x, y) in measured]
    papers = [PlanePoint(name, x, y, "two", named=True) for name, (x, y, _) in published.items()]
    rows = [[name, *at, "measured", ""] for name, at in measured]
    rows += [[name, as_printed(x), as_printed(y), "published", note] for name, (x, y, note) in published.items()]
    legend = [Legend("one", "measured here"), *([Legend("two", "published")] if published else [])]
    return Drawing(
        key="plane",
        title="Skew and stereotype",
        chart=plane_chart(
            [*points, *papers],
            x_label="skew →",
            y_label="↑ stereotype",
            label=f"{len(points)} measured and {len(papers)} published models by skew and stereotype",
            x_from=[0.0],
            y_from=[0.0],
        ),
        legend=tuple(legend),
        note="Near the origin neither one pronoun for everyone nor the expected one is preferred. A model far to the "
        "right says the same pronoun whatever the occupation, and then has no room for a stereotype.",
        table=table_of(["model", "skew", "stereotype", "", "erratum"], rows, numbers=(1, 2)),
    )


def _wholes(results: Sequence[Result]) -> list[Whole]:
    found: dict[ResultKey, Whole] = {}
    for result in results:
        if not _is_gap(result):
            continue
        key = replace(result.key, slice=())
        known = found.get(key, Whole(result.measure, result.corpus, result.contrast, parts=0, items={}))
        items = known.items | {item.id: (result.name_of(item), item) for item in result.items}
        found[key] = replace(known, parts=known.parts + 1, items=items)
    return list(found.values())


def _is_gap(result: Result) -> bool:
    """Whether the scores are the gaps between the groups, and not a suite's own selection."""
    first, second = result.contrast
    known = [item for item in result.items if first in item.groups and second in item.groups]
    gaps = all(abs(item.score - (item.groups[first] - item.groups[second])) < ROUNDING for item in known)
    return result.statistic == "mean" and gaps


def _gaps(whole: Whole) -> Drawing:
    gaps = sorted(whole.gaps().items(), key=lambda entry: (-entry[1], entry[0]))
    bars = [Bar(name, gap, "one" if gap >= 0 else "two") for name, gap in gaps]
    top, bottom = gaps[0], gaps[-1]
    label = f"Gaps of {len(gaps)} attributes, from {top[0]} {signed(top[1])} to {bottom[0]} {signed(bottom[1])}"
    return Drawing(
        key="gaps",
        title=f"Mean gap by attribute, {whole.corpus}",
        chart=bar_chart(bars, contrast=whole.contrast, label=label),
        note=f"Over all {len(whole.items):,} items of the {whole.parts} parts that are judged below.",
        table=table_of(["attribute", "gap"], [[name, signed(gap)] for name, gap in gaps]),
    )


def _correlation(result: Result) -> Drawing:
    name, attributes = covariate_name(result), attributes_of(result)
    rows = [[a.name, a.covariate, signed(a.gap)] for a in points_of(result, attributes)]
    return Drawing(
        key="correlation",
        title=f"Gap against {name}, {result.corpus_label} on {result.model_label}",
        chart=covariate_chart(result, attributes),
        note=f"{statistic_name(result.statistic)} {' '.join(measured_text(result))}.",
        table=table_of(["attribute", name, "gap"], rows),
    )


def _changes(before: Whole, after: Whole, names: tuple[str, str]) -> Drawing | None:
    first, second = before.gaps(), after.gaps()
    both = [BeforeAfter(name, first[name], second[name]) for name in first if name in second]
    if len(both) < 2:
        return None
    both.sort(key=lambda change: (change.before - change.after, change.label))
    shown = both if len(both) <= MOST_BARS else [*both[: MOST_BARS // 2], *both[-MOST_BARS // 2 :]]
    rows = [[c.label, signed(c.before), signed(c.after), signed(c.after - c.before)] for c in both]
    label = f"Gaps of {len(shown)} attributes in {names[0]} and in {names[1]}, ordered by change"
    return Drawing(
        key="changes",
        title=f"{before.measure} by attribute, {before.corpus}",
        chart=change_chart(shown, contrast=before.contrast, label=label),
        legend=(Legend("hollow", names[0]), Legend("one", names[1])),
        note=f"Ordered by the change of the mean gap, on the right; {len(both)} attributes in both."
        + ("" if shown is both else f" The {MOST_BARS // 2} largest changes in each direction are drawn."),
        table=table_of(["attribute", *names, "change"], rows),
    )


def _measured(results: Sequence[Result]) -> list[tuple[str, tuple[float, float]]]:
    """Skew and stereotype of one model on one part of one corpus, named for people."""
    found: dict[tuple[object, ...], dict[str, Result]] = {}
    several = len({result.model for result in results}) > 1
    for result in results:
        if result.statistic in ("skew", "stereotype"):
            key = result.key
            about = (key.model, key.treatment, key.corpus, key.slice, key.contrast)
            found.setdefault(about, {})[key.statistic] = result
    pairs = [(at["skew"], at["stereotype"]) for at in found.values() if len(at) == 2]
    return [(_place(skew, several_models=several), (skew.estimate, other.estimate)) for skew, other in pairs]


def _place(result: Result, *, several_models: bool) -> str:
    place = " · ".join((result.corpus_label, *result.treatment))
    return f"{result.model}: {place}" if several_models else place


def _published(results: Sequence[Result]) -> dict[str, tuple[float, float, str]]:
    """Models with both figures attached to the results; an erratum of either is kept."""
    found: dict[str, dict[str, tuple[float, str]]] = {"skew": {}, "stereotype": {}}
    for result in results:
        attached = [one for one in result.attachments if isinstance(one, Published)]
        if result.statistic in found:
            found[result.statistic] |= {f.name: (f.value, f.erratum) for one in attached for f in one.figures}
    skew, stereotype = found["skew"], found["stereotype"]
    return {
        name: (x, stereotype[name][0], _both(note, stereotype[name][1]))
        for name, (x, note) in skew.items()
        if name in stereotype
    }


def _both(first: str, second: str) -> str:
    return "; ".join(dict.fromkeys(filter(None, (first, second))))
