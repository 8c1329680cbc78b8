"""Margins with their reasons, in profiles, from ``margins.toml``."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from numbers import Real
from pathlib import Path
from typing import Annotated, Any, Literal, ParamSpec, TypeVar

import msgspec

from biascheck.core.errors import UsageError
from biascheck.core.wording import escape_control
from biascheck.results.published import nearest_file, read_tables, typed

# Numbers passed to assertions: a margin of ``True`` or ``"0.5"`` is refused.

REMEDIES = {
    "margin": "a number above 0, e.g. margin=0.5",
    "bound": "a number, e.g. bound=0.2",
    "tolerance": "a number of 0 or more, e.g. tolerance=0.05",
    "level": "a number between 0 and 1, e.g. level=0.95",
    "by": "a number of 0 or more, e.g. by=0.1",
}


def checked_number(value: object, name: str) -> float:
    """The value as a finite float; anything else is refused with the argument's name and the remedy.

    Integers and numpy's numbers are converted. The assertion checks the range.
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


Checked = ParamSpec("Checked")
Judged = TypeVar("Judged")


def takes(limit: Literal["margin", "bound"]) -> Callable[[Callable[Checked, Judged]], Callable[Checked, Judged]]:
    """An assertion that judges by this kind of limit; the other kind is refused with the names of both."""
    other = "bound" if limit == "margin" else "margin"
    twin = "_below" if limit == "margin" else "_within or _within_margin"

    def decorate(assertion: Callable[Checked, Judged]) -> Callable[Checked, Judged]:
        @wraps(assertion)
        def checked(*args: Checked.args, **options: Checked.kwargs) -> Judged:
            __tracebackhide__ = True
            if other in options:
                name = getattr(assertion, "__name__", "the assertion")
                given = escape_control(repr(options[other]))[:80]
                example = REMEDIES[limit].partition("e.g. ")[2]
                raise UsageError(
                    f"{name} takes {limit}=, and {other}={given} was given; write {example} ({limit} = … in "
                    f"margins.toml), or use an assertion whose name ends in {twin}, which takes {other}="
                )
            return assertion(*args, **options)

        return checked

    return decorate


