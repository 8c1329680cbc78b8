"""Cells of a reproduced table: what the paper printed, what its own procedure gives here, and what ours gives.

A cell without a figure says why. There are two kinds of reason: the table does not apply to this model, or
something that could be there is missing (data, a loader, a package).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import msgspec

from biascheck.errors import BiascheckError, CapabilityError, DataNotFoundError, UsageError
from biascheck.results.attachments import AnyAttachment
from biascheck.results.published_figures import PublishedFigure
from biascheck.results.result import Result
from biascheck.stats import Interval

__all__ = [
    "Absent",
    "BarSeries",
    "Bars",
    "Cell",
    "DrawnFigure",
    "Measured",
    "Shown",
    "Value",
    "attempted",
    "caveats",
    "drawn_value",
    "value_of",
]

Why = Literal["not applicable", "missing"]


class Value(msgspec.Struct, frozen=True, tag="value"):
    """A figure that was measured here, with its interval, p-value and number of items where it has them.

    ``whole`` is a count.
    """

    estimate: float
    interval: Interval | None = None
    p: float | None = None
    n: int | None = None
    whole: bool = False


class Absent(msgspec.Struct, frozen=True, tag="absent"):
    """Why there is no figure."""

    reason: str
    why: Why = "missing"

    def __post_init__(self) -> None:
        if not self.reason:
            raise UsageError("a cell without a figure says why")


Measured = Value | Absent


class Cell(msgspec.Struct, frozen=True, kw_only=True, tag="cell"):
    """One cell of a table, or one bar or point of a figure.

    ``as_published`` is the paper's own procedure, bugs included, on this model; ``None`` where it is the same as ours.
    ``published`` is left out where no printed figure is comparable with what is measured in this cell.
    """

    row: str
    column: str = ""
    published: PublishedFigure | None = None
    as_published: Measured | None = None
    ours: Measured
    note: str = ""

    @property
    def measured(self) -> bool:
        """Whether the cell has a figure of this model."""
        return isinstance(self.ours, Value) or isinstance(self.as_published, Value)


class BarSeries(msgspec.Struct, frozen=True):
    """A name and one value for each place."""

    name: str
    values: tuple[float, ...]


class Bars(msgspec.Struct, frozen=True, kw_only=True, tag="bars", tag_field="kind"):
    """Bars side by side: upright ones for an ordered axis (a histogram, components), lying ones for names."""

    places: tuple[str, ...]
    series: tuple[BarSeries, ...]
    upright: bool = False
    axis: str = ""

    def __post_init__(self) -> None:
        if any(len(one.values) != len(self.places) for one in self.series):
            raise UsageError("every series of bars needs one value for each place")


class DrawnFigure(msgspec.Struct, frozen=True, kw_only=True, tag="drawn"):
    """A figure of the paper, drawn from values measured here."""

    title: str
    content: AnyAttachment | Bars
    contrast: tuple[str, str] = ("male", "female")
    note: str = ""


Shown = Cell | DrawnFigure


def value_of(result: Result) -> Value:
    """The figure of a result."""
    return Value(result.estimate, result.interval, result.p, result.n)


def drawn_value(found: Result | float | Measured) -> Measured:
    """A result or a number as the figure of a cell, an integer as a count; a reason stays what it is."""
    if isinstance(found, Result):
        return value_of(found)
    return found if isinstance(found, Value | Absent) else Value(float(found), whole=isinstance(found, int))


def caveats(found: object) -> tuple[str, ...]:
    """What a reader of this figure must know: a competence check that it failed, and the warnings of the result."""
    if not isinstance(found, Result):
        return ()
    check = found.competence
    failed = () if check is None or check.passed else (f"Competence check failed: {check.finding}",)
    return tuple(f"{text[:1].upper()}{text[1:].rstrip('.')}." for text in (*failed, *found.warnings))


def attempted(function: Callable[..., Any], /, *args: Any, **options: Any) -> Any:
    """What a function returns, or why it cannot: a reason among the arguments is passed on, an error becomes one.

    A table has all its cells whatever the model can do, so that what the paper printed is always shown.
    """
    for given in (*args, *options.values()):
        if isinstance(given, Absent):
            return given
    try:
        return function(*args, **options)
    except CapabilityError as error:
        return Absent(str(error), "not applicable")
    except DataNotFoundError as error:
        # the command's flag has no prefix, as that of pytest has
        return Absent(f"needs data: {str(error).replace('--bias-data', '--data')}")
    except BiascheckError as error:
        return Absent(str(error))
