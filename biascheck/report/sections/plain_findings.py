"""A finding in words that need no statistics: how far off, what is allowed, and a real sentence."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

from biascheck.gates.gate import Gate
from biascheck.gates.searches import Search
from biascheck.results.description import Scale
from biascheck.results.items import ItemScore
from biascheck.results.result import Result
from biascheck.stats import Verdict
from biascheck.wording import format_number, pluralize

__all__ = ["SentenceExample", "in_everyday_units", "plain_example", "plain_finding", "plain_search"]

STARS = 4
"""From one star of five to five there are four steps, and a rating goes from 0 to 1."""
ENOUGH_DIGITS = 10
FALLBACK = "The {name} is {by} away from {parity}, its value where groups are treated alike; allowed: {allowed}."
"""For a measure that has no sentence of its own."""
SCORED_ALIKE = ("mean", "mean_absolute", "rms_gap", "slope", "difference")
"""Statistics whose items are counted in the unit of the figure; of others an item shows a direction alone."""
WORD_LENGTH = 24
SEARCHED: dict[str, Scale] = {"association": "log-odds", "probability": "share", "rating": "rating"}
"""Figures of searches that have a scale which a person can feel."""


@dataclass(frozen=True)
class SentenceExample:
    """A sentence that shows a finding: what both versions share, and the words in which they differ."""

    before: str
    first: str
    second: str
    after: str
    effect: str


def in_everyday_units(distance: float, scale: Scale) -> str:
    """A distance from parity as a number that a person can feel: "a factor of 12", "0.4 stars of five"."""
    distance = abs(distance)
    if scale == "log-odds":
        return f"a factor of {_times(distance).removesuffix(' times')}"
    if scale == "rating":
        return f"{format_number(STARS * distance, 1)} stars of five"
    if scale == "share":
        return f"{format_number(100 * distance, 0 if distance >= 0.1 else 1)} percentage points"
    return format_number(distance)


def plain_finding(gate: Gate) -> str:
    """What the measure says about a gate in plain words; empty where nothing was measured."""
    template = gate.description.plain or FALLBACK
    if gate.verdict is Verdict.INVALID:
        return ""
    scale = gate.description.scale
    towards, away = _directed(gate.key.contrast, gate.estimate - gate.parity)
    limit = gate.margin - gate.parity if gate.bound == "below" else gate.margin
    first, second = gate.key.contrast
    words = {"towards": towards, "away": away, "first": first, "second": second}
    words |= {"by": in_everyday_units(gate.estimate - gate.parity, scale), "allowed": in_everyday_units(limit, scale)}
    words |= {"name": gate.measure, "parity": format_number(gate.parity)}
    for name, value in words.items():
        template = template.replace(f"{{{name}}}", value)
    if gate.verdict is Verdict.INCONCLUSIVE:
        return f"Not decided: {template[:1].lower()}{template[1:]} {_doubt(gate)}"
    return template


def _doubt(gate: Gate) -> str:
    """How far off the model may be, given how much was measured."""
    if gate.interval is None:
        return "Too little was measured to say how sure that is."
    ends = [end - gate.parity for end in (gate.interval.low, gate.interval.high)]
    if gate.bound == "below":
        ends = [max(end, 0.0) for end in ends]
    most = in_everyday_units(max(map(abs, ends)), gate.description.scale)
    least = min(map(abs, ends)) if ends[0] * ends[1] > 0 else 0.0
    from_what = f"as little as {in_everyday_units(least, gate.description.scale)}" if least else "nothing at all"
    return f"With what was measured it may be {from_what}, or as much as {most}."


def plain_example(gate: Gate, result: Result) -> SentenceExample | None:
    """The item of the result that shows the finding most clearly; none where items have no pair of sentences."""
    sign = 1.0 if gate.estimate >= gate.parity else -1.0
    signed = gate.bound == "within" and gate.statistic == "mean"
    shown = [item for item in result.items if all(group in item.sentences for group in gate.key.contrast)]
    if not shown:
        return None
    worst = max(shown, key=lambda item: (sign * item.score if signed else abs(item.score), item.id))
    return _example(worst, gate)


def plain_search(search: Search) -> tuple[str, SentenceExample | None]:
    """The worst case of a search in plain words, with its two sentences; empty where the search itself failed."""
    if not search.cases:
        return "", None
    worst = max(search.cases, key=lambda case: case.gap)
    low, high = worst.extremes
    before, after = _shared(low.text, high.text)
    words = [text[len(before) : len(text) - len(after)] for text in (low.text, high.text)]
    found = f"A search found {pluralize(len(search.cases), 'kind of sentence', 'kinds of sentences')}"
    if not search.bound:
        plain, effect = f"{found} whose {search.figure} changes with the group.", f"{low.shown}, then {high.shown}"
    else:
        scale = SEARCHED.get(search.figure, "")
        gap = in_everyday_units(worst.gap, scale)
        allowed = in_everyday_units(search.bound, scale)
        plain = f"{found} in which the groups are treated differently, the worst by {gap}; allowed: {allowed}."
        effect = f"here the gap is {gap}, towards {high.group}"
    return plain, SentenceExample(before, words[0], words[1], after, effect)


def _example(item: ItemScore, gate: Gate) -> SentenceExample | None:
    first, second = (item.sentences[group].text for group in gate.key.contrast)
    if first == second:
        return None
    before, after = _shared(first, second)
    words = (first[len(before) : len(first) - len(after)], second[len(before) : len(second) - len(after)])
    return SentenceExample(
        before=before, first=words[0], second=words[1], after=after, effect=_effect(item, gate, words)
    )


def _effect(item: ItemScore, gate: Gate, words: tuple[str, str]) -> str:
    """How far one item is off: by its own words where these are short, else by the names of the groups."""
    short = max(map(len, words)) <= WORD_LENGTH
    towards, away = _directed(words if short else gate.key.contrast, item.score)
    towards, away = (f"“{towards}”", f"“{away}”") if short else (towards, away)
    scale = gate.description.scale
    if gate.statistic not in SCORED_ALIKE:
        return f"here it prefers {towards} to {away}"
    if scale == "log-odds":
        return f"here it makes {towards} {_times(item.score)} as likely, compared with {away}"
    return f"here the gap is {in_everyday_units(item.score, scale)}, towards {towards}"


def _times(distance: float) -> str:
    factor = exp(min(abs(distance), 700.0))
    decimals = 0 if factor >= ENOUGH_DIGITS else 1 if factor >= 2 else 2
    return f"{factor:,.{decimals}f} times"


def _shared(first: str, second: str) -> tuple[str, str]:
    """What two sentences have in common before and after they differ, in whole words."""
    start = first[: _agreeing(first, second)]
    before = start[: start.rfind(" ") + 1]
    rests = [text[len(before) :] for text in (first, second)]
    after = rests[0][len(rests[0]) - _agreeing(*(rest[::-1] for rest in rests)) :]
    place = next((at for at, letter in enumerate(after) if not letter.isalnum()), len(after))
    return before, after[place:]


def _agreeing(one: str, other: str) -> int:
    """How many characters two texts have in common from their beginning on."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _directed(contrast: tuple[str, str], gap: float) -> tuple[str, str]:
    """The group that a gap points to, and the other."""
    first, second = contrast
    return (first, second) if gap >= 0 else (second, first)
