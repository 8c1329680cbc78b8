"""A gate: a result held against a margin, and the sentence that tells a reader how it went."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from biascheck.results.description import UNDESCRIBED, Description
from biascheck.results.result import Result
from biascheck.stats import Interval, Verdict, minimum_detectable_effect, power_at, standard_error_of
from biascheck.wording import figure

__all__ = ["Bound", "Gate", "hold"]

MANY_SKIPPED = 0.2

Bound = Literal["within", "below"]
"""Whether the margin is a distance from parity to either side, or an upper bound of the figure itself."""


@dataclass(frozen=True)
class Gate:
    """One judgement, self-contained: a report can be drawn from gates alone."""

    title: str
    measure: str
    model: str
    corpus: str
    statistic: str
    estimate: float
    interval: Interval | None
    margin: float
    parity: float
    verdict: Verdict
    passed: bool
    n: int
    unit: str
    clusters: int
    skipped: int
    seed: int
    offenders: tuple[str, ...] = ()
    detectable: float | None = None
    family: int = 1
    published: str = ""
    reason: str = ""
    warnings: tuple[str, ...] = ()
    test: str = ""
    bound: Bound = "within"
    note: str = ""
    description: Description = UNDESCRIBED

    @property
    def finding(self) -> str:
        """The judgement as one sentence."""
        parts = [f"{self.title}: {figure(self.estimate)} {_interval(self.interval)} {self._held()}"]
        if self.offenders:
            parts.append(f"largest: {', '.join(self.offenders)}")
        if self.note:
            parts.append(self.note)
        if self.published:
            parts.append(f"published: {self.published}")
        return f"{'; '.join(parts)} ({self._size()})"

    @property
    def region(self) -> tuple[float, float]:
        """Where the interval has to lie: around parity, or from parity up to the bound."""
        if self.bound == "below":
            return self.parity, self.margin
        return self.parity - self.margin, self.parity + self.margin

    @property
    def power(self) -> float | None:
        """How probably a sample like this finds a true figure at the edge of the margin; unknown if nothing varies."""
        if self.interval is None or self.interval.low == self.interval.high:
            return None
        distance = max(abs(end - self.parity) for end in self.region)
        return power_at(distance, standard_error_of(self.interval), self.interval.level)

    @property
    def allowed(self) -> str:
        """The region in short: "± 0.20", "0.50 ± 0.20" or "< 0.20"."""
        if self.bound == "below":
            return f"< {figure(self.margin)}"
        return f"{figure(self.parity)} ± {figure(self.margin)}" if self.parity else f"± {figure(self.margin)}"

    def _held(self) -> str:
        around = f" around {figure(self.parity)}" if self.parity else ""
        margin = f"margin {figure(self.margin)}{around}" if self.bound == "within" else f"bound {figure(self.margin)}"
        if self.verdict is Verdict.WITHIN:
            return f"is within {margin}" if self.bound == "within" else f"is below {figure(self.margin)}"
        if self.verdict is Verdict.EXCEEDS:
            return f"exceeds {margin}"
        if self.interval is None:
            return f"cannot be held against {margin}: too few clusters"
        return f"cannot be told from {margin}"

    def _size(self) -> str:
        size = [f"{self.n:,} {self.unit}"]
        if self.skipped:
            size.append(f"{self.skipped:,} skipped")
        if self.family > 1:
            size.append(f"one of {self.family} gates")
        return ", ".join([*size, f"seed {self.seed}"])


def hold(
    result: Result,
    margin: float,
    interval: Interval | None,
    verdict: Verdict,
    *,
    inconclusive_passes: bool,
    family: int = 1,
    published: str = "",
    reason: str = "",
    bound: Bound = "within",
    note: str = "",
) -> Gate:
    """Write a judgement down. Without an interval nothing passes: no data is never a pass."""
    allowed = verdict is Verdict.INCONCLUSIVE and inconclusive_passes and interval is not None
    return Gate(
        title=result.title,
        measure=result.measure,
        model=result.model,
        corpus=result.corpus,
        statistic=result.statistic,
        estimate=result.estimate,
        interval=interval,
        margin=margin,
        parity=result.parity,
        verdict=verdict,
        passed=verdict is Verdict.WITHIN or allowed,
        n=result.n,
        unit=result.unit,
        clusters=result.clusters,
        skipped=len(result.skipped),
        seed=result.seed,
        offenders=_largest(result),
        detectable=_detectable(interval),
        family=family,
        published=published,
        reason=reason,
        warnings=(*result.warnings, *_reservations(result)),
        bound=bound,
        note=note,
        description=result.description,
    )


def _interval(interval: Interval | None) -> str:
    return "[no interval]" if interval is None else f"[{figure(interval.low)}, {figure(interval.high)}]"


def _detectable(interval: Interval | None) -> float | None:
    """The smallest gap that this interval's sample would find; unknown where nothing varies."""
    if interval is None or interval.low == interval.high:
        return None
    return minimum_detectable_effect(standard_error_of(interval), level=interval.level)


def _largest(result: Result) -> tuple[str, ...]:
    """The offenders, where the estimate is about gaps of clusters."""
    return tuple(str(offender) for offender in result.offenders())


def _reservations(result: Result) -> tuple[str, ...]:
    total = result.n + len(result.skipped)
    if len(result.skipped) <= MANY_SKIPPED * total:
        return ()
    reason = result.skipped[0].reason
    return (f"{len(result.skipped)} of {total} {result.unit} were skipped, e.g. {reason}",)
