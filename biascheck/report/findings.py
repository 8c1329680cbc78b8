"""Findings and changes in plain words, for readers who know no statistics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp

from biascheck.core.wording import INCONCLUSIVE, NOT_COMPARABLE, format_number, pluralize
from biascheck.gates.gate import Gate, to_decide
from biascheck.gates.search import Search
from biascheck.report.gates import EXPECTED_FAILURES, Link
from biascheck.report.words import ORDER
from biascheck.results.compare import Comparison
from biascheck.results.definition import Scale
from biascheck.results.items import ItemScore
from biascheck.results.key import ResultKey
from biascheck.results.result import Result
from biascheck.runs.run import Run
from biascheck.stats import Change, Verdict

# A gate in plain words: the distance from parity, the allowed distance, and an example sentence.

STARS = 4
"""From one star of five to five there are four steps, and a rating goes from 0 to 1."""
ENOUGH_DIGITS = 10
FALLBACK = "The {name} is {by} away from {parity}, its value where groups are treated alike; allowed: {allowed}."
"""For a measure that has no sentence of its own."""
SCORED_ALIKE = ("mean", "mean_absolute", "rms_gap", "slope", "difference")
"""Statistics whose items are counted in the unit of the figure; of others an item shows a direction alone."""
WORD_LENGTH = 24
SEARCHED: dict[str, Scale] = {"association": "log-odds", "probability": "share", "rating": "rating"}
"""Figures of searches that have everyday units."""


@dataclass(frozen=True)
class SentenceExample:
    """A sentence that shows a finding: what both versions share, and the words in which they differ."""

    before: str
    first: str
    second: str
    after: str
    effect: str


def in_everyday_units(distance: float, scale: Scale) -> str:
    """A distance from parity in everyday units: "a factor of 12", "0.4 stars of five"."""
    distance = abs(distance)
    if scale == "log-odds":
        return f"a factor of {_times(distance).removesuffix(' times')}"
    if scale == "rating":
        return f"{format_number(STARS * distance, 1)} stars of five"
    if scale == "share":
        return f"{format_number(100 * distance, 0 if distance >= 0.1 else 1)} percentage points"
    return format_number(distance)


def plain_finding(gate: Gate) -> str:
    """A gate in the plain words of its measure; empty if it is invalid."""
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
        return f"{INCONCLUSIVE}: {template[:1].lower()}{template[1:]} {_doubt(gate)}"
    return template


def _doubt(gate: Gate) -> str:
    """The smallest and the largest distance from parity in the interval."""
    if gate.interval is None:
        return "There are too few clusters for an interval."
    ends = [end - gate.parity for end in (gate.interval.low, gate.interval.high)]
    if gate.bound == "below":
        ends = [max(end, 0.0) for end in ends]
    most = in_everyday_units(max(map(abs, ends)), gate.description.scale)
    least = min(map(abs, ends)) if ends[0] * ends[1] > 0 else 0.0
    from_what = f"as little as {in_everyday_units(least, gate.description.scale)}" if least else "no difference at all"
    return f"With this sample it may be {from_what}, or as much as {most}."


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
    """The gap of one item: by its own words if these are short, else by the names of the groups."""
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
    """The words that two sentences share before and after their difference."""
    start = first[: _agreeing(first, second)]
    before = start[: start.rfind(" ") + 1]
    rests = [text[len(before) :] for text in (first, second)]
    after = rests[0][len(rests[0]) - _agreeing(*(rest[::-1] for rest in rests)) :]
    place = next((at for at, letter in enumerate(after) if not letter.isalnum()), len(after))
    return before, after[place:]


def _agreeing(one: str, other: str) -> int:
    """The length of the common beginning of two texts."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _directed(contrast: tuple[str, str], gap: float) -> tuple[str, str]:
    """The group that a gap points to, and the other."""
    first, second = contrast
    return (first, second) if gap >= 0 else (second, first)


# A comparison in plain words: the measure, its distances from parity before and after, and what moved most.

