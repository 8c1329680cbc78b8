"""Associations of both genders' words with every profession (Bartl et al. 2020, Figures 3 to 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from biascheck.errors import UsageError
from biascheck.results.attachments import ProfessionBar, ProfessionBars
from biascheck.results.items import ItemScore
from biascheck.results.result import Result

__all__ = ["profession_bars"]

FIGURES = {"male": "Figure 3", "female": "Figure 4", "balanced": "Figure 5"}


def profession_bars(before: Result, after: Result | None = None) -> tuple[ProfessionBars, ...]:
    """One set of bars for each profession group, from an association result on BEC-Pro and perhaps a later one.

    A bar is the mean association of one gender's words with a profession. Professions come in the order of their gap
    before (male − female), the largest first.
    """
    if any("profession_group" not in item.labels for item in before.items):
        raise UsageError(f"{before.title}: its items carry no profession_group; measure association on bec_pro")
    later = None if after is None else _by_profession(after.items)
    groups: dict[str, list[ItemScore]] = {}
    for item in before.items:
        groups.setdefault(str(item.labels["profession_group"]), []).append(item)
    return tuple(
        ProfessionBars(group=name, bars=_bars(_by_profession(groups[name]), later))
        for name in FIGURES
        if name in groups
    )


def _by_profession(items: Sequence[ItemScore]) -> dict[str, tuple[float, float]]:
    """The mean association of male and of female words with each profession."""
    found: dict[str, list[Mapping[str, float]]] = {}
    for item in items:
        found.setdefault(str(item.cluster), []).append(item.groups)
    return {name: (_mean(scores, "male"), _mean(scores, "female")) for name, scores in found.items()}


def _mean(scores: Sequence[Mapping[str, float]], group: str) -> float:
    return sum(score[group] for score in scores) / len(scores)


def _bars(
    before: Mapping[str, tuple[float, float]], later: Mapping[str, tuple[float, float]] | None
) -> tuple[ProfessionBar, ...]:
    order = sorted(before, key=lambda name: (before[name][1] - before[name][0], name))
    nothing = (None, None)
    return tuple(
        ProfessionBar(name, *before[name], *(nothing if later is None else later.get(name, nothing))) for name in order
    )
