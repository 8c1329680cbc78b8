"""The items of two results that answer the same questions, side by side, and how far their figures lie apart."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from biascheck import stats
from biascheck.errors import ScoreError, UsageError
from biascheck.packed_columns import repeats
from biascheck.results.comparing.compatibility import require_comparable
from biascheck.results.item_columns import clusters_of, covariates_of, gathered_items, ids_of, sample_of, scores_of
from biascheck.results.items import ItemScore
from biascheck.results.result import Result
from biascheck.results.summaries import RESAMPLES, RESAMPLES_IN_TAIL, interval_method
from biascheck.stats import DistanceChange, Interval, MeanChange, Sample

__all__ = ["MATCH_ROUNDING", "MatchedItems"]

# Two machines agree on a score to about this much; less is no change of the model.
MATCH_ROUNDING = 1e-5
MANY_UNMATCHED = 0.2


@dataclass(frozen=True)
class MatchedItems:
    """The items of two results that answer the same questions, side by side: ``earlier[n]`` and ``later[n]`` are one.

    Neither is a list of objects where a result has columns.
    """

    before: Result
    after: Result
    earlier: Sequence[ItemScore]
    later: Sequence[ItemScore]
    unmatched: tuple[str, ...]
    resamples: int

    @classmethod
    def of(cls, before: Result, after: Result, *, family: int, level: float) -> MatchedItems:
        """Match items by id; results that do not ask the same of the same items are refused."""
        require_comparable(before, after)
        earlier, later, unmatched = _shared(before.items, after.items)
        if not earlier:
            raise UsageError(
                f"{before.title} and {after.title} share no item, so there is nothing to compare: "
                "measure both on the same corpus"
            )
        if any(first != second for first, second in zip(clusters_of(earlier), clusters_of(later), strict=True)):
            raise UsageError(f"{before.title} and {after.title} group the same items differently; measure both again")
        resamples = max(RESAMPLES, round(RESAMPLES_IN_TAIL * family / (1 - level)))
        return cls(before, after, earlier, later, unmatched, resamples)

    @cached_property
    def samples(self) -> tuple[Sample, Sample]:
        """The scores before and after, as the arrays that the statistics work on."""
        return sample_of(self.earlier), sample_of(self.later)

    @cached_property
    def unchanged(self) -> bool:
        """Whether every score is the same but for rounding."""
        # of a ratio the covariate is the model's own, too
        return all(
            abs(after - before) <= MATCH_ROUNDING
            for numbers in (scores_of, covariates_of)
            for before, after in zip(numbers(self.earlier), numbers(self.later), strict=True)
        )

    @cached_property
    def estimates(self) -> tuple[float, float]:
        """The figure of the shared items before and after."""
        before, after = (stats.estimate(sample, self.before.statistic) for sample in self.samples)
        return before, after

    @property
    def smallest_change(self) -> float:
        """What the measure calls the smallest change that matters; entries of a baseline have no description."""
        stated = (result.description.smallest_change for result in (self.after, self.before))
        return next((change for change in stated if change is not None), 0.0)

    @property
    def change(self) -> float:
        """How much further from parity the figure is than before."""
        before, after = (abs(found - self.before.parity) for found in self.estimates)
        return 0.0 if self.unchanged else after - before

    @cached_property
    def distance(self) -> DistanceChange | MeanChange:
        """What the intervals of the change come from."""
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
        """The interval of the change, or ``None`` where there is too little for one."""
        sample = self.samples[0]
        clusters = len(sample.names)
        if clusters < stats.MINIMUM_CLUSTERS:
            return None  # also where nothing changed: what is too little to be judged stays so
        if self.unchanged:
            return Interval(0.0, 0.0, level, f"no score differs by more than {MATCH_ROUNDING:g}")
        if self.before.statistic == "share_positive" and clusters == len(sample):
            before, after = ((np.sign(found.values) + 1) / 2 for found in self.samples)
            return stats.paired_share_interval(before, after, parity=self.before.parity, level=level)
        try:
            return self.distance.interval_at(level)
        except ScoreError:  # a side with one cluster, or a figure that most resamples leave undefined
            return None

    def caveats(self) -> tuple[str, ...]:
        """What a reader should know about the match."""
        total = len(self.earlier) + len(self.unmatched)
        if len(self.unmatched) <= MANY_UNMATCHED * total:
            return ()
        return (f"{len(self.unmatched)} of {total} {self.after.unit} are in one of the two results only",)


def _shared(
    before: Sequence[ItemScore], after: Sequence[ItemScore]
) -> tuple[Sequence[ItemScore], Sequence[ItemScore], tuple[str, ...]]:
    """The items that both have, in the order of the first, and the ids that only one has."""
    if _same(before, after) and not repeats(array("q", map(hash, ids_of(before)))):
        return before, after, ()
    earlier, later = ({name: place for place, name in enumerate(ids_of(items))} for items in (before, after))
    names = [name for name in earlier if name in later]
    return (
        gathered_items(before[earlier[name]] for name in names),
        gathered_items(after[later[name]] for name in names),
        tuple(sorted(earlier.keys() ^ later.keys())),
    )


def _same(before: Sequence[ItemScore], after: Sequence[ItemScore]) -> bool:
    """Whether both have the same ids in the same order."""
    if len(before) != len(after):
        return False
    return all(one == other for one, other in zip(ids_of(before), ids_of(after), strict=True))
