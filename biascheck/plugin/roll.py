"""Every bias test that was collected, and what became of it, whoever skipped, killed or interrupted it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from biascheck.core.wording import escape_control, shortened
from biascheck.plugin.options import settings_of
from biascheck.runs.outcome import BiasTestState, TestOutcome

# What was never collected or selected: files that could not be read or were skipped, tests that were
# deselected.

WORDS = (b"biascheck", b"bias_", b"mark.bias")


def is_about_bias(root: Path, node: str) -> bool:
    """Whether a file, or one in a folder, speaks of us; it was not run, so its text is all there is to go by."""
    path = root / node.partition("::")[0]
    return any(_mentions_us(file) for file in (path.rglob("*.py") if path.is_dir() else [path]))


def _mentions_us(file: Path) -> bool:
    try:
        text = file.read_bytes()
    except OSError:
        return False
    return any(word in text for word in WORDS)


def state_of_file(report: pytest.CollectReport) -> tuple[BiasTestState, str]:
    """What became of a file, and why: its collection failed or it was skipped."""
    if isinstance(report.longrepr, tuple):
        return BiasTestState.SKIPPED, f"the whole file: {report.longrepr[2].removeprefix('Skipped: ')}"
    lines = [line for line in str(report.longrepr).splitlines() if line.strip()]
    return (
        BiasTestState.CRASHED,
        f"it could not be collected ({lines[-1].removeprefix('E').strip() if lines else 'unknown'})",
    )


def selection_of(config: pytest.Config) -> str:
    """The options that deselect tests in this run."""
    given = {
        "-k": repr(config.option.keyword) if config.option.keyword else "",
        "-m": repr(config.option.markexpr) if config.option.markexpr else "",
        "--deselect": ", ".join(config.option.deselect or ()),
    }
    listed = [f"{option} {value}" for option, value in given.items() if value]
    flags = {"lf": "--last-failed", "stepwise": "--stepwise"}
    listed += [flag for name, flag in flags.items() if getattr(config.option, name, False)]
    return " or ".join(listed) or "another plugin"


# The tests of a run: every bias test that was collected, and what became of it, whichever process ran it.

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
    from biascheck.core.errors import BiasAssertionError

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

    def excused_after_judging(self) -> dict[str, str]:
        """Tests that judged something and then skipped, or were expected to fail: their names as shown, and how."""
        found = {test: self._entries[test] for test in self._judged if test in self._entries}
        ways = {
            test: "it was skipped" if entry.skipped is not None else "it was expected to fail"
            for test, entry in found.items()
            if entry.skipped is not None or entry.expected is not None
        }
        return {escape_control(test): way for test, way in ways.items()}

    def failed_elsewhere(self, tests: Iterable[TestOutcome]) -> tuple[TestOutcome, ...]:
        """Tests that failed and are none of ours as far as anything says: they may have been about to judge."""
        ours = {test.test for test in tests}
        failed = {escape_control(test): entry for test, entry in self._entries.items() if entry.failed}
        return tuple(
            TestOutcome(test, BiasTestState.CRASHED, failed=True, reason=entry.crashed)
            for test, entry in failed.items()
            if test not in ours
        )

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


# How errors of bias tests are shown: what a model cannot do is a skip, a server that is gone is one line.


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    """Skip a bias test whose fixtures measure what the model cannot do."""
    with _planning(item), _telling(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Skip a bias test that measures what the model cannot do."""
    with _planning(item), _telling(item):
        return (yield)


@contextmanager
def _planning(item: pytest.Item) -> Iterator[None]:
    """In a plan all figures are made up: what a test makes of them, an error or a failed gate, means nothing."""
    from biascheck.core.errors import BiasAssertionError

    try:
        yield
    except Exception as error:
        if not settings_of(item.config).plan:
            raise
        reason = "figures of a plan are made up" if isinstance(error, BiasAssertionError) else error
        raise pytest.skip.Exception(f"planned up to here: {reason}", _use_item_location=True) from None


@contextmanager
def _telling(item: pytest.Item) -> Iterator[None]:
    from biascheck.core.errors import CapabilityError, EndpointError

    try:
        yield
    except CapabilityError as refusal:
        if item.get_closest_marker("bias") is None:  # anyone else's test wants to see the error
            raise
        raise pytest.skip.Exception(str(refusal), _use_item_location=True) from None
    except EndpointError as error:
        if item.get_closest_marker("bias") is None:
            raise
        if _only_asks_one_model(item):
            item.session.shouldfail = "the served model can no longer be asked, so the other tests were not run"
        raise pytest.fail.Exception(str(error), pytrace=False) from None


def _only_asks_one_model(item: pytest.Item) -> bool:
    """Whether every other test would only find the same server gone. A worker leaves that to its controller."""
    if hasattr(item.config, "workerinput") or len(settings_of(item.config).models) != 1:
        return False
    return all(other.get_closest_marker("bias") is not None for other in item.session.items)
