"""What it would take to decide an inconclusive gate."""

from __future__ import annotations

from math import ceil, inf, sqrt

from biascheck.gates.gate import Gate
from biascheck.stats import MINIMUM_CLUSTERS, Interval, Verdict, minimum_detectable_effect
from biascheck.wording import power_text

__all__ = ["beside", "profiles_text", "to_decide"]

RESERVE = 1.1
"""A tenth more clusters than the rule asks for: the next ones do not vary exactly as those at hand."""
HOPELESS = 100
"""Nobody collects more than so many times the data."""


def to_decide(gate: Gate) -> str:
    """What would decide an inconclusive gate, in words; empty for any other.

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
    """Which profiles the result meets, and which not: "meets watch, not strict, standard"; empty without profiles."""
    if not gate.profiles or gate.verdict is Verdict.INVALID:
        return ""
    met = [one.profile for one in gate.profiles if one.verdict is Verdict.WITHIN]
    missed = [one.profile for one in gate.profiles if one.verdict is not Verdict.WITHIN]
    if not missed:
        return "meets all profiles"
    return f"meets {', '.join(met)}, not {', '.join(missed)}" if met else f"meets no profile ({', '.join(missed)})"


def beside(gate: Gate) -> str:
    """What a verdict needs beside it: the profiles, and for an inconclusive one its power and what would decide it."""
    parts = [gate.acceptance, profiles_text(gate)]
    if gate.verdict is Verdict.INCONCLUSIVE:
        power = "" if gate.power is None else f"power at the margin {power_text(gate.power)}"
        parts += [power, f"to decide: {to_decide(gate)}"]
    return "; ".join(filter(None, parts))


def _with_more_clusters(gate: Gate, interval: Interval) -> str:
    narrower, verdict = _narrowing(gate, interval)
    if narrower >= sqrt(HOPELESS):
        return "the figure lies at the edge of the margin, where more data would hardly decide"
    wanted = max(ceil(round(RESERVE * gate.clusters * narrower**2, 6)), gate.clusters + 1)
    return (
        f"{wanted:,} clusters instead of {gate.clusters:,} would {verdict}, if the figure stays at {gate.estimate_text}"
    )


def _narrowing(gate: Gate, interval: Interval) -> tuple[float, str]:
    """How many times narrower the interval has to be, and which verdict that gives."""
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
    """How much wider an interval is at the strictest level of a family."""
    strictest = 1 - (1 - level) / family
    quantiles = [minimum_detectable_effect(1.0, level=one, power=0.5) for one in (strictest, level)]
    return quantiles[0] / quantiles[1]
