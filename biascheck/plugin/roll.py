"""The roll of a run: every bias test that was collected, and what became of it, whichever process ran it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import pytest

from biascheck.gates.outcome import State, TestOutcome
from biascheck.wording import shortened

__all__ = ["CRASHED_WORKER", "NOTE", "Note", "Roll", "note_of"]

NOTE = "biascheck_note"
CRASHED_WORKER = "???"  # what pytest-xdist calls the phase in which a worker died
REASON_LENGTH = 300


@dataclass(frozen=True)
class Note:
    """What the process that ran a test knows about it and its report does not say."""

    judges: bool = True
    finding: bool = False
    error: str = ""


def note_of(item: pytest.Item, call: pytest.CallInfo[None]) -> Note | None:
    """The note on a test that is one of ours: marked ``bias``, by its fixtures or by hand."""
    marker = item.get_closest_marker("bias")
    if marker is None:
        return None
    error = call.excinfo.value if call.excinfo is not None else None
    text = f"{type(error).__name__}: {error}" if error is not None else ""
    judges = all(one.kwargs.get("judges", True) for one in item.iter_markers("bias"))
    return Note(judges, _is_finding(error), shortened(text.partition("\n")[0], REASON_LENGTH))


def _is_finding(error: BaseException | None) -> bool:
    from biascheck.errors import BiasAssertionError

    return isinstance(error, BiasAssertionError)


@dataclass
class _Entry:
    """One test while the run goes on."""

    note: Note | None = None
    failed: bool = False
    crashed: str = ""
    skipped: str | None = None
    finished: bool = False
    earlier: list[str] = field(default_factory=list)


class Roll:
    """Filled in from collection and reports; read at the end."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}
        self._collected: dict[str, None] = {}
        self._bias: set[str] = set()
        self._deselected: dict[str, str] = {}
        self._broken: dict[str, str] = {}
        self._judged: set[str] = set()

    def collect(self, tests: Iterable[str]) -> None:
        """Tests that are to be run, ours or not."""
        self._collected |= dict.fromkeys(tests)

    def claim(self, tests: Iterable[str]) -> None:
        """Tests that are ours."""
        self._bias |= set(tests)

    def deselect(self, tests: Iterable[str], reason: str) -> None:
        """Tests of ours that were collected and will not be run."""
        self._deselected |= dict.fromkeys(tests, reason)

    def break_collection(self, place: str, error: str) -> None:
        """A file that could not be collected: what it would have judged is not known."""
        self._broken[place] = error

    def judged(self, test: str) -> None:
        """A test judged something, and is one of ours from now on."""
        self._judged.add(test)

    def restart(self, test: str, story: str) -> None:
        """A test is run again: its last attempt counts, the earlier ones are told."""
        entry = self._entries.setdefault(test, _Entry())
        self._judged.discard(test)
        self._entries[test] = _Entry(note=entry.note, earlier=[*entry.earlier, story])

    def report(self, report: pytest.TestReport) -> None:
        """Take what a report says of its test."""
        entry = self._entries.setdefault(report.nodeid, _Entry())
        entry.note = _note_on(report) or entry.note
        if report.failed:
            self._fail(entry, report)
        elif report.skipped and not hasattr(report, "wasxfail"):
            entry.skipped = _skip_reason(report)
        if report.when in ("teardown", CRASHED_WORKER):
            entry.finished = True

    @property
    def finished(self) -> int:
        """How many tests came to their end, ours or not."""
        return sum(entry.finished for entry in self._entries.values())

    def outcomes(self) -> tuple[TestOutcome, ...]:
        """What became of every test of ours, by name."""
        ours = self._bias | self._judged | {test for test, entry in self._entries.items() if entry.note is not None}
        missing = {test for test in self._collected if test in ours and not self._is_finished(test)}
        found = [self._outcome(test) for test in ours - missing if test in self._entries]
        found += [self._unfinished(test) for test in missing]
        found += [TestOutcome(test, State.DESELECTED, reason=reason) for test, reason in self._deselected.items()]
        if ours or self._deselected:
            found += [TestOutcome(at, State.CRASHED, True, error) for at, error in self._broken.items()]
        return tuple(sorted(found, key=lambda outcome: outcome.test))

    def dead_workers(self) -> tuple[str, ...]:
        """Tests in which a worker died, ours or not known to be."""
        return tuple(test for test, entry in self._entries.items() if entry.crashed == CRASHED_WORKER)

    def _is_finished(self, test: str) -> bool:
        return test in self._entries and self._entries[test].finished

    def _fail(self, entry: _Entry, report: pytest.TestReport) -> None:
        entry.failed = True
        note = _note_on(report)
        if report.when == CRASHED_WORKER:
            entry.crashed = CRASHED_WORKER
        elif note is None or not note.finding:
            entry.crashed = (note.error if note else "") or "failed outside its gates"

    def _unfinished(self, test: str) -> TestOutcome:
        entry = self._entries.get(test, _Entry())
        return TestOutcome(test, State.NOT_RUN, reason="the run ended before it", earlier=tuple(entry.earlier))

    def _outcome(self, test: str) -> TestOutcome:
        entry = self._entries[test]
        state, reason = self._state(test, entry)
        return TestOutcome(test, state, entry.failed, reason, tuple(entry.earlier))

    def _state(self, test: str, entry: _Entry) -> tuple[State, str]:
        if entry.crashed:
            return State.CRASHED, "its worker died" if entry.crashed == CRASHED_WORKER else entry.crashed
        if test in self._judged or entry.failed:
            return State.JUDGED, ""
        if entry.skipped is not None:
            return State.SKIPPED, entry.skipped
        if entry.note is not None and not entry.note.judges:
            return State.MEASURED, ""
        return State.JUDGED_NOTHING, "it passed without an assertion of biascheck"


def _note_on(report: pytest.TestReport) -> Note | None:
    written = getattr(report, NOTE, None)  # plain values, so that a worker can send them
    return None if written is None else Note(**written)


def _skip_reason(report: pytest.TestReport) -> str:
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return shortened(reason.removeprefix("Skipped: "), REASON_LENGTH)
