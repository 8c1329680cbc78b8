"""A change in words that need no statistics: which figure got worse, from how much to how much, and where most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from biascheck.report.sections.plain_findings import in_everyday_units
from biascheck.results.comparison import Comparison
from biascheck.stats import Change

__all__ = ["ChangeFinding", "change_findings", "plain_change"]

WORDS = {
    Change.REGRESSED: "Further from equal treatment than before",
    Change.INVALID: "The model cannot do what is asked, so there is nothing to compare",
    Change.INCONCLUSIVE: "Not decided whether it is worse than before",
    Change.NO_WORSE: "No worse than before",
    Change.IMPROVED: "Closer to equal treatment than before",
}


@dataclass(frozen=True)
class ChangeFinding:
    """A change on the first screen: in plain words, then in figures, with its place on the page."""

    plain: str
    title: str
    figures: str
    anchor: str


def plain_change(one: Comparison) -> str:
    """How far the figure was from parity and is now, on a scale that a person can feel, and what moved most."""
    if one.verdict is Change.INVALID:
        return f"{WORDS[one.verdict]}: {one.inability}."
    return f"{WORDS[one.verdict]}: {_distances(one)}"


def change_findings(entries: Sequence[tuple[int, Comparison]], verdict: Change) -> tuple[ChangeFinding, ...]:
    """All changes of one verdict, the largest of each measure before the second of any; numbered as in the table."""
    seen: Counter[str] = Counter()
    ranked: list[tuple[int, ChangeFinding]] = []
    worst = -1 if verdict is Change.REGRESSED else 1
    for number, one in sorted(entries, key=lambda entry: worst * entry[1].change):
        if one.verdict is verdict:
            ranked.append((seen[one.measure], _finding(number, one)))
            seen[one.measure] += 1
    return tuple(finding for _, finding in sorted(ranked, key=lambda entry: entry[0]))


def _distances(one: Comparison) -> str:
    scale = one.description.scale
    before, after = (in_everyday_units(value - one.parity, scale) for value in (one.before, one.after))
    most = f" (most for {one.moves[0].name})" if one.moves and one.change else ""
    nothing = in_everyday_units(0.0, scale)
    if before == nothing != after:
        return f"{one.measure} is off by {after} now, and was not before{most}."
    if after == nothing != before:
        return f"{one.measure} is not off any more, and was by {before} before{most}."
    return f"{one.measure} is off by {after} now, by {before} before{most}."


def _finding(number: int, one: Comparison) -> ChangeFinding:
    anchor = f"change-{number}" if one.moves and (one.change or one.unmatched) else "changes"
    plain = f"{one.measure}: {one.inability}." if one.verdict is Change.INVALID else _distances(one)
    return ChangeFinding(
        f"{plain[:1].upper()}{plain[1:]}", one.title, f": {one.figures}, {one.moved_and_tolerated}", anchor
    )
