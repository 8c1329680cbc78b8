"""Two results of the same measure on the same corpus: has the figure moved away from parity?

A comparison sees results only, so that stored ones can be compared without a model: a checkpoint with a
baseline, a model after debiasing with the same model before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from biascheck import stats
from biascheck.errors import BiascheckError, ScoreError, UsageError
from biascheck.results.compatibility import differences, require_comparable
from biascheck.results.description import UNDESCRIBED, Description
from biascheck.results.item_columns import sample_of
from biascheck.results.items import ItemScore
from biascheck.results.key import ResultKey
from biascheck.results.result import Result
from biascheck.results.summaries import LEVEL, RESAMPLES, RESAMPLES_IN_TAIL, interval_method
from biascheck.results.titles import model_label
from biascheck.stats import Change, DistanceChange, Interval, MeanChange, Sample
from biascheck.wording import decimals_for, figure, interval_text, signed

__all__ = ["Comparison", "Move", "compare", "compare_all", "why_not"]

# Two machines agree on a score to about this much; less is no change of the model.
ROUNDING = 1e-5
MANY_UNMATCHED = 0.2
MOST_MOVED = 3


@dataclass(frozen=True, slots=True)
class Move:
    """One cluster, or value of ``named_by``: the mean gap of its items before and after."""

    name: str
    before: float
    after: float

    @property
    def change(self) -> float:
        """After minus before, in the sense of the contrast."""
        return self.after - self.before

    def __str__(self) -> str:
        return f"{self.name} {signed(self.before)} → {signed(self.after)}"


@dataclass(frozen=True)
class Comparison:
    """How far a figure has moved from parity, self-contained: a report can be drawn from comparisons alone.

    ``before`` and ``after`` are the figures of the items that both results have, ``change`` is
    ``|after − parity| − |before − parity|``: positive is worse. ``moves`` tells who moved, the most first;
    ``unmatched`` names the items that only one of the results has. ``family`` is the number of comparisons that were
    judged together, ``test`` the test that judged this one, if it was one. ``key_before`` and ``key`` identify the
    results, ``corpus`` and the models are names for people.
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

    @property
    def measure(self) -> str:
        """The name of the measure."""
        return self.key.measure

    @property
    def statistic(self) -> str:
        """The statistic of both figures."""
        return self.key.statistic

    @property
    def contrast(self) -> tuple[str, str]:
        """The groups whose gap both figures are about."""
        return self.key.contrast

    @property
    def models(self) -> str:
        """Both models and what was done to them, for people."""
        before = model_label(self.model_before, self.key_before.treatment)
        after = model_label(self.model_after, self.key.treatment)
        return before if before == after else f"{before} → {after}"

    @property
    def title(self) -> str:
        """The measure, both models and the corpus in one phrase, for people."""
        return f"{self.measure} on {self.models} × {self.corpus}"

    @property
    def finding(self) -> str:
        """The judgement as one sentence."""
        parts = [f"{self.title}: {self.figures}, {self._judged()}"]
        if self.change and self.moves:
            parts.append(f"moved most: {', '.join(map(str, self.moves[:MOST_MOVED]))}")
        return f"{'; '.join(parts)} ({self._size()})"

    @property
    def passed(self) -> bool:
        """Whether nothing became worse, as far as can be told; a comparison without an interval shows nothing."""
        return self.verdict is not Change.REGRESSED and self.interval is not None

    @property
    def figures(self) -> str:
        """Both figures: "0.41 → 0.33"."""
        decimals = self._decimals
        return f"{figure(self.before, decimals)} → {figure(self.after, decimals)}"

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
        """The tolerance: "tolerance 0.10"; empty where no change was tolerated."""
        return f"tolerance {figure(self.tolerance, self._decimals)}" if self.tolerance else ""

    @property
    def _decimals(self) -> int:
        return decimals_for(self.interval, self.change, (0.0, self.tolerance))

    def _judged(self) -> str:
        moved = self.moved
        allowed = self.tolerated or "no change"
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


def compare(before: Result, after: Result, *, tolerance: float | None = None, level: float = LEVEL) -> Comparison:
    """Judge whether a figure has moved away from parity between two results of the same questions.

    The verdict comes from a paired interval of ``|after − parity| − |before − parity|`` (docs/statistics.md):
    *regressed* if it lies above ``tolerance``, *improved* if below 0, *no worse* if it ends at or below ``tolerance``,
    *inconclusive* otherwise. Without a tolerance it is the smallest change that matters, as the measure states it, or 0
    if it states none. Results that do not answer the same questions raise UsageError with the reason.
    """
    return compare_all([(before, after)], tolerance=tolerance, level=level)[0]


def compare_all(
    pairs: Sequence[tuple[Result, Result]], *, tolerance: float | None = None, level: float = LEVEL
) -> tuple[Comparison, ...]:
    """Judge several pairs (before, after) as one family: Holm's correction over all of them, see `compare`.

    A tolerance that is given applies to all of them, whatever their units; without one each measure has its own.
    """
    if not 0 < level < 1:
        raise UsageError(f"level {level} is not between 0 and 1; 95 % is level=0.95")
    matches = [_Match.of(before, after, family=len(pairs), level=level) for before, after in pairs]
    tolerances = [match.smallest_change if tolerance is None else tolerance for match in matches]
    verdicts = stats.judge_changes([match.interval_at for match in matches], tolerances, level=level)
    return tuple(
        match.written(tolerated, verdict, level, family=len(pairs))
        for match, tolerated, verdict in zip(matches, tolerances, verdicts, strict=True)
    )


