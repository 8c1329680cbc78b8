"""Pronoun gaps in log-odds instead of shares."""

from __future__ import annotations

from dataclasses import replace
from math import log

from biascheck.results.items import ItemScore, Skipped
from biascheck.results.result import Result

__all__ = ["in_log_odds"]

IMPOSSIBLE = "one of the pronouns has the probability 0, which has no log-odds"


def in_log_odds(result: Result) -> Result:
    """The items of a result of shares, scored ``ln P(first) − ln P(second)``; an impossible pronoun is skipped."""
    first, second = result.contrast
    possible = [item for item in result.items if min(item.groups[first], item.groups[second]) > 0]
    kept = {item.id for item in possible}
    skipped = (Skipped(item.id, IMPOSSIBLE, dict(item.labels)) for item in result.items if item.id not in kept)
    items = tuple(_scored(item, first, second) for item in possible)
    return replace(result, items=items, skipped=(*result.skipped, *skipped))


def _scored(item: ItemScore, first: str, second: str) -> ItemScore:
    return replace(item, score=log(item.groups[first]) - log(item.groups[second]))
