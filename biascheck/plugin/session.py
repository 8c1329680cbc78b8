"""One run, from the first test to the files at the end. On a worker, the part that it sees."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import pytest

from biascheck.core.context import remembering
from biascheck.core.files import gc_relaxed
from biascheck.core.progress import show_progress_on
from biascheck.core.store import DocumentCache, caching, results_cache
from biascheck.gates.families import ALONE, checking_in, recording, settled
from biascheck.plugin.baseline import RunBaseline
from biascheck.plugin.engines import is_worker
from biascheck.plugin.options import Settings, inputs_of_command_line, paths_of_command_line, settings_of
from biascheck.plugin.outputs import Outputs, in_words, refuse_losses, remove_files
from biascheck.plugin.planning import Termination, interrupts_wait
from biascheck.plugin.record import (
    AttemptRecord,
    RecordTransfer,
    RunRecord,
    failed_before_excuse,
    failed_by_family,
    families_of,
)
from biascheck.plugin.roll import (
    FACTS_ATTRIBUTE,
    CollectedTests,
    facts_of_attempt,
    is_about_bias,
    is_bias_test,
    selection_of,
    state_of_file,
)
from biascheck.runs.outcome import BiasTestState

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

    from biascheck.gates.families import Family
    from biascheck.gates.gate import Gate
    from biascheck.gates.search import Search
    from biascheck.report.ci import Places
    from biascheck.results.compare import Comparison
    from biascheck.results.result import Result
    from biascheck.runs.outcome import TestOutcome
    from biascheck.runs.run import Run


# The end of a run: the comparison with its baseline, then its files, which report whatever goes wrong there.


@dataclass(frozen=True)
class Ending:
    """What is left to do when the last test has run. Whatever goes wrong here becomes part of the outcome."""

    settings: Settings
    baseline: RunBaseline
    outputs: Outputs
    places: Places

    def of(self, run: Run) -> Run:
        """Compare the run, write its files, and only then its baseline; return it with all that went wrong."""
        run = self._with_files(self._compared(run))
        if self.settings.update_baseline and (problems := self.baseline.update(run)):
            run = self._with_files(_with_problems(run, problems))
        self.outputs.append_summary(run)
        return run

    def _compared(self, run: Run) -> Run:
        if not self.baseline.wanted or self.settings.update_baseline:
            return run
        try:
            return replace(run, baseline=self.baseline.check_run(run))
        except (Exception, pytest.UsageError) as error:
            return _with_problems(run, [f"the comparison with the baseline failed ({in_words(error)})"])

    def _with_files(self, run: Run) -> Run:
        """Write all files. If one fails, the others are written again, so that all of them say so."""
        while problems := self.outputs.write(run, self.places):
            run = _with_problems(run, problems)
        return run


def _with_problems(run: Run, problems: Iterable[str]) -> Run:
    assert run.outcome is not None
    return replace(run, outcome=replace(run.outcome, problems=(*run.outcome.problems, *problems)))


RECORD_ATTRIBUTE, CLAIMS = "biascheck_record", "biascheck_claims"
STOPPED = (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR)
LOOKING_OPTIONS = ("collectonly", "showfixtures", "show_fixtures_per_test", "setupplan", "setuponly")
_RECORD: pytest.StashKey[AttemptRecord] = pytest.StashKey()


class BiasSession:
    """Hooks that hear of gates, gather them from every process, and write and show them at the end."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._record = RunRecord()
        self._collected = CollectedTests()
        self._termination = Termination()
        self._known: dict[str, dict[str, Any]] = {}
        self._transfer = RecordTransfer()
        self._collect_as_before: Callable[[], None] = lambda: None
        self._locations: dict[str, tuple[str, int]] = {}
        self._run: Run | None = None
        self._notes: list[str] = []
        self._deselected: list[str] = []
        self._bias_tests: list[str] = []
        self._families: dict[str, Family] = {}
        self._has_claimed = False
        self._has_begun = False

    @property
    def _is_worker(self) -> bool:
        return is_worker(self._config)

    @property
    def _is_only_looking(self) -> bool:
        # Asked of the command line: the settings may turn out to be wrong.
        planning = bool(self._config.getoption("--bias-plan"))
        return planning or any(getattr(self._config.option, name, False) for name in LOOKING_OPTIONS)

    @property
    def _settings(self) -> Settings:
        return settings_of(self._config)

    @cached_property
    def baseline(self) -> RunBaseline:
        """The baseline of the run."""
        return RunBaseline(self._settings)

    @cached_property
    def _outputs(self) -> Outputs:
        return Outputs(self._settings)

    @property
    def _wants_results(self) -> bool:
        return bool(self._settings.results or self._settings.report or self._settings.baseline)

    def pytest_sessionstart(self) -> None:
        """Remove what an earlier run wrote: whatever becomes of this run, its files are never taken for today's."""
        if not (self._is_worker or self._is_only_looking):
            given = paths_of_command_line(self._config)
            refuse_losses({**given, **inputs_of_command_line(self._config)}, given.values())
            remove_files(given.values())  # even if the settings turn out to be wrong
            if self._settings.explicitly_requested:
                self._begin()

    def _begin(self) -> None:
        """This run is about bias: from here on nothing of an earlier run remains, and SIGTERM loses nothing."""
        if not self._has_begun:
            self._has_begun = True
            self._termination.interrupts()
            self._collect_as_before = gc_relaxed()
            if not self._is_worker:
                self._outputs.refuse_losses()
                self._outputs.remove_earlier()

    def _require_places(self) -> None:
        """Refuse files that cannot be written or read, before the work."""
        self._outputs.refuse_unwritable()
        self.baseline.require()

    def pytest_deselected(self, items: Iterable[pytest.Item]) -> None:
        """Note the bias tests that will not be run."""
        self._deselected += [item.nodeid for item in items if is_bias_test(item)]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note the bias tests that are to be run, and which of them are judged together."""
        self._families = families_of(session.items)
        self._bias_tests = [item.nodeid for item in session.items if is_bias_test(item)]
        self._collected.collect(item.nodeid for item in session.items)
        self._mark_as_bias(self._bias_tests, self._deselected)

    def _mark_as_bias(self, tests: Iterable[str], deselected: Iterable[str]) -> None:
        self._collected.mark_as_bias(tests)
        self._collected.deselect(deselected, f"deselected by {selection_of(self._config)}")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a file that could not be collected, or was skipped as a whole."""
        if not self._is_worker and not report.passed and is_about_bias(self._config.rootpath, report.nodeid):
            self._collected.leave_out(report.nodeid, *state_of_file(report))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """Take over what a worker collected."""
        self._collected.collect_elsewhere(ids)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take over which tests of a worker are ours, if it ran none and lived to say so."""
        if (claims := getattr(node, "workeroutput", {}).get(CLAIMS)) is not None:
            self._mark_as_bias(*claims)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """Keep results between tests and runs, and show long work on the terminal."""
        if not self._is_only_looking and (self._bias_tests or self._settings.explicitly_requested):
            self._begin()
            if not self._is_worker:
                self._require_places()
        show_progress_on(self._uncaptured)
        try:
            with caching(self._cache()), remembering(self._settings.worst_cases):
                return (yield)
        finally:
            show_progress_on(None)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Hear of the gates that a test judges."""

        def heard(judged: Gate | Comparison | Search | None, result: Result | None) -> None:
            from biascheck.plugin.outputs import properties_of

            record = self._record_of(item)
            if judged is None:
                assert result is not None
                record.add_result(result)
                return
            own = record.add(judged, result)
            facts = dict(properties_of(own, record.count))
            item.user_properties[:] = [one for one in item.user_properties if one[0] not in facts]
            item.user_properties.extend(facts.items())

        with recording(heard), checking_in(self._families.get(item.nodeid, ALONE)):
            return (yield)

    def _record_of(self, item: pytest.Item) -> AttemptRecord:
        """The record of this attempt at a test; that of an earlier one is taken back."""
        attempt = getattr(item, "execution_count", 1)  # counted by pytest-rerunfailures
        earlier = item.stash.get(_RECORD, None)
        if earlier is not None and earlier.attempt == attempt:
            return earlier
        if earlier is not None:
            earlier.take_back()
            item.user_properties[:] = [one for one in item.user_properties if not one[0].startswith("bias_")]
        item.stash[_RECORD] = AttemptRecord(item.nodeid, self._known, attempt=attempt, whole=self._wants_results)
        return item.stash[_RECORD]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Let the gates travel with the report of their test, from workers too."""
        report = yield
        if _RECORD in item.stash or is_bias_test(item):
            setattr(report, FACTS_ATTRIBUTE, asdict(facts_of_attempt(item, call)))
        if self._is_worker and not self._has_claimed:
            self._has_claimed = True
            setattr(report, CLAIMS, [self._bias_tests, self._deselected])
        if _RECORD in item.stash and not (record := self._record_of(item)).is_empty:
            if self._config.pluginmanager.hasplugin("html"):
                from biascheck.plugin.outputs import extra_of

                report.extras = [*getattr(report, "extras", []), *map(extra_of, record.judged)]  # type: ignore[attr-defined]
            setattr(report, RECORD_ATTRIBUTE, self._transfer.send(record.take_contents(), elsewhere=self._is_worker))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the gates of a test, whichever process ran it. A worker leaves them in the report for its controller."""
        if self._is_worker:
            return
        claims, sent = report.__dict__.pop(CLAIMS, None), report.__dict__.pop(RECORD_ATTRIBUTE, "")
        with interrupts_wait() if claims or sent else nullcontext():
            if claims:
                self._hear_worker(*claims)
            self._take(report, sent)

    def _take(self, report: pytest.TestReport, sent: str) -> None:
        attempt = getattr(report, "rerun", 0)
        if self._collected.is_over(report.nodeid, attempt):
            return
        if sent:
            if self._record.take(report.nodeid, self._transfer.receive(sent)):
                self._collected.judged(report.nodeid)
            file, line, _ = report.location
            self._locations[report.nodeid] = file, (line or 0) + 1
        if str(report.outcome) == "rerun":  # by pytest-rerunfailures: this attempt does not count
            self._collected.restart(report, attempt, self._record.take_back(report.nodeid))
        else:
            self._collected.report(report)

    def _hear_worker(self, tests: list[str], deselected: list[str]) -> None:
        self._mark_as_bias(tests, deselected)
        if tests and not self._has_begun:  # bias tests that only the settings know of
            self._begin()
            self._require_places()

    def pytest_keyboard_interrupt(self) -> None:
        """The run is being stopped; stopping it once is enough."""
        self._termination.waits()

    @pytest.hookimpl(tryfirst=True)  # before the JUnit file is written
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Decide the outcome, compare with the baseline, and write the files that were asked for."""
        if self._is_worker:
            self._config.workeroutput[CLAIMS] = [self._bias_tests, self._deselected]  # type: ignore[attr-defined]
            return
        if self._is_only_looking or session.exitstatus == pytest.ExitCode.USAGE_ERROR:
            return
        about_bias = partial(is_about_bias, self._config.rootpath)
        tests = self._collected.outcomes(self._settings.explicitly_requested, about_bias)
        if not self._settings.explicitly_requested and all(test.state is BiasTestState.DESELECTED for test in tests):
            return
        self._termination.waits()
        ending = Ending(self._settings, self.baseline, self._outputs, self._places())
        self._run = ending.of(self._finished_run(session, tests))
        self._tell_junit(self._run)
        if session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED) and not self._run.passed:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_unconfigure(self) -> None:
        """Leave the process as it was, and nothing behind: what is still there is searched for cycles at its end."""
        self._termination.restore()
        self._collect_as_before()
        self._known, self._record, self._run = {}, RunRecord(), None

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        """Show how the gates went."""
        if self._run is None:
            return
        from biascheck.plugin.terminal import write_section

        notes = [*self.baseline.notes, *self._outputs.notes, *self._notes]
        write_section(terminalreporter, self._run, self.baseline, notes)
        if os.environ.get("GITHUB_ACTIONS") == "true":
            from biascheck.report.ci import github_commands

            for command in github_commands(self._run, self._places()):
                terminalreporter.write_line(command)

    def _cache(self) -> DocumentCache:
        return results_cache(writable=not self._settings.plan) if self._settings.cache else DocumentCache(None)

    def _finished_run(self, session: pytest.Session, tests: tuple[TestOutcome, ...]) -> Run:
        from biascheck.runs.outcome import RunOutcome
        from biascheck.runs.run import Run

        results: tuple[Result, ...] = ()
        problems = list(self._record.problems)
        if self._wants_results:
            try:
                results = self._record.results()
            except Exception as error:  # the gates and what became of the tests are worth telling all the same
                problems.append(f"the results could not be put together ({in_words(error)})")
        stopped = session.exitstatus in STOPPED or bool(session.shouldstop)
        before = self._record.gates()
        gates = settled(before)
        searches, comparisons = self._record.searches(), self._record.comparisons()
        tests = failed_by_family(tests, before, gates)
        tests = failed_before_excuse(tests, (*gates, *comparisons, *searches), self._collected.excused_after_judging())
        tests = tuple(sorted((*tests, *self._collected.failed_elsewhere(tests)), key=lambda test: test.test))
        if any(one.cases for one in searches) and (file := self._settings.worst_cases):
            problems += self._add_worst_cases(file, searches, tests)
        outcome = RunOutcome(tests, interrupted=stopped, problems=tuple(problems))
        return Run(results, gates, comparisons, outcome, searches=searches)

    def _add_worst_cases(self, file: Path, searches: Sequence[Search], tests: Sequence[TestOutcome]) -> tuple[str, ...]:
        from biascheck.plugin.baseline import add_worst_cases

        added = add_worst_cases(file, searches, tests)
        self._notes += added.notes
        return added.problems

    def _places(self) -> dict[str, Any]:
        from biascheck.report.ci import Place

        root = Path(os.environ.get("GITHUB_WORKSPACE") or os.environ.get("CI_PROJECT_DIR") or self._config.rootpath)
        files = {test: (self._config.rootpath / file, line) for test, (file, line) in self._locations.items()}
        if self.baseline.wanted:
            files[""] = self.baseline.path, 1
        return {
            test: Place((file.relative_to(root) if file.is_relative_to(root) else file).as_posix(), line)
            for test, (file, line) in files.items()
        }

    def _tell_junit(self, run: Run) -> None:
        from _pytest.junitxml import xml_key

        from biascheck.plugin.outputs import properties_of_run

        junit = self._config.stash.get(xml_key, None)
        if junit is not None:
            for name, value in properties_of_run(run):
                junit.add_global_property(name, value)

    @contextmanager
    def _uncaptured(self) -> Iterator[TextIO]:
        capture = self._config.pluginmanager.getplugin("capturemanager")
        with nullcontext() if capture is None else capture.global_and_fixture_disabled():
            yield sys.stderr


SESSION: pytest.StashKey[BiasSession] = pytest.StashKey()