WORDS = {
    Change.REGRESSED: "Further from equal treatment than before",
    Change.INVALID: NOT_COMPARABLE,
    Change.INCONCLUSIVE: INCONCLUSIVE,
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
    """The distances from parity before and after, in everyday units, and what moved most."""
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
        return f"{one.measure} was at parity, now {after} from it{most}."
    if after == nothing != before:
        return f"{one.measure} was {before} from parity, now at parity{most}."
    return f"{one.measure} was {before} from parity, now {after}{most}."


def _finding(number: int, one: Comparison) -> ChangeFinding:
    anchor = f"change-{number}" if one.moves and (one.change or one.unmatched) else "changes"
    plain = f"{one.measure}: {one.inability}." if one.verdict is Change.INVALID else _distances(one)
    return ChangeFinding(
        f"{plain[:1].upper()}{plain[1:]}", one.title, f": {one.figures}, {one.moved_and_tolerated}", anchor
    )


# The findings of a run: failures by model, accepted findings, and expected failures.

MOST_OF_ONE_MODEL, MOST_OF_SEVERAL = 5, 3
MOST_MODELS = 3


@dataclass(frozen=True)
class Finding:
    """A finding: its subject, the rest of its sentence, and the place of its details on the page.

    ``plain`` says it in words that need no statistics; ``example`` is a sentence that shows it. ``model`` is empty if
    the finding is about no model.
    """

    title: str
    text: str
    anchor: str
    plain: str = ""
    example: SentenceExample | None = None
    model: str = ""


@dataclass(frozen=True)
class ModelFindings:
    """The findings of one model, the worst first; those beyond the first few are only counted."""

    model: str
    count: str
    shown: tuple[Finding, ...]
    hidden: int
    folded: bool


@dataclass(frozen=True)
class Findings:
    """Findings of one kind, model by model; those that need no action are folded."""

    heading: str
    count: str
    folded: bool
    models: tuple[ModelFindings, ...]


def findings_of(run: Run, links: Mapping[ResultKey, Link]) -> tuple[Findings, ...]:
    """The gates, comparisons and results that need attention; empty if all are within their margins."""
    caught = run.caught
    results = {result.key: result for result in run.results}
    failed = [gate for gate in run.gates if not gate.passed and gate not in caught]
    accepted = [gate for gate in run.gates if gate.passed and gate.verdict is not Verdict.WITHIN]
    exceeding = [gate for gate in failed if gate.verdict is Verdict.EXCEEDS]
    in_doubt = [gate for gate in failed if gate.verdict not in (Verdict.EXCEEDS, Verdict.INVALID)]
    judged = [
        *_gates(exceeding, links, results),
        *_searches(run),
        *_comparisons(run.all_comparisons),
        *_baseline(run),
        *_gates(in_doubt, links, results),
        *_unread(failed, links),
    ]
    kinds = [
        ("What failed", "finding", judged, False),  # findings, then unknowns
        ("Accepted", "gate", list(_gates(accepted, links, results)), True),
        (EXPECTED_FAILURES, "gate", list(_gates(caught, links, results)), True),
    ]
    return tuple(_kind(*kind) for kind in kinds if kind[2])


def _kind(heading: str, noun: str, found: Sequence[Finding], folded: bool) -> Findings:
    models: dict[str, list[Finding]] = {}
    for finding in found:
        models.setdefault(finding.model, []).append(finding)
    most = MOST_OF_ONE_MODEL if len(models) == 1 else MOST_OF_SEVERAL
    return Findings(
        heading=heading,
        count=pluralize(len(found), noun),
        folded=folded,
        models=tuple(
            ModelFindings(
                model, pluralize(len(of), "finding"), tuple(of[:most]), len(of[most:]), folded=number >= MOST_MODELS
            )
            for number, (model, of) in enumerate(models.items())
        ),
    )


def _gates(
    gates: Sequence[Gate], links: Mapping[ResultKey, Link], results: Mapping[ResultKey, Result]
) -> Iterator[Finding]:
    for gate in _varied(sorted(gates, key=_order)):
        result = results.get(gate.key)
        plain = plain_finding(gate)
        yield Finding(
            title=gate.title,
            text=_figures(gate) if plain else replace(gate, published=()).finding.removeprefix(gate.title),
            anchor=links[gate.key].anchor if gate.key in links else "gates",
            plain=plain,
            example=None if result is None else plain_example(gate, result),
            model=gate.model,
        )


def _unread(gates: Sequence[Gate], links: Mapping[ResultKey, Link]) -> Iterator[Finding]:
    """Failed readability checks; gates that fail for the same reason share a finding."""
    reasons: dict[tuple[str, str], list[Gate]] = {}
    for gate in sorted(gates, key=_order):
        if gate.verdict is Verdict.INVALID:
            reasons.setdefault((gate.model, gate.inability), []).append(gate)
    for (model, inability), of in reasons.items():
        measures = " and ".join(dict.fromkeys(gate.measure for gate in of))
        yield Finding(
            title=of[0].title,
            text=f" and {pluralize(len(of) - 1, 'more gate')}: invalid" if len(of) > 1 else ": invalid",
            anchor=links[of[0].key].anchor if of[0].key in links else "gates",
            plain=f"Nothing can be said about {measures}: {inability}.",
            model=model,
        )


def _figures(gate: Gate) -> str:
    decided = f"to decide: {needed}" if (needed := to_decide(gate)) else ""
    return "; ".join(filter(None, (f": {gate.measured}, allowed {gate.allowed}", gate.acceptance, decided)))


def _varied(gates: Sequence[Gate]) -> list[Gate]:
    """The worst gate of each measure and model first, then the second of each: five alike would hide the rest."""
    seen: Counter[tuple[Verdict, str, str]] = Counter()
    ranked: list[tuple[int, int, Gate]] = []
    for gate in gates:
        kind = (gate.verdict, gate.measure, gate.model)
        ranked.append((ORDER.index(gate.verdict), seen[kind], gate))
        seen[kind] += 1
    return [gate for _, _, gate in sorted(ranked, key=lambda entry: entry[:2])]


def _order(gate: Gate) -> tuple[int, float, str, str, str]:
    """The worst first: by verdict, then by how many margins away from parity."""
    margins = abs(gate.estimate - gate.parity) / (abs(gate.margin) or 1.0)
    return ORDER.index(gate.verdict), -margins, gate.title, gate.key.digest, gate.test


def _comparisons(comparisons: Sequence[Comparison]) -> Iterator[Finding]:
    failed = [one for one in comparisons if not one.passed]
    for one in sorted(failed, key=lambda one: (-one.change, one.title, one.key.digest)):
        text = one.finding.removeprefix(one.title)
        yield Finding(one.title, text, "changes", plain=plain_change(one), model=one.model_after)


def _searches(run: Run) -> Iterator[Finding]:
    failed = [one for one in run.searches if not one.passed]
    for one in sorted(failed, key=lambda one: -one.largest):
        plain, example = plain_search(one)
        text = f": {one.measured}, allowed {one.allowed}; {one.share_text}"
        known = text if plain else one.finding.removeprefix(one.title)
        yield Finding(one.title, known, "worst-cases", plain=plain, example=example, model=one.model)


def _baseline(run: Run) -> Iterator[Finding]:
    if run.baseline is not None:
        for one in run.baseline.refused:
            yield Finding(one.title, f": not comparable with the baseline: {one.reason}", "changes")
        for one in run.baseline.shrunk:
            yield Finding(one.title, f": fewer items than the baseline: {one.reason}", "changes")
