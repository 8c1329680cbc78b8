"""The items of two results that answer the same questions, matched, and the interval of the change between them."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from biascheck import stats
from biascheck.core.columns import repeats
from biascheck.core.errors import ScoreError, UsageError
from biascheck.results.items import ItemScore, clusters_of, covariates_of, gathered_items, ids_of, sample_of, scores_of
from biascheck.results.result import Result
from biascheck.results.summaries import RESAMPLES, RESAMPLES_IN_TAIL, interval_method
from biascheck.stats import DistanceChange, Interval, MeanChange, Sample

# Checks that two results answer the same questions, with the remedies if they do not.

IN_THIS_PROCESS = "transformers, in the process of the tests"


def similar_question(result: Result) -> tuple[object, ...]:
    """The question of a result with the name of its corpus in place of its fingerprint.

    It never joins two results. It finds the baseline entry of a result whose corpus has
    changed under the same name, so that the pair is rejected with that reason and not taken for new.
    """
    measure, statistic, treatment, _, *rest = result.key.question
    return measure, statistic, treatment, result.corpus, *rest


def require_comparable(before: Result, after: Result) -> None:
    """Raise UsageError if two results do not answer the same questions, with every reason and its remedy."""
    if found := list(differences(before, after)):
        raise UsageError(f"{before.title} and {after.title} cannot be compared: {'; '.join(found)}")


def differences(before: Result, after: Result) -> Iterator[str]:
    """Each difference that makes two results incomparable, with the remedy."""
    if before.measure != after.measure:
        yield f"one is {before.measure!r} and the other {after.measure!r}; compare results of one measure"
        return
    first, second = before.provenance, after.provenance
    if first.corpus_fingerprint != second.corpus_fingerprint and before.corpus != after.corpus:
        yield f"one is on {before.corpus!r} and the other on {after.corpus!r}; compare results on one corpus"
        return
    if before.slice != after.slice:
        yield f"one is on {before.corpus_label!r} and the other on {after.corpus_label!r}; compare the same part"
        return
    if first.measure_version != second.measure_version:
        yield (
            f"version {first.measure_version} of the measure gave one and version {second.measure_version} the other; "
            "measure both again with one release"
        )
    if first.corpus_fingerprint != second.corpus_fingerprint:
        yield "the corpus of that name has changed between them; measure both on the same corpus"
    for name in ("statistic", "contrast", "parity"):
        if getattr(before, name) != getattr(after, name):
            yield f"{name} is {getattr(before, name)!r} in one and {getattr(after, name)!r} in the other; use the same"
    if before.seed != after.seed:
        yield f"seed {before.seed} and seed {after.seed}; run again with --bias-seed {before.seed}"
    yield from _other_options(first.options, second.options)


def other_runtime(before: Result, after: Result) -> str:
    """Why two results of one model may differ: runtimes compute slightly different scores from the same weights.

    Empty if one runtime gave both. A model that names none runs in the test process.
    """
    first, second = (one.provenance.model.get("runtime") or IN_THIS_PROCESS for one in (before, after))
    if first == second:
        return ""
    return (
        f"{first} gave one and {second} the other, and runtimes differ by as much as a tenth of a log unit on the same "
        "weights; measure both by one, or allow it with --bias-allow-other-runtime (biascheck compare and trend: "
        "--allow-other-runtime)"
    )


def _other_options(first: Mapping[str, object], second: Mapping[str, object]) -> Iterator[str]:
    for name in sorted((first.keys() | second.keys()) - {"seed"}):
        if _plain(first.get(name)) != _plain(second.get(name)):
            yield f"option {name} is {first.get(name)!r} in one and {second.get(name)!r} in the other; use the same"


def _plain(value: object) -> object:
    """Compare lists and tuples as equal: a stored tuple is read back as a list."""
    return json.loads(json.dumps(value))


# Two machines agree on a score to about this much; smaller differences are no change of the model.
MATCH_ROUNDING = 1e-5
MANY_UNMATCHED = 0.2


@dataclass(frozen=True)
class MatchedItems:
    """The items of two results that answer the same questions, matched: ``earlier[n]`` and ``later[n]`` are the same
    item.

    Neither is a list of objects if the results have columns.
    """

    before: Result
    after: Result
    earlier: Sequence[ItemScore]
    later: Sequence[ItemScore]
    unmatched: tuple[str, ...]
    resamples: int

    @classmethod
    def of(cls, before: Result, after: Result, *, family: int, level: float) -> MatchedItems:
        """Match items by id; an error for results that do not answer the same questions about the same items."""
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
        """The scores before and after, as the arrays that the statistics use."""
        return sample_of(self.earlier), sample_of(self.later)

    @cached_property
    def unchanged(self) -> bool:
        """Whether every score is the same up to rounding."""
        # for a ratio, the covariate also depends on the model
        return all(
            abs(after - before) <= MATCH_ROUNDING
            for numbers in (scores_of, covariates_of)
            for before, after in zip(numbers(self.earlier), numbers(self.later), strict=True)
        )

    @cached_property
    def estimates(self) -> tuple[float, float]:
        """The estimate on the shared items before and after."""
        before, after = (stats.estimate(sample, self.before.statistic) for sample in self.samples)
        return before, after

    @property
    def smallest_change(self) -> float:
        """The smallest change that matters, by the measure's description; baseline entries have none."""
        stated = (result.description.smallest_change for result in (self.after, self.before))
        return next((change for change in stated if change is not None), 0.0)

    @property
    def change(self) -> float:
        """The change of the estimate's distance from parity."""
        before, after = (abs(found - self.before.parity) for found in self.estimates)
        return 0.0 if self.unchanged else after - before

    @cached_property
    def distance(self) -> DistanceChange | MeanChange:
        """The resamples from which intervals of the change are computed."""
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
        """The interval of the change, or ``None`` if there are too few clusters."""
        sample = self.samples[0]
        clusters = len(sample.names)
        if clusters < stats.MINIMUM_CLUSTERS:
            return None  # even if nothing changed: too few clusters stay too few
        if self.unchanged:
            return Interval(0.0, 0.0, level, f"no score differs by more than {MATCH_ROUNDING:g}")
        if self.before.statistic == "share_positive" and clusters == len(sample):
            before, after = ((np.sign(found.values) + 1) / 2 for found in self.samples)
            return stats.paired_share_interval(before, after, parity=self.before.parity, level=level)
        try:
            return self.distance.interval_at(level)
        except ScoreError:  # a side with one cluster, or an estimate that most resamples leave undefined
            return None

    def caveats(self) -> tuple[str, ...]:
        """Caveats of the match."""
        total = len(self.earlier) + len(self.unmatched)
        if len(self.unmatched) <= MANY_UNMATCHED * total:
            return ()
        return (f"{len(self.unmatched)} of {total} {self.after.unit} are in one of the two results only",)


def _shared(
    before: Sequence[ItemScore], after: Sequence[ItemScore]
) -> tuple[Sequence[ItemScore], Sequence[ItemScore], tuple[str, ...]]:
    """The items of both, in the order of the first, and the ids that only one has."""
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