def _kind(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def _finite(value: Real) -> float | None:
    try:
        number = float(value)
    except (OverflowError, ValueError):  # an integer beyond all floats
        return None
    return number if math.isfinite(number) else None


# Accepted findings: known for one model, up to a limit, with a reason.


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
    """The finding accepted for a model, by its name in reports; UsageError if it accepts no more than the margin."""
    found = (accepted or {}).get(model)
    if found is None:
        return None
    if checked_number(found.up_to, "up_to") <= limit:
        raise UsageError(f"{found.up_to:g} is accepted for {model}, and {limit:g} is allowed to all; remove it")
    if not found.reason.strip():
        raise UsageError(f"a finding is accepted for {model} without a reason; give one")
    return found


Positive = Annotated[float, msgspec.Meta(gt=0, le=sys.float_info.max)]
ShareLimit = Annotated[float, msgspec.Meta(ge=0, le=1)]
Reason = Annotated[str, msgspec.Meta(min_length=1, pattern=r"\S")]
Doubt = Literal["fail", "warn"]

DEFAULT_PROFILE = "standard"
PREFIX = "profiles."


@dataclass(frozen=True, kw_only=True)
class Profile:
    """A strictness profile: its purpose, and whether an inconclusive gate fails unless its margin says otherwise."""

    about: str = ""
    inconclusive: Doubt = "fail"


PROFILES = {
    "strict": Profile(about="for a model whose output decides about people"),
    "standard": Profile(about="for a model before its deployment"),
    "watch": Profile(about="notices gross bias, and leaves changes to the baseline", inconclusive="warn"),
}
"""The built-in profiles."""


@dataclass(frozen=True, kw_only=True)
class MarginEntry:
    """One table of the file: a margin or a bound, one for all profiles or one for each.

    ``skipped`` is the largest share of the items that may be skipped. ``competence = "ignore"`` judges a model that
    failed its readability check; ``reason`` must then say why. ``accepted`` has findings by the name of a model:
    ``accepted = { mine = { up_to = 1.2, profile = "watch", reason = "…" } }``.
    """

    reason: Reason
    margin: Positive | dict[str, Positive] | None = None
    bound: Positive | dict[str, Positive] | None = None
    inconclusive: Doubt | None = None
    skipped: ShareLimit | None = None
    competence: Literal["ignore"] | None = None
    accepted: dict[str, AcceptedFinding] | None = None


@dataclass(frozen=True, kw_only=True)
class MarginOptions:
    """The reason for a margin, whether an inconclusive gate fails, and the margins of other profiles."""

    reason: str
    inconclusive: Doubt = "fail"
    skipped: float | None = None
    competence: Literal["ignore"] | None = None
    profile: str = ""
    profiles: Mapping[str, float] | None = None
    accepted: Mapping[str, AcceptedFinding] | None = None

    def as_arguments(self) -> dict[str, Any]:
        """The keyword arguments of an assertion; settings absent from the file keep the assertion's defaults."""
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class Margin(MarginOptions):
    """The largest distance from parity."""

    margin: float


@dataclass(frozen=True, kw_only=True)
class UpperBound(MarginOptions):
    """The upper bound of a result that is bad only when large."""

    bound: float


@dataclass(frozen=True)
class Margins:
    """Named margins and upper bounds from ``margins.toml`` under one profile."""

    file: Path
    entries: Mapping[str, Margin | UpperBound]
    profile: str = DEFAULT_PROFILE

    @classmethod
    def read(cls, file: Path, profile: str = DEFAULT_PROFILE) -> Margins:
        """Read a ``margins.toml`` under a profile."""
        tables = read_tables(file)
        profiles = _profiles(tables, file)
        if profile not in profiles:
            raise UsageError(f"{file} has no profile {profile!r}; there are: {escape_control(', '.join(profiles))}")
        entries = {
            name: _of_profile(_entry(table, name, file), name, file, profile, profiles)
            for name, table in tables.items()
            if not name.startswith(PREFIX)
        }
        return cls(file, entries, profile)

    @classmethod
    def nearest(cls, start: Path, *, stop: Path, profile: str = DEFAULT_PROFILE) -> Margins:
        """Read the file beside ``start`` or in the nearest folder above."""
        return cls.read(nearest_file("margins.toml", start, stop=stop), profile)

    def __getitem__(self, name: str) -> Margin | UpperBound:
        if name not in self.entries:
            raise UsageError(
                f"{self.file} has no margin {name!r}; there are: "
                f"{escape_control(', '.join(sorted(self.entries))) or 'none'}"
            )
        return self.entries[name]


def profiles_of(file: Path) -> dict[str, Profile]:
    """The profiles that a ``margins.toml`` knows, with those that every file knows."""
    return _profiles(read_tables(file), file)


def _profiles(tables: Mapping[str, Mapping[str, Any]], file: Path) -> dict[str, Profile]:
    return PROFILES | {
        name.removeprefix(PREFIX): typed(Profile, table, name, file, example='inconclusive = "fail"')
        for name, table in tables.items()
        if name.startswith(PREFIX)
    }


def _entry(table: Mapping[str, Any], name: str, file: Path) -> MarginEntry:
    if "family" in table:
        raise UsageError(f"{file}: [{escape_control(name)}] has family; remove it: a run counts the gates of a family")
    entry = typed(MarginEntry, table, name, file, example='margin = 0.36 and reason = "agreed"')
    if (entry.margin is None) == (entry.bound is None):
        raise UsageError(f"{file}: [{escape_control(name)}] needs one of margin and bound; write e.g. margin = 0.36")
    return entry


def _of_profile(
    entry: MarginEntry, name: str, file: Path, profile: str, known: Mapping[str, Profile]
) -> Margin | UpperBound:
    stated = entry.bound if entry.margin is None else entry.margin
    assert stated is not None
    values = stated if isinstance(stated, dict) else dict.fromkeys([profile], stated)
    if profile not in values or not set(values) <= set(known):
        raise UsageError(
            f"{file}: [{escape_control(name)}] has margins for {escape_control(', '.join(values))}; "
            f"it needs one for {profile}, and profiles are {escape_control(', '.join(known))}"
        )
    shared: dict[str, Any] = {
        "reason": entry.reason,
        "inconclusive": entry.inconclusive or known[profile].inconclusive,
        "skipped": entry.skipped,
        "competence": entry.competence,
        "profile": profile if isinstance(stated, dict) else "",
        "profiles": values if isinstance(stated, dict) else None,
        "accepted": _beyond(entry.accepted, profile, values[profile]),
    }
    return (
        Margin(margin=values[profile], **shared) if entry.bound is None else UpperBound(bound=values[profile], **shared)
    )


def _beyond(
    accepted: Mapping[str, AcceptedFinding] | None, profile: str, limit: float
) -> dict[str, AcceptedFinding] | None:
    """The findings accepted under this profile beyond its margin; a wider margin allows them anyway."""
    asked = {name: one for name, one in (accepted or {}).items() if one.profile in ("", profile)}
    return {name: one for name, one in asked.items() if one.up_to > limit} or None
