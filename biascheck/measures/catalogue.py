"""Every shipped measure, once: what ``biascheck measures`` lists and the reference page is made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from biascheck.measures.declaration import Measure
from biascheck.measures.derivation import DerivedMeasure
from biascheck.results.description import Description

__all__ = ["CatalogueEntry", "catalogue"]

Described = Measure[Any, ...] | DerivedMeasure[...]


@dataclass(frozen=True)
class CatalogueEntry:
    """A measure and the functions that give it; the first defines it."""

    description: Description
    functions: tuple[Described, ...]


def catalogue() -> tuple[CatalogueEntry, ...]:
    """The measures of :mod:`biascheck.measures`, by name."""
    from biascheck import measures

    found: dict[str, list[Described]] = {}
    for name in measures.__all__:
        thing = getattr(measures, name)
        if isinstance(thing, Measure | DerivedMeasure):
            found.setdefault(thing.description.name, []).append(thing)
    return tuple(
        CatalogueEntry(functions[0].description, tuple(functions))
        for _, functions in sorted(found.items(), key=lambda entry: entry[0].casefold())
    )
