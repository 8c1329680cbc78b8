"""Comparisons of two results, one by one or as a family; rankings of models under several wordings (Selvam 2023)."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from biascheck import stats
from biascheck.core.errors import BiascheckError, UsageError
from biascheck.core.wording import decimals_for, format_number, interval_text, signed
from biascheck.results.attachments import Table
from biascheck.results.definition import UNDESCRIBED, Description, UnreadableOption
from biascheck.results.items import names_of, sample_of, scores_of
from biascheck.results.key import ResultKey, canonical, model_label
from biascheck.results.matching import MatchedItems, differences
from biascheck.results.result import Result
from biascheck.results.summaries import LEVEL
from biascheck.stats import Change, Interval

# Two results of the same measure on the same corpus: has the estimate moved away from parity?
#
# A comparison uses results only, so that stored ones can be compared without a model: a checkpoint with a baseline,
# a model after debiasing with the same model before.

MOST_MOVED = 3


@dataclass(frozen=True, slots=True)
class Move:
    """One cluster, or value of ``named_by``: the mean gap of its items before and after."""

    name: str
    before: float
    after: float

    @property
    def change(self) -> float:
        """After minus before, in the direction of the contrast."""
        return self.after - self.before

    def __str__(self) -> str:
        return f"{self.name} {signed(self.before)} → {signed(self.after)}"


@dataclass(frozen=True)
class Comparison:
    """The change of a distance from parity, self-contained: a report can be made from comparisons alone.

    ``before`` and ``after`` are the estimates of the items that both results have, ``change`` is
    ``|after − parity| − |before − parity|``: positive is worse. ``moves`` lists the clusters that moved, the largest
    move first; ``unmatched`` names the items that only one of the results has. ``family`` is the number of comparisons
    that were corrected together, ``test`` the pytest test that made this one, if any. ``key_before`` and ``key``
    identify the results, ``corpus`` and the models are names for people. ``inability`` says which of the models cannot
    do the task, and why: a meaningless estimate is neither better nor worse than another.
    """

    key_before: ResultKey
    key: ResultKey
    corpus: str
    model_before: str
    model_after: str
    before: float
    after: float
    change: float
    interval: Interval | None
    tolerance: float
    parity: float
    verdict: Change
    n: int
    unit: str
    clusters: int
    seed: int
    moves: tuple[Move, ...] = ()
    unmatched: tuple[str, ...] = ()
    family: int = 1
    warnings: tuple[str, ...] = ()
    test: str = ""
    description: Description = UNDESCRIBED
    inability: str = ""

    @property
    def measure(self) -> str:
        """The name of the measure."""
        return self.key.measure

    @property
    def statistic(self) -> str:
        """The statistic of both estimates."""
        return self.key.statistic

    @property
    def contrast(self) -> tuple[str, str]:
        """The groups whose gap both estimates are about."""
        return self.key.contrast

    @property
    def models(self) -> str:
        """Both models and their treatments, for people."""
        before = model_label(self.model_before, self.key_before.treatment)
        after = model_label(self.model_after, self.key.treatment)
        return before if before == after else f"{before} → {after}"

    @property
    def title(self) -> str:
        """The measure, both models and the corpus in one phrase, for people."""
        return f"{self.measure} on {self.models} × {self.corpus}"

    @property
    def finding(self) -> str:
        """The comparison as one sentence."""
        parts = [f"{self.title}: {self.figures}, {self._verdict_in_words()}"]
        if self.change and self.moves:
            parts.append(f"moved most: {', '.join(map(str, self.moves[:MOST_MOVED]))}")
        return f"{'; '.join(parts)} ({self._size()})"

    @property
    def passed(self) -> bool:
        """Whether nothing became worse, as far as the data show; a comparison without an interval shows nothing."""
        return self.verdict not in (Change.REGRESSED, Change.INVALID) and self.interval is not None

    @property
    def figures(self) -> str:
        """Both figures: "0.41 → 0.33"."""
        decimals = self._decimals
        return f"{format_number(self.before, decimals)} → {format_number(self.after, decimals)}"

    @property
    def moved(self) -> str:
        """The change of the distance from parity, with its interval."""
        return f"{signed(self.change, self._decimals)} {interval_text(self.interval, self._decimals)}"

    @property
    def moved_and_tolerated(self) -> str:
        """The change beside its tolerance, for a row of a table: "+0.02 [0.01, 0.03], tolerance 0.10"."""
        return ", ".join(filter(None, (self.moved, self.tolerated)))

    @property
    def tolerated(self) -> str:
        """The tolerance: "tolerance 0.10"; empty if no change was tolerated."""
        return f"tolerance {format_number(self.tolerance, self._decimals)}" if self.tolerance else ""

    @property
    def _decimals(self) -> int:
        return decimals_for(self.interval, self.change, (0.0, self.tolerance))

    def _verdict_in_words(self) -> str:
        moved = self.moved
        allowed = self.tolerated or "no change"
        if self.verdict is Change.INVALID:
            return f"invalid: {self.inability}"
        if self.interval is None:
            return f"distance from parity {moved} cannot be judged: too few clusters for an interval"
        if self.verdict is Change.INCONCLUSIVE:
            caution = f"; {self.interval.caution}" if self.interval.caution else ""
            return f"distance from parity {moved} is inconclusive: the interval crosses {allowed}{caution}"
        within = f" within {allowed}" if self.tolerated else ""
        return {
            Change.REGRESSED: f"further from parity by {moved}, beyond {allowed}: regressed",
            Change.IMPROVED: f"closer to parity by {moved}: improved",
            Change.NO_WORSE: f"distance from parity {moved}: no worse{within}",
        }[self.verdict]

    def _size(self) -> str:
        size = [f"{self.n:,} {self.unit}"]
        if self.unmatched:
            size.append(f"{len(self.unmatched):,} in one result only")
        if self.family > 1:
            size.append(f"one of {self.family} comparisons")
        return ", ".join([*size, f"seed {self.seed}"])


@dataclass(frozen=True)
class _ComparisonLimit:
    """The settings of a family of comparisons, besides their tolerance."""

    level: float
    family: int
    ignoring: Collection[ResultKey]


def compare(
    before: Result,
    after: Result,
    *,
    tolerance: float | None = None,
    level: float = LEVEL,
    competence: UnreadableOption = None,
) -> Comparison:
    """Decide whether an estimate has moved away from parity between two results of the same questions.

    The verdict comes from a paired interval of ``|after − parity| − |before − parity|`` (docs/statistics.md):
    *regressed* if it lies above ``tolerance``, *improved* if below 0, *no worse* if it ends at or below ``tolerance``,
    *inconclusive* otherwise. Without a tolerance it is the smallest change that matters, as the measure states it, or 0
    if it states none. A model that cannot do the task makes the comparison *invalid*, unless
    ``competence="ignore"``. Results that do not answer the same questions raise UsageError with the reason.
    """
    if competence not in ("ignore", None):
        raise UsageError(f"competence is 'ignore' or not given, not {competence!r}")
    ignoring = (before.key, after.key) if competence == "ignore" else ()
    return compare_all([(before, after)], tolerance=tolerance, level=level, ignoring=ignoring)[0]


def compare_all(
    pairs: Sequence[tuple[Result, Result]],
    *,
    tolerance: float | None = None,
    level: float = LEVEL,
    ignoring: Collection[ResultKey] = (),
    done: Callable[[], None] | None = None,
) -> tuple[Comparison, ...]:
    """Compare several pairs (before, after) as one family: Holm's correction over all of them, see `compare`.

    A tolerance that is given applies to all of them, whatever their units; without one each measure has its own.
    ``ignoring`` names results that are compared although their model cannot do the task. ``done`` is called once
    for each pair, when its interval is known.
    """
    if not 0 < level < 1:
        raise UsageError(f"level {level} is not between 0 and 1; 95 % is level=0.95")
    matches = [MatchedItems.of(before, after, family=len(pairs), level=level) for before, after in pairs]
    tolerances = [match.smallest_change if tolerance is None else tolerance for match in matches]
    intervals = [_noticed(match.interval_at, done) for match in matches]
    verdicts = stats.verdicts_of_changes(intervals, tolerances, level=level)
    limit = _ComparisonLimit(level, len(pairs), ignoring)
    return tuple(
        _written(match, tolerated, verdict, match.after.inability or match.before.inability, limit)
        for match, tolerated, verdict in zip(matches, tolerances, verdicts, strict=True)
    )


def _noticed(
    interval_at: Callable[[float], Interval | None], done: Callable[[], None] | None
) -> Callable[[float], Interval | None]:
    """The same, with ``done`` called after the first interval: further levels need no resampling."""
    left = [done] if done is not None else []

    def noticed(level: float) -> Interval | None:
        found = interval_at(level)
        if left:
            left.pop()()
        return found

    return noticed


def why_not(before: Result, after: Result) -> str:
    """The reason why two results cannot be compared, with the remedy; empty if they can."""
    if reasons := "; ".join(differences(before, after)):
        return reasons
    try:
        _ = MatchedItems.of(before, after, family=1, level=LEVEL).estimates
    except BiascheckError as error:
        return str(error)
    return ""


def _written(
    match: MatchedItems, tolerance: float, verdict: Change, inability: str, limit: _ComparisonLimit
) -> Comparison:
    before, after = match.before, match.after
    ignored = inability and not {before.key, after.key}.isdisjoint(limit.ignoring)
    caution = (f"{inability}; compared anyway",) if ignored else ()
    return Comparison(
        key_before=before.key,
        key=after.key,
        corpus=after.corpus_label,
        model_before=before.model,
        model_after=after.model,
        before=match.estimates[0],
        after=match.estimates[1],
        change=match.change,
        interval=match.interval_at(limit.level),
        tolerance=tolerance,
        parity=before.parity,
        verdict=Change.INVALID if inability and not ignored else verdict,
        n=len(match.earlier),
        unit=after.unit,
        clusters=len(match.samples[0].names),
        seed=before.seed,
        moves=_moves(match),
        unmatched=match.unmatched,
        family=limit.family,
        warnings=(*after.warnings, *match.caveats(), *caution),
        description=after.description,
        inability=inability,
    )


def _moves(match: MatchedItems) -> tuple[Move, ...]:
    members: dict[str, array[float]] = {}
    names = names_of(match.later, match.after.named_by)
    for name, before, after in zip(names, scores_of(match.earlier), scores_of(match.later), strict=True):
        members.setdefault(name, array("d")).extend((before, after))
    moves = [Move(name, *np.reshape(found, (-1, 2)).mean(axis=0).tolist()) for name, found in members.items()]
    # rounded: moves that differ only in the last digit are sorted by name
    return tuple(sorted(moves, key=lambda move: (-round(abs(move.change), 9), move.name)))


UNSTABLE = "ranking unstable"


def ranking_table(results: Sequence[Result], *, by: str = "wording") -> Table:
    """The distance of each model from parity under every value of a label, and whether the ranking is the same under
    all.

    The results are of one measure on one corpus, of two models or more. The title of the table says "ranking unstable"
    if two models change places between two values of the label, in either direction; the interval of each result
    covers this if the values are draws (several wordings or orders). Attach it to a result with ``with_attachments``.
    """
    if len(results) < 2 or len({(one.measure, one.corpus, one.slice) for one in results}) > 1:
        raise UsageError("a ranking needs results of two models or more, of one measure on one corpus")
    values = sorted({str(item.labels.get(by, "")) for one in results for item in one.items})
    if len(values) < 2:
        raise UsageError(f"the items have one {by} only, so there is nothing to compare; measure several")
    found = {value: [_distance(one, by, value) for one in results] for value in values}
    orders = {_ranking(distances) for distances in found.values()}
    said = f"{UNSTABLE} between {by}s" if len(orders) > 1 else f"the ranking is the same under every {by}"
    columns = (by, *(one.model_label for one in results), "ranking")
    rows: tuple[tuple[str | int | float | None, ...], ...] = tuple(
        (value, *distances, _text(distances, results)) for value, distances in found.items()
    )
    return Table(columns=columns, rows=rows, title=said)


def with_rankings(results: Sequence[Result]) -> list[Result]:
    """The results; those of several models measured under several wordings have their ranking attached.

    Only models measured alike are compared: the same measure, corpus, part, contrast and options.
    """
    alike: dict[Hashable, list[Result]] = {}
    for one in results:
        alike.setdefault(_measured_alike(one), []).append(one)
    tables = {key: ranking_table(group) for key, group in alike.items() if _can_be_ranked(group)}
    found = [(one, tables.get(_measured_alike(one))) for one in results]
    return [one if table is None else one.with_attachments(table) for one, table in found]


def _measured_alike(one: Result) -> Hashable:
    key = one.key
    asked = {name: value for name, value in json.loads(key.options).items() if name != "framing"}
    return key.measure, key.version, key.statistic, key.corpus, key.slice, key.contrast, canonical(asked)


def _can_be_ranked(group: Sequence[Result]) -> bool:
    first, *others = [{str(item.labels.get("wording", "")) for item in one.items} for one in group]
    several = len(first) > 1 and all(wordings == first for wordings in others)
    return several and len({one.model_label for one in group}) > 1


def _distance(result: Result, by: str, value: str) -> float:
    items = tuple(item for item in result.items if str(item.labels.get(by, "")) == value)
    if not items:
        raise UsageError(f"{result.title}: no item has {by}={value}; measure all models in the same way")
    return abs(stats.estimate(sample_of(items), result.statistic) - result.parity)


def _ranking(distances: Sequence[float]) -> tuple[int, ...]:
    return tuple(sorted(range(len(distances)), key=lambda place: (distances[place], place)))


def _text(distances: Sequence[float], results: Sequence[Result]) -> str:
    return " < ".join(results[place].model_label for place in _ranking(distances))
