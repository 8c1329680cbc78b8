"""Numbers that people pass to assertions: a margin of ``True`` or ``"0.5"`` is a mistake, never a number."""

from __future__ import annotations

import math
from numbers import Real

from biascheck.errors import UsageError
from biascheck.wording import escape_control

__all__ = ["checked_number", "checked_share"]

REMEDIES = {
    "margin": "a number above 0, e.g. margin=0.5",
    "bound": "a number, e.g. bound=0.2",
    "tolerance": "a number of 0 or more, e.g. tolerance=0.05",
    "level": "a number between 0 and 1, e.g. level=0.95",
    "by": "a number of 0 or more, e.g. by=0.1",
}


def checked_number(value: object, name: str) -> float:
    """The value as a finite float; what is not a real number is refused with the argument's name and the remedy.

    Whole numbers and numpy's numbers are converted. Whether the number makes sense is for the assertion to say.
    """
    remedy = REMEDIES.get(name, "a finite number")
    if isinstance(value, bool) or not isinstance(value, Real):
        raise UsageError(f"{name}={escape_control(repr(value))[:80]} is {_kind(value)}, not a number; give {remedy}")
    number = _finite(value)
    if number is None:
        found = "too large for a float" if isinstance(value, int) else f"{value}, which is not finite"
        raise UsageError(f"{name} is {found}; give {remedy}")
    return number


def checked_share(value: object, name: str) -> float:
    """A number from 0 to 1."""
    number = checked_number(value, name)
    if not 0 <= number <= 1:
        raise UsageError(f"{name} is {number:g}; give a number from 0 to 1")
    return number


def _kind(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def _finite(value: Real) -> float | None:
    try:
        number = float(value)
    except (OverflowError, ValueError):  # a whole number beyond all floats
        return None
    return number if math.isfinite(number) else None
