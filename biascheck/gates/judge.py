"""One result against limits: its interval, its family, and whether a limit can be decided at all."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from biascheck import stats
from biascheck.core.errors import UsageError
from biascheck.core.wording import format_number, interval_text, pluralize
from biascheck.gates import reach
from biascheck.gates.families import Family, outside_among
from biascheck.gates.gate import Bound
from biascheck.results.result import Result
from biascheck.results.summaries import interval_of_sample
from biascheck.stats import Interval, Sample, Verdict

REPETITIONS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 64)
"""Multiples of the clusters that are tried for the remedy."""


@dataclass(frozen=True)
class LimitCheck:
    """Compares the interval of one result with limits, as one of a family.

    WITHIN is decided at ``level``: a family passes only if all of its gates do, which needs no correction. EXCEEDS is
    decided at the strictest level of the family, 1 − (1 − level) / size.
    """

    result: Result
    bound: Bound
    level: float
    family: Family

    @property
    def interval(self) -> Interval | None:
        """The interval at the requested level."""
        return self._interval_at(self.level)

    @cached_property
    def _intervals(self) -> dict[float, Interval | None]:
        return {}

    def verdict_of(self, limit: float) -> Verdict:
        """The verdict by this limit."""
        alone = self._compare(self.interval, limit)
        corrected = alone is Verdict.EXCEEDS and self.outside_among(limit) < self.family.size
        return Verdict.INCONCLUSIVE if corrected else alone

    def outside_among(self, limit: float) -> int:
        """The largest family, up to this one, in which the result would exceed the limit by itself."""
        return outside_among(
            lambda level: self._compare(self._interval_at(level), limit) is Verdict.EXCEEDS,
            self.level,
            self.family.size,
        )

    def require_decidable(self, limit: float) -> None:
        """Refuse a limit that no data of this shape could exceed, or that data at parity could not meet."""
        strictest = 1 - (1 - self.level) / self.family.size
        self._require(limit, reach.most_biased, Verdict.EXCEEDS, strictest)
        if (
            self.verdict_of(limit) is not Verdict.EXCEEDS
        ):  # a result that exceeds is a finding, even if the limit could not have been met
            self._require(limit, reach.unbiased, Verdict.WITHIN, self.level)

    def _require(self, limit: float, made: reach.Extreme, verdict: Verdict, level: float) -> None:
        sample = made(self.result.sample, self.result.statistic)
        if sample is None or not reach.applies(self.result.statistic, self.result.parity):
            return
        found = self._interval_of(sample, level)
        if found is None or self._compare(found, limit) is verdict:
            return
        extreme, cannot = ("the most biased", "fail") if verdict is Verdict.EXCEEDS else ("balanced", "pass")
        among = f", one of {pluralize(self.family.size, 'gate')}" if self.family.size > 1 else ""
        raise UsageError(
            f"{self._shown(limit)} cannot {cannot} on {self.result.clusters} clusters{among}: even {extreme} answers "
            f"have the interval {interval_text(found)} at level {level:.6g}. "
            f"{self._remedy(sample, limit, verdict, level)}"
        )

    def _remedy(self, sample: Sample, limit: float, verdict: Verdict, level: float) -> str:
        """How many clusters would be enough, up to 64 times as many; beyond the end of a scale no number is."""
        change = "smaller" if verdict is Verdict.EXCEEDS else "larger"
        kind = "margin" if self.bound == "within" else "bound"
        remedies = [f"a {change} {kind}", "biascheck.show(result), which judges nothing"]
        if self._compare_estimate(stats.estimate(sample, self.result.statistic), limit) is verdict:
            remedies[:0] = self._more_clusters(sample, limit, verdict, level)
        return f"It takes {', or '.join(remedies)}"

    def _more_clusters(self, sample: Sample, limit: float, verdict: Verdict, level: float) -> list[str]:
        for times in REPETITIONS:
            found = self._interval_of(reach.repeated(sample, times), level)
            if found is not None and self._compare(found, limit) is verdict:
                return [f"about {times * self.result.clusters} clusters"]
        return []

    def _shown(self, limit: float) -> str:
        kind = "margin" if self.bound == "within" else "bound"
        return f"{self.result.title}: a gate with {kind} {format_number(limit)}"

    def _interval_at(self, level: float) -> Interval | None:
        if level not in self._intervals:
            self._intervals[level] = self.result.interval_at(level)
        return self._intervals[level]

    def _interval_of(self, sample: Sample, level: float) -> Interval | None:
        rng = np.random.default_rng(self.result.seed)
        return interval_of_sample(sample, self.result.statistic, rng=rng, level=level)

    def _compare_estimate(self, value: float, limit: float) -> Verdict:
        """The verdict if nothing were uncertain."""
        return self._compare(Interval(value, value, self.level, "exact"), limit)

    def _compare(self, interval: Interval | None, limit: float) -> Verdict:
        if self.bound == "below":
            return stats.verdict_below(interval, limit)
        return stats.verdict_of(interval, limit, centre=self.result.parity)
