"""The tests of a run: every bias test that was collected, and what became of it, whichever process ran it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import pytest

from biascheck.gates.outcome import BiasTestState, TestOutcome
from biascheck.wording import escape_control, shortened

__all__ = ["FACTS_ATTRIBUTE", "AttemptFacts", "CollectedTests", "facts_of_attempt", "is_bias_test"]

FACTS_ATTRIBUTE = "biascheck_facts"
CRASHED_WORKER = "???"  # what pytest-xdist calls the phase in which a worker died
DEAD_WORKER = "its worker died"
REASON_LENGTH = 300
MODEL_FIXTURE = "bias_model"
FIXTURES = frozenset({MODEL_FIXTURE, "bias_data", "bias_baseline"})
"""A test that uses one of these is a bias test, marked or not."""


@dataclass(frozen=True)
class AttemptFacts:
    """What the process that ran a test knows about it and its report does not say."""

    judges: bool = True
    finding: bool = False
    error: str = ""


def is_bias_test(item: pytest.Item) -> bool:
    """Whether a test is one of ours: marked ``bias``, or by its fixtures."""
    return item.get_closest_marker("bias") is not None or not FIXTURES.isdisjoint(getattr(item, "fixturenames", ()))


def facts_of_attempt(item: pytest.Item, call: pytest.CallInfo[None]) -> AttemptFacts:
    """The facts of a test that is one of ours."""
    error = call.excinfo.value if call.excinfo is not None else None
    text = f"{type(error).__name__}: {error}" if error is not None else ""
    judges = all(one.kwargs.get("judges", True) for one in item.iter_markers("bias"))
    return AttemptFacts(judges, _is_finding(error), _reason(text.partition("\n")[0]))


def _is_finding(error: BaseException | None) -> bool:
    from biascheck.errors import BiasAssertionError

    return isinstance(error, BiasAssertionError)


@dataclass
class _TestProgress:
    """One test while the run goes on; ``over`` is its last attempt that does not count."""

    facts: AttemptFacts | None = None
    failed: bool = False
    crashed: str = ""
    skipped: str | None = None
    expected: str | None = None
    finished: bool = False
    over: int = -1
    earlier: list[str] = field(default_factory=list)


class CollectedTests:
    """Filled in from collection and reports; read at the end."""

    def __init__(self) -> None:
        self._entries: dict[str, _TestProgress] = {}
        self._collected: dict[str, None] = {}
        self._bias: set[str] = set()
        self._deselected: dict[str, str] = {}
        self._files: dict[str, TestOutcome] = {}
        self._judged: set[str] = set()
        self._bias_tests_known = True

    def collect(self, tests: Iterable[str]) -> None:
        """Tests that are to be run, ours or not."""
        self._collected |= dict.fromkeys(tests)

    def collect_elsewhere(self, tests: Iterable[str]) -> None:
        """Tests that a worker is to run; which of them are ours it has yet to say."""
        self._bias_tests_known = self._bias_tests_known and bool(self._collected)
        self.collect(tests)

    def mark_as_bias(self, tests: Iterable[str]) -> None:
        """Tests that are ours."""
        self._bias_tests_known = True
        self._bias |= set(tests)

    def deselect(self, tests: Iterable[str], reason: str) -> None:
        """Tests of ours that were collected and will not be run."""
        self._deselected |= dict.fromkeys(tests, _reason(reason))

    def leave_out(self, file: str, state: BiasTestState, reason: str) -> None:
        """A file of which nothing was collected: what it would have judged is not known."""
        self._files[file] = TestOutcome(escape_control(file), state, state is BiasTestState.CRASHED, _reason(reason))

    def judged(self, test: str) -> None:
        """A test judged something, and is one of ours from now on."""
        self._judged.add(test)

    def is_over(self, test: str, attempt: int) -> bool:
        """Whether a test is run again after this attempt, so that it does not count."""
        return test in self._entries and attempt <= self._entries[test].over

    def restart(self, report: pytest.TestReport, attempt: int, findings: str) -> None:
        """A test is run again: its last attempt counts, the earlier ones are listed."""
        test = report.nodeid
        entry = self._entries.setdefault(test, _TestProgress())
        facts = _facts_on(report) or entry.facts
        story = findings or (facts.error if facts else "") or "failed outside its gates"
        self._judged.discard(test)
        self._entries[test] = _TestProgress(facts=facts, over=attempt, earlier=[*entry.earlier, _reason(story)])

    def report(self, report: pytest.TestReport) -> None:
        """Take what a report says of its test."""
        entry = self._entries.setdefault(report.nodeid, _TestProgress())
        entry.facts = _facts_on(report) or entry.facts
        if report.failed:
            self._fail(entry, report)
        elif report.skipped and "[NOTRUN]" not in getattr(report, "wasxfail", "[NOTRUN]"):
            entry.expected = _reason(report.wasxfail.removeprefix("reason: ") or "without a reason")
        elif report.skipped:
            entry.skipped = _skip_reason(report)
        if report.when in ("teardown", CRASHED_WORKER):
            entry.finished = True

    def outcomes(self, explicitly_requested: bool, may_be_ours: Callable[[str], bool]) -> tuple[TestOutcome, ...]:
        """What became of every test of ours, by name.

        A test that is not marked shows that it is ours by what it judges. Of one that did not come to that, in a run
        with bias tests or that was ``explicitly_requested``, ``may_be_ours`` says whether to take it for one.
        """
        ours = self._bias | self._judged | {test for test, entry in self._entries.items() if entry.facts is not None}
        found = [
            TestOutcome(escape_control(t), BiasTestState.DESELECTED, reason=reason)
            for t, reason in self._deselected.items()
        ]
        if ours or explicitly_requested:
            unknown = {test for test in self._collected if test not in ours and not self._has_reached_its_end(test)}
            ours |= {
                test for test in unknown if (explicitly_requested and not self._bias_tests_known) or may_be_ours(test)
            }
            found += self._files.values()
        found += [self._outcome(test) for test in ours if test in self._entries or test in self._collected]
        return tuple(sorted(found, key=lambda outcome: outcome.test))

    def _has_reached_its_end(self, test: str) -> bool:
        entry = self._entries.get(test, _TestProgress())
        return entry.finished and entry.crashed != DEAD_WORKER

    def _fail(self, entry: _TestProgress, report: pytest.TestReport) -> None:
        entry.failed = True
        facts = _facts_on(report)
        if report.when == CRASHED_WORKER:
            entry.crashed = DEAD_WORKER
        elif facts is None or not facts.finding:
            said = report.longrepr if isinstance(report.longrepr, str) else ""  # such as XPASS(strict)
            entry.crashed = (facts.error if facts else "") or _reason(said) or "failed outside its gates"

    def _outcome(self, test: str) -> TestOutcome:
        entry = self._entries.get(test, _TestProgress())
        state, reason = self._state(test, entry)
        judges = entry.facts is None or entry.facts.judges
        return TestOutcome(escape_control(test), state, entry.failed, reason, tuple(entry.earlier), judges)

    def _state(self, test: str, entry: _TestProgress) -> tuple[BiasTestState, str]:
        if entry.crashed:
            return BiasTestState.CRASHED, entry.crashed
        if not entry.finished:
            return BiasTestState.NOT_RUN, "the run ended before it"
        if test in self._judged or entry.failed:
            return BiasTestState.JUDGED, ""
        if entry.skipped is not None:
            return BiasTestState.SKIPPED, entry.skipped
        if entry.facts is not None and not entry.facts.judges:
            return BiasTestState.MEASURED, ""
        return BiasTestState.JUDGED_NOTHING, _why_nothing(entry)


def _why_nothing(entry: _TestProgress) -> str:
    if entry.expected is not None:
        return f"it was expected to fail ({entry.expected}), and failed before it judged anything"
    return "it passed without an assertion of biascheck; a test that only measures is marked bias(judges=False)"


def _facts_on(report: pytest.TestReport) -> AttemptFacts | None:
    written = getattr(report, FACTS_ATTRIBUTE, None)  # plain values, so that a worker can send them
    return None if written is None else AttemptFacts(**written)


def _skip_reason(report: pytest.TestReport) -> str:
    if hasattr(report, "wasxfail"):
        return _reason(f"expected to fail: {report.wasxfail.removeprefix('reason: ')}")
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return _reason(reason.removeprefix("Skipped: "))


def _reason(text: str) -> str:
    """Other people's words, short and without what a file or a terminal cannot show."""
    return shortened(escape_control(text), REASON_LENGTH)
