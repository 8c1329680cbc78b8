"""A finding that is known and accepted for one model, up to a limit, with the reason."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import msgspec

from biascheck.errors import UsageError
from biascheck.gates.checked_numbers import checked_number

__all__ = ["AcceptedFinding", "accepted_for"]


@dataclass(frozen=True, kw_only=True)
class AcceptedFinding:
    """A gate that exceeds its margin passes while its estimate is no further from parity than ``up_to``.

    It stays a finding: every output shows it as "exceeds (accepted)", with ``reason``. ``profile`` limits it to one
    profile of ``margins.toml``.
    """

    up_to: Annotated[float, msgspec.Meta(gt=0, le=sys.float_info.max)]
    reason: Annotated[str, msgspec.Meta(min_length=1, pattern=r"\S")]
    profile: str = ""


def accepted_for(model: str, accepted: Mapping[str, AcceptedFinding] | None, limit: float) -> AcceptedFinding | None:
    """What is accepted for a model, by its name as reports show it; UsageError where that says nothing."""
    found = (accepted or {}).get(model)
    if found is None:
        return None
    if checked_number(found.up_to, "up_to") <= limit:
        raise UsageError(f"{found.up_to:g} is accepted for {model}, and {limit:g} is allowed to all; remove it")
    if not found.reason.strip():
        raise UsageError(f"a finding is accepted for {model} without a reason; give one")
    return found
