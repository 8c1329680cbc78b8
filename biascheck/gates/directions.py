"""Whether a figure can be judged by a margin around parity or by an upper bound."""

from __future__ import annotations

from typing import Literal

from biascheck.errors import UsageError
from biascheck.results.result import Result

__all__ = ["require_direction"]


def require_direction(result: Result, bound: Literal["within", "below"]) -> None:
    """Refuse a margin for a figure that is only bad when large, and an upper bound for one that is bad either way.

    A measure that does not state its direction is judged as asked.
    """
    direction = result.description.direction
    if direction == "upwards" and bound == "within":
        raise UsageError(
            f"{result.measure} is only bad when it is large, so a margin around parity would fail good models; "
            "use assert_below(result, bound)"
        )
    if direction == "from parity" and bound == "below":
        raise UsageError(
            f"{result.measure} is bad on either side of parity, and any figure on the other side would pass an upper "
            "bound; use assert_within_margin(result, margin), or typical_gap(result) for the size of gaps"
        )
