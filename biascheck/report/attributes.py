"""The items of a result, gathered by cluster: who drives the figure, and in which sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from biascheck.figures import signed
from biascheck.results import ItemScore, Result, Shown

__all__ = ["Attribute", "Example", "Line", "attributes_of", "covariate_name", "examples_of"]


@dataclass(frozen=True)
class Attribute:
    """A cluster: the mean gap of its items, and how many there are."""

    name: str
    gap: float
    items: tuple[ItemScore, ...]
    side: str | None = None
    covariate: float | None = None

    @property
    def label(self) -> str:
        """Its name, with the set it belongs to."""
        return self.name if self.side is None else f"{self.side} · {self.name}"

    @property
    def kind(self) -> str:
        """What its bar is coloured by: its set, or its direction where there are no sets."""
        if self.side is not None:
            return "one" if self.side == "A" else "two"
        return "one" if self.gap >= 0 else "two"


@dataclass(frozen=True)
class Line:
    """A sentence of one group, cut around its target."""

    group: str
    before: str
    target: str
    after: str
    score: str


@dataclass(frozen=True)
class Example:
    """An item as a reader sees it: the same sentence in each group."""

    gap: str
    lines: tuple[Line, ...]


def attributes_of(result: Result) -> tuple[Attribute, ...]:
    """All whom the items are about, the largest gap in either direction first."""
    members: dict[str, list[ItemScore]] = {}
    for item in result.items:
        members.setdefault(result.name_of(item), []).append(item)
    found = [_attribute(name, items) for name, items in members.items()]
    return tuple(sorted(found, key=lambda attribute: (-abs(attribute.gap), attribute.name)))


def covariate_name(result: Result) -> str:
    """What the gaps are correlated with: the label that has the covariate's value in every item."""
    for name in result.items[0].labels if result.items else ():
        if all(item.labels.get(name) == item.covariate for item in result.items):
            return name.replace("_", " ")
    return "real-world figure"


def examples_of(attribute: Attribute, contrast: tuple[str, str], count: int) -> tuple[Example, ...]:
    """The items of a cluster with the largest gaps that have sentences to show."""
    items = [item for item in attribute.items if item.sentences]
    items.sort(key=lambda item: (-abs(item.score), item.id))
    return tuple(_example(item, contrast) for item in items[:count])


def _attribute(name: str, items: Sequence[ItemScore]) -> Attribute:
    sides, covariates = {item.side for item in items}, {item.covariate for item in items}
    return Attribute(
        name=name,
        gap=fmean(item.score for item in items),
        items=tuple(items),
        side=sides.pop() if len(sides) == 1 else None,
        covariate=covariates.pop() if len(covariates) == 1 else None,
    )


def _example(item: ItemScore, contrast: tuple[str, str]) -> Example:
    compared = [group for group in contrast if group in item.sentences]
    groups = compared or list(item.sentences)
    return Example(signed(item.score), tuple(_line(group, item.sentences[group], item) for group in groups))


def _line(group: str, shown: Shown, item: ItemScore) -> Line:
    score = signed(item.groups[group]) if group in item.groups else ""
    text, start, end = shown.text, shown.start, shown.end
    return Line(group, text[:start], text[start:end], text[end:], score)
