"""What a sample of this size could have seen."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from scipy import special

from biascheck.errors import ScoreError, UsageError

if TYPE_CHECKING:
    from biascheck.stats.interval import Interval

__all__ = ["minimum_detectable_effect", "power_at", "standard_error_of"]


def minimum_detectable_effect(standard_error: float, *, level: float = 0.95, power: float = 0.8) -> float:
    """Return the smallest true effect a two-sided test would find with probability ``power``.

    ``(z_{1−α/2} + z_power) · se`` with α = 1 − level: the normal approximation, which leaves out the
    negligible chance of a finding in the wrong direction. A standard error of 0 comes from a sample
    without variation, not from perfect knowledge, and raises ScoreError.
    """
    _require_share(level, "level")
    _require_share(power, "power")
    _require_standard_error(standard_error)
    return (_critical(level) + float(special.ndtri(power))) * standard_error


def power_at(effect: float, standard_error: float, level: float = 0.95) -> float:
    """Return the probability that a two-sided test finds a true effect of this size.

    ``Φ(|effect|/se − z) + Φ(−|effect|/se − z)`` with z = z_{1−α/2}; at effect 0 it is α.
    """
    _require_share(level, "level")
    _require_standard_error(standard_error)
    if not math.isfinite(effect):
        raise ScoreError(f"effect is {effect}; give a finite effect size")
    shift, critical = abs(effect) / standard_error, _critical(level)
    return float(special.ndtr(shift - critical) + special.ndtr(-shift - critical))


def standard_error_of(interval: Interval) -> float:
    """Recover a standard error from an interval: ``(high − low) / (2 · z_{1−α/2})``.

    Exact for a normal interval; for a bootstrap interval an approximation, which averages an
    asymmetric interval's two arms.
    """
    return (interval.high - interval.low) / (2 * _critical(interval.level))


def _critical(level: float) -> float:
    return -float(special.ndtri((1 - level) / 2))


def _require_share(value: float, name: str) -> None:
    if not 0 < value < 1:
        raise UsageError(f"{name} {value} is not between 0 and 1; 95 % is {name}=0.95")


def _require_standard_error(value: float) -> None:
    if not (math.isfinite(value) and value > 0):
        raise ScoreError(f"standard error {value} supports no power statement; it must be finite and above 0")
