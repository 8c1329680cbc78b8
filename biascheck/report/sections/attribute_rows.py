"""The items of a result as a reader meets them: gathered by whom they are about, and the largest one by one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from biascheck.report.sections.item_data import ranked
from biascheck.results.items import ItemScore, Shown
from biascheck.results.result import Result
from biascheck.wording import format_number, signed

__all__ = ["AttributeGap", "ItemRow", "SentenceLine", "attributes_of", "covariate_name", "largest_items", "points_of"]


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
        """What its bar is coloured by: its set, or its direction where there are no sets."""
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
    """An item as a reader sees it: whom it is about, its labels, the same sentence in each group, the gap."""

    name: str
    labels: str
    lines: tuple[SentenceLine, ...]
    gap: str


def attributes_of(result: Result) -> tuple[AttributeGap, ...]:
    """All whom the items are about, the largest gap in either direction first."""
    found = gathered((result.name_of(item), item) for item in result.items)
    if not result.description.score:
        return found
    # the sides are the groups that are compared, not two sets of attributes
    names = dict(zip(("A", "B"), result.contrast, strict=True))
    return tuple(replace(one, side_name=names.get(one.side or "", "")) for one in found)


def points_of(result: Result, attributes: Sequence[AttributeGap]) -> Sequence[AttributeGap]:
    """What is drawn against a covariate: the attributes, or where it varies within them, all items of one value each.

    The people whom a decision is about are of several ages. Values that print alike are one point, at their mean.
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
    """What the scores are correlated with: as the measure says, or the label that has this value in every item."""
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
    """The value that all have, or nothing. Values that print alike are one, their mean: digits differ by machine."""
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