def why_not(before: Result, after: Result) -> str:
    """Why two results cannot be compared, with the remedy; empty where they can."""
    if reasons := "; ".join(differences(before, after)):
        return reasons
    try:
        _ = _Match.of(before, after, family=1, level=LEVEL).figures
    except BiascheckError as error:
        return str(error)
    return ""


@dataclass(frozen=True)
class _Match:
    """The items of two results that answer the same questions, side by side."""

    before: Result
    after: Result
    items: tuple[tuple[ItemScore, ItemScore], ...]
    unmatched: tuple[str, ...]
    resamples: int

    @classmethod
    def of(cls, before: Result, after: Result, *, family: int, level: float) -> _Match:
        require_comparable(before, after)
        earlier, later = ({item.id: item for item in result.items} for result in (before, after))
        shared = tuple((earlier[name], later[name]) for name in earlier if name in later)
        if not shared:
            raise UsageError(
                f"{before.title} and {after.title} share no item, so there is nothing to compare: "
                "measure both on the same corpus"
            )
        if any((first.cluster, first.side) != (second.cluster, second.side) for first, second in shared):
            raise UsageError(f"{before.title} and {after.title} group the same items differently; measure both again")
        unmatched = tuple(sorted(earlier.keys() ^ later.keys()))
        resamples = max(RESAMPLES, round(RESAMPLES_IN_TAIL * family / (1 - level)))
        return cls(before, after, shared, unmatched, resamples)

    @cached_property
    def samples(self) -> tuple[Sample, Sample]:
        before, after = zip(*self.items, strict=True)
        return sample_of(before), sample_of(after)

    @cached_property
    def unchanged(self) -> bool:
        return all(
            abs(after - before) <= ROUNDING
            for earlier, later in self.items
            for before, after in (
                (earlier.score, later.score),
                (earlier.covariate or 0.0, later.covariate or 0.0),  # of a ratio it is the model's own, too
            )
        )

    @cached_property
    def figures(self) -> tuple[float, float]:
        before, after = (stats.estimate(sample, self.before.statistic) for sample in self.samples)
        return before, after

    @property
    def smallest_change(self) -> float:
        """What the measure calls the smallest change that matters; entries of a baseline have no description."""
        stated = (result.description.smallest_change for result in (self.after, self.before))
        return next((change for change in stated if change is not None), 0.0)

    @property
    def change(self) -> float:
        before, after = (abs(found - self.before.parity) for found in self.figures)
        return 0.0 if self.unchanged else after - before

    @cached_property
    def distance(self) -> DistanceChange | MeanChange:
        statistic = self.before.statistic
        if statistic in stats.MEAN_LIKE:
            return stats.paired_means(*self.samples, statistic, parity=self.before.parity)
        return stats.paired_bootstrap(
            *self.samples,
            statistic,
            rng=np.random.default_rng(self.before.seed),
            parity=self.before.parity,
            resamples=self.resamples,
            method=interval_method(statistic),
        )

    def interval_at(self, level: float) -> Interval | None:
        sample = self.samples[0]
        clusters = len(set(sample.clusters))
        if clusters < stats.MINIMUM_CLUSTERS:
            return None  # also where nothing changed: what is too little to be judged stays so
        if self.unchanged:
            return Interval(0.0, 0.0, level, f"no score differs by more than {ROUNDING:g}")
        if self.before.statistic == "share_positive" and clusters == len(sample):
            before, after = ((np.sign(found.values) + 1) / 2 for found in self.samples)
            return stats.paired_share_interval(before, after, parity=self.before.parity, level=level)
        try:
            return self.distance.interval_at(level)
        except ScoreError:  # a side with one cluster, or a figure that most resamples leave undefined
            return None

    def written(self, tolerance: float, verdict: Change, level: float, *, family: int) -> Comparison:
        before, after = self.before, self.after
        return Comparison(
            key_before=before.key,
            key=after.key,
            corpus=after.corpus_label,
            model_before=before.model,
            model_after=after.model,
            before=self.figures[0],
            after=self.figures[1],
            change=self.change,
            interval=self.interval_at(level),
            tolerance=tolerance,
            parity=before.parity,
            verdict=verdict,
            n=len(self.items),
            unit=after.unit,
            clusters=len(set(self.samples[0].clusters)),
            seed=before.seed,
            moves=_moves(self.items, after.name_of),
            unmatched=self.unmatched,
            family=family,
            warnings=(*after.warnings, *self._reservations()),
            description=after.description,
        )

    def _reservations(self) -> tuple[str, ...]:
        total = len(self.items) + len(self.unmatched)
        if len(self.unmatched) <= MANY_UNMATCHED * total:
            return ()
        return (f"{len(self.unmatched)} of {total} {self.after.unit} are in one of the two results only",)


def _moves(items: Sequence[tuple[ItemScore, ItemScore]], name_of: Callable[[ItemScore], str]) -> tuple[Move, ...]:
    members: dict[str, list[tuple[float, float]]] = {}
    for before, after in items:
        members.setdefault(name_of(after), []).append((before.score, after.score))
    moves = [Move(name, *(float(mean) for mean in np.mean(scores, axis=0))) for name, scores in members.items()]
    # rounded: moves that are equal but for the last digit come by name
    return tuple(sorted(moves, key=lambda move: (-round(abs(move.change), 9), move.name)))
