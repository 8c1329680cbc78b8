"""Numbers that a user gives to an assertion: a margin, a bound, a tolerance, a level."""

from __future__ import annotations

from math import isfinite
from numbers import Real

from biascheck.errors import UsageError

__all__ = ["checked_number", "checked_share"]


def checked_number(value: object, name: str) -> float:
    """The number; what is none, or is not finite, is refused."""
    kind = type(value).__name__
    if isinstance(value, Real) and "bool" not in kind:
        number = float(value)
        if isfinite(number):
            return number
        raise UsageError(f"{name} is {value!r}; give a finite number, for example {name}=0.2")
    raise UsageError(f"{name} is {value!r}, of type {kind}; give a number, for example {name}=0.2")


def checked_share(value: object, name: str) -> float:
    """A number from 0 to 1."""
    number = checked_number(value, name)
    if not 0 <= number <= 1:
        raise UsageError(f"{name} is {number:g}; give a number from 0 to 1")
    return number
