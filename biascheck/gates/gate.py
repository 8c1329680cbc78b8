"""A gate: a result compared with a margin, and the sentence that states the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, inf, sqrt
from typing import Literal

from biascheck.core.errors import UsageError
from biascheck.core.wording import (
    decimals_for,
    format_number,
    interval_text,
    only_uncorrected_text,
    power_text,
    published_text,
)
from biascheck.gates.margins import AcceptedFinding
from biascheck.results.definition import UNDESCRIBED, Description, Readability
from biascheck.results.key import ResultKey, model_label
from biascheck.results.published import PublishedFigure
from biascheck.results.result import Result
from biascheck.stats import MINIMUM_CLUSTERS, Interval, Verdict, minimum_detectable_effect, power_at, standard_error_of

# Direction: a margin around parity, or an upper bound.


def require_direction(result: Result, bound: Literal["within", "below"]) -> None:
    """Refuse a margin for a figure that is bad only when large, and an upper bound for one that is bad either way.

    A measure that states no direction accepts both.
    """
    direction = result.description.direction
    if direction == "upwards" and bound == "within":
        raise UsageError(
            f"{result.measure} is bad only when it is large, so a margin around parity would fail good models; "
            "use assert_below(result, bound)"
        )
    if direction == "from parity" and bound == "below":
        raise UsageError(
            f"{result.measure} is bad on either side of parity, and any figure on the other side would pass an upper "
            "bound; use assert_within_margin(result, margin), or typical_gap(result) for the size of gaps"
        )


MOST_SKIPPED = 0.2
"""The share of items that may be skipped unless a margin says otherwise."""

Bound = Literal["within", "below"]
"""Whether the margin is a distance from parity to either side, or an upper bound of the figure itself."""


@dataclass(frozen=True)
class ProfileVerdict:
    """The verdict on the same result under the margin of a profile."""

    profile: str
    margin: float
    verdict: Verdict


@dataclass(frozen=True)
class Gate:
    """One judgement, self-contained: a report can be drawn from gates alone.

    ``key`` identifies the result; ``title``, ``model`` and ``corpus`` are names for people. ``interval`` has the
    requested level; a gate of a family of ``family`` exceeds only if the interval at ``1 − (1 − level) / family`` also
    lies outside. ``outside_among`` is the largest family in which it would exceed by itself. ``profile`` is the profile
    of the margin, ``profiles`` has the verdict under each profile. ``accepted`` is the finding accepted for this model
    beyond the margin.
    """

    key: ResultKey
    title: str
    model: str
    corpus: str
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
    published: tuple[PublishedFigure, ...] = ()
    reason: str = ""
    warnings: tuple[str, ...] = ()
    test: str = ""
    bound: Bound = "within"
    note: str = ""
    most_skipped: float = MOST_SKIPPED
    skip_reason: str = ""
    description: Description = UNDESCRIBED
    competence: Readability | None = None
    family_name: str = ""
    outside_among: int = 0
    profile: str = ""
    profiles: tuple[ProfileVerdict, ...] = ()
    accepted: AcceptedFinding | None = None

    @property
    def measure(self) -> str:
        """The name of the measure."""
        return self.key.measure

    @property
    def statistic(self) -> str:
        """The statistic that was judged."""
        return self.key.statistic

    @property
    def model_label(self) -> str:
        """The model and what was done to it, for people."""
        return model_label(self.model, self.key.treatment)

    @property
    def finding(self) -> str:
        """The judgement as one sentence."""
        if self.verdict is Verdict.INVALID:
            return f"{self.title}: invalid: {self.inability} ({self.size})"
        parts = [f"{self.title}: {self.measured} {self._verdict_in_words()}"]
        if self.offenders:
            parts.append(f"largest: {', '.join(self.offenders)}")
        if self.note:
            parts.append(self.note)
        if self.published:
            parts.append(f"published: {published_text(self.published)}")
        return f"{'; '.join(parts)} ({self.size})"

    @property
    def measured(self) -> str:
        """The estimate with its interval."""
        return f"{self.estimate_text} {self.interval_text}"

    @property
    def estimate_text(self) -> str:
        """The estimate, with the digits that tell it from the margin."""
        return format_number(self.estimate, self._decimals)

    @property
    def interval_text(self) -> str:
        """The interval, with the digits that tell its ends from the margin."""
        return interval_text(self.interval, self._decimals)

    @property
    def region(self) -> tuple[float, float]:
        """The range that the interval must lie in: around parity, or from parity up to the bound."""
        if self.bound == "below":
            return self.parity, self.margin
        return self.parity - self.margin, self.parity + self.margin

    @property
    def power(self) -> float | None:
        """The probability of detecting a true figure at the edge of the margin; None if nothing varies."""
        if self.interval is None or self.interval.low == self.interval.high:
            return None
        distance = max(abs(end - self.parity) for end in self.region)
        return power_at(distance, standard_error_of(self.interval), self.interval.level)

    @property
    def exceeding(self) -> Gate:
        """The gate after its family shows that it exceeds; one without a verdict from its interval stays as it is."""
        if self.verdict is not Verdict.INCONCLUSIVE or self.too_many_skipped:
            return self
        found = replace(self, verdict=Verdict.EXCEEDS)
        return replace(found, passed=found.tolerated)

    @property
    def tolerated(self) -> bool:
        """Whether the gate exceeds its margin by no more than what is accepted for this model."""
        distance = self.estimate if self.bound == "below" else abs(self.estimate - self.parity)
        return self.verdict is Verdict.EXCEEDS and self.accepted is not None and distance <= self.accepted.up_to

    @property
    def met_profiles(self) -> tuple[str, ...]:
        """The profiles whose margins the result meets."""
        return tuple(one.profile for one in self.profiles if one.verdict is Verdict.WITHIN)

    @property
    def too_many_skipped(self) -> bool:
        """Whether more items were skipped than the margin allows."""
        return self.skipped > self.most_skipped * (self.n + self.skipped)

    @property
    def inability(self) -> str:
        """The failed readability check with its figures; empty if it passed or was not run."""
        return "" if self.competence is None else self.competence.inability(self.model_label)

    @property
    def allowed(self) -> str:
        """The region in short: "± 0.20", "0.50 ± 0.20" or "< 0.20"."""
        margin = format_number(self.margin, self._decimals)
        if self.bound == "below":
            return f"< {margin}"
        return f"{format_number(self.parity)} ± {margin}" if self.parity else f"± {margin}"

    @property
    def size(self) -> str:
        """The sample: items, skipped items, family, seed."""
        size = [f"{self.n:,} {self.unit}"]
        if self.skipped:
            size.append(f"{self.skipped:,} skipped")
        if self.family > 1:
            size.append(f"one of {self.family} gates")
        return ", ".join([*size, f"seed {self.seed}"])

    @property
    def _decimals(self) -> int:
        edges = self.region if self.bound == "within" else (self.margin,)
        return decimals_for(self.interval, self.estimate, edges)

    @property
    def acceptance(self) -> str:
        """The limit up to which a finding is accepted, and why; empty unless the gate passes because of it."""
        if self.accepted is None or not self.tolerated:
            return ""
        return f"accepted up to {format_number(self.accepted.up_to)}: {self.accepted.reason}"

    @property
    def _beyond_acceptance(self) -> str:
        return "" if self.accepted is None else f", and the {format_number(self.accepted.up_to)} accepted"

    def _verdict_in_words(self) -> str:
        if self.too_many_skipped:
            total = self.n + self.skipped
            return f"cannot be judged: {self.skipped:,} of {total:,} {self.unit} were skipped, e.g. {self.skip_reason}"
        around = f" around {format_number(self.parity)}" if self.parity else ""
        margin = format_number(self.margin, self._decimals)
        limit = f"margin {margin}{around}" if self.bound == "within" else f"bound {margin}"
        if self.verdict is Verdict.WITHIN:
            return f"is within {limit}" if self.bound == "within" else f"is below {margin}"
        if self.verdict is Verdict.EXCEEDS:
            return f"exceeds {limit}{f'; {self.acceptance}' if self.acceptance else self._beyond_acceptance}"
        if self.interval is None:
            return "is inconclusive: too few clusters for an interval"
        if self.outside_among:
            corrected = only_uncorrected_text(self.family, 1 - (1 - self.interval.level) / self.family)
            return f"exceeds {limit} on its own; {corrected}"
        caution = f"; {self.interval.caution}" if self.interval.caution else ""
        return f"is inconclusive: the interval crosses the {limit}{caution}"


@dataclass(frozen=True, kw_only=True)
class LimitSettings:
    """Settings of a gate besides its margin: the options of the assertion."""

    inconclusive_passes: bool = False
    family: int = 1
    published: Sequence[PublishedFigure] = ()
    reason: str = ""
    bound: Bound = "within"
    note: str = ""
    most_skipped: float = MOST_SKIPPED
    ignore_readability: bool = False
    family_name: str = ""
    outside_among: int = 0
    profile: str = ""
    profiles: tuple[ProfileVerdict, ...] = ()
    accepted: AcceptedFinding | None = None


def make_gate(
    result: Result, margin: float, interval: Interval | None, verdict: Verdict, settings: LimitSettings
) -> Gate:
    """Make a gate. Missing data never passes: neither without an interval nor with too many items skipped."""
    missing = [skip for skip in result.skipped if not skip.by_choice]
    gate = Gate(
        key=result.key,
        title=result.title,
        model=result.model,
        corpus=result.corpus_label,
        estimate=result.estimate,
        interval=interval,
        margin=margin,
        parity=result.parity,
        verdict=verdict,
        passed=False,
        n=result.n,
        unit=result.unit,
        clusters=result.clusters,
        skipped=len(missing),
        seed=result.seed,
        offenders=tuple(str(contributor) for contributor in result.top_contributors()),
        detectable=_detectable(interval),
        family=settings.family,
        published=tuple(settings.published),
        reason=settings.reason,
        warnings=result.warnings,
        bound=settings.bound,
        note=settings.note,
        most_skipped=settings.most_skipped,
        skip_reason=missing[0].reason if missing else "",
        description=result.description,
        competence=result.competence,
        family_name=settings.family_name,
        outside_among=settings.outside_among,
        profile=settings.profile,
        profiles=settings.profiles,
        accepted=settings.accepted,
    )
    return _passed_or_not(gate, settings)


def _passed_or_not(gate: Gate, settings: LimitSettings) -> Gate:
    if gate.inability and not settings.ignore_readability:
        return replace(gate, verdict=Verdict.INVALID, passed=False)
    if gate.inability:
        gate = replace(gate, warnings=(*gate.warnings, f"{gate.inability}; judged anyway"))
    if gate.too_many_skipped:
        return replace(gate, verdict=Verdict.INCONCLUSIVE, passed=False)
    accepted = gate.verdict is Verdict.INCONCLUSIVE and settings.inconclusive_passes and gate.interval is not None
    return replace(gate, passed=gate.verdict is Verdict.WITHIN or accepted or gate.tolerated)


def _detectable(interval: Interval | None) -> float | None:
    """The smallest gap that this sample would detect; None if nothing varies."""
    if interval is None or interval.low == interval.high:
        return None
    return minimum_detectable_effect(standard_error_of(interval), level=interval.level)


# The data that would decide an inconclusive gate.

RESERVE = 1.1
"""A tenth more clusters than the formula gives: new ones may vary more than the present ones."""
HOPELESS = 100
"""Beyond this many times the data, collecting more is no realistic advice."""


def to_decide(gate: Gate) -> str:
    """The data that would decide an inconclusive gate, in words; empty for any other gate.

    The width of an interval falls with the square root of the number of clusters. If the figure stays where it is, the
    interval has to end between the figure and the edges of the margin, or the nearest of them to exceed it.
    """
    if gate.verdict is not Verdict.INCONCLUSIVE:
        return ""
    if gate.too_many_skipped:
        return f"score more of the {gate.unit}: at most {gate.most_skipped:.0%} may be skipped"
    if gate.interval is None:
        return f"at least {MINIMUM_CLUSTERS} clusters; there are {gate.clusters}"
    return _with_more_clusters(gate, gate.interval)


def profiles_text(gate: Gate) -> str:
    """The profiles that the result meets and misses: "meets watch, not strict, standard"; empty without profiles."""
    if not gate.profiles or gate.verdict is Verdict.INVALID:
        return ""
    met = [one.profile for one in gate.profiles if one.verdict is Verdict.WITHIN]
    missed = [one.profile for one in gate.profiles if one.verdict is not Verdict.WITHIN]
    if not missed:
        return "meets all profiles"
    return f"meets {', '.join(met)}, not {', '.join(missed)}" if met else f"meets no profile ({', '.join(missed)})"


def beside(gate: Gate) -> str:
    """Details shown beside a verdict: the profiles, and if inconclusive its power and what would decide it."""
    parts = [gate.acceptance, profiles_text(gate)]
    if gate.verdict is Verdict.INCONCLUSIVE:
        power = "" if gate.power is None else f"power at the margin {power_text(gate.power)}"
        parts += [power, f"to decide: {to_decide(gate)}"]
    return "; ".join(filter(None, parts))


def _with_more_clusters(gate: Gate, interval: Interval) -> str:
    narrower, verdict = _narrowing(gate, interval)
    if narrower >= sqrt(HOPELESS):
        return "the figure lies at the edge of the margin, where more data would hardly help"
    wanted = max(ceil(round(RESERVE * gate.clusters * narrower**2, 6)), gate.clusters + 1)
    return (
        f"{wanted:,} clusters instead of {gate.clusters:,} would {verdict}, if the figure stays at {gate.estimate_text}"
    )


def _narrowing(gate: Gate, interval: Interval) -> tuple[float, str]:
    """The factor by which the interval must shrink, and the verdict that this gives."""
    low, high = gate.region
    below, above = gate.estimate - interval.low, interval.high - gate.estimate
    if gate.estimate > high:
        return _times(below * _widening(interval.level, gate.family), gate.estimate - high), "exceed"
    if gate.bound == "within" and gate.estimate < low:
        return _times(above * _widening(interval.level, gate.family), low - gate.estimate), "exceed"
    upwards = _times(above, high - gate.estimate)
    return (upwards if gate.bound == "below" else max(upwards, _times(below, gate.estimate - low))), "be within"


def _times(width: float, room: float) -> float:
    return width / room if room > 0 else inf


def _widening(level: float, family: int) -> float:
    """The factor by which an interval is wider at the strictest level of a family."""
    strictest = 1 - (1 - level) / family
    quantiles = [minimum_detectable_effect(1.0, level=one, power=0.5) for one in (strictest, level)]
    return quantiles[0] / quantiles[1]
