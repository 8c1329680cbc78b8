"""What a reproduction has so far: its finished tables, in one JSON file that the page is drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, get_args

import msgspec

from biascheck.errors import ResultError, UsageError
from biascheck.files import write_atomically
from biascheck.reproduce.cells import Absent, Cell, DrawnFigure

__all__ = ["FinishedTable", "Reproduction", "read_reproduction", "write_reproduction"]

REPRODUCTION_FORMAT = "biascheck reproduction 1"
ReproductionState = Literal["reproduced", "not applicable", "missing"]


class FinishedTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table or figure that was run. ``digest`` is of everything it depends on: with another one it is run again."""

    name: str
    title: str
    about: str
    digest: str
    scale: float
    cells: tuple[Cell, ...]
    drawings: tuple[DrawnFigure, ...] = ()
    seconds: float = 0.0

    @property
    def state(self) -> ReproductionState:
        """Reproduced where it has any figure of this model; not applicable where that is the reason of all cells."""
        if self.drawings or any(cell.measured for cell in self.cells):
            return "reproduced"
        reasons = [found.why for cell in self.cells for found in _absences(cell)]
        return "not applicable" if reasons and set(reasons) == {"not applicable"} else "missing"

    @property
    def reasons(self) -> tuple[str, ...]:
        """Every reason for which a cell has no figure, once."""
        return tuple(dict.fromkeys(found.reason for cell in self.cells for found in _absences(cell)))


class Reproduction(msgspec.Struct, frozen=True, kw_only=True):
    """The finished tables of one paper on one model at one scale."""

    paper: str
    title: str
    link: str
    model: str
    fingerprint: str
    scale: float
    seed: int
    version: str
    about: str = ""
    planned: tuple[str, ...] = ()
    tables: tuple[FinishedTable, ...] = ()
    format: str = REPRODUCTION_FORMAT

    @property
    def question(self) -> tuple[object, ...]:
        """What must be the same for tables to be on one page."""
        return self.paper, self.fingerprint, self.scale, self.seed

    def with_table(self, finished: FinishedTable) -> Reproduction:
        """With one more table, in the order of the paper; it takes the place of an earlier one of that name."""
        kept = {table.name: table for table in self.tables} | {finished.name: finished}
        ordered = [name for name in self.planned if name in kept] + [name for name in kept if name not in self.planned]
        return msgspec.structs.replace(self, tables=tuple(kept[name] for name in ordered))

    def count(self, state: ReproductionState) -> int:
        """How many tables and figures are in that state."""
        return sum(table.state == state for table in self.tables)

    @property
    def counts(self) -> str:
        """How many tables and figures are in each state, in words."""
        return ", ".join(f"{self.count(state)} {state}" for state in get_args(ReproductionState))

    @property
    def not_run(self) -> tuple[str, ...]:
        """Tables of the paper that were not asked for yet."""
        have = {table.name for table in self.tables}
        return tuple(name for name in self.planned if name not in have)


def write_reproduction(path: Path, found: Reproduction) -> None:
    """Write the file, whole or not at all."""
    write_atomically(path, msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")


def read_reproduction(path: Path) -> Reproduction | None:
    """The file of an earlier call, or ``None`` where there is none. One of another kind is never overwritten."""
    if not path.exists():
        return None
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Reproduction)
    except (OSError, msgspec.MsgspecError, UsageError) as error:
        raise ResultError(f"{path} is not a file of a reproduction ({error}); name another place with --out") from error
    if found.format != REPRODUCTION_FORMAT:
        raise ResultError(
            f"{path} has the format {found.format!r}, not {REPRODUCTION_FORMAT!r}; name another place with --out"
        )
    return found


def _absences(cell: Cell) -> Sequence[Absent]:
    found = (cell.ours, cell.as_published)
    return [one for one in found if isinstance(one, Absent)]
