"""One run, from the first test to the files at the end. On a worker, the part that it sees."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import pytest

from biascheck.cache.document_cache import DocumentCache, caching, results_cache
from biascheck.cache.progress import show_progress_on
from biascheck.gates.recording import recording
from biascheck.plugin.baseline import RunBaseline
from biascheck.plugin.memory import Memory, Parcel
from biascheck.plugin.outputs import Outputs
from biascheck.plugin.roll import NOTE, Roll, note_of
from biascheck.plugin.settings import Settings, settings_of
from biascheck.plugin.termination import terminating_like_an_interrupt

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

    from biascheck.gates.gate import Gate
    from biascheck.gates.run import Run
    from biascheck.results.comparison import Comparison
    from biascheck.results.result import Result

__all__ = ["SESSION", "BiasSession"]

PARCEL = "biascheck_parcel"
BIAS_TESTS, DESELECTED = "biascheck_bias_tests", "biascheck_deselected"
STOPPED = (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR)
_PARCEL: pytest.StashKey[Parcel] = pytest.StashKey()


class BiasSession:
    """Hooks that hear of gates, gather them from every process, and write and show them at the end."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._memory = Memory()
        self._roll = Roll()
        self._sent: dict[str, dict[str, Any]] = {}
        self._locations: dict[str, tuple[str, int]] = {}
        self._run: Run | None = None
        self._deselected: list[str] = []
        self._bias_tests: list[str] = []

    @property
    def _is_worker(self) -> bool:
        return hasattr(self._config, "workerinput")

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
        if not (self._is_worker or self._config.option.collectonly) and self._settings.asked:
            self._outputs.remove_earlier()

    def pytest_deselected(self, items: Iterable[pytest.Item]) -> None:
        """Note the bias tests that will not be run."""
        self._deselected += [item.nodeid for item in items if _is_bias_test(item)]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note the bias tests that are to be run."""
        self._bias_tests = [item.nodeid for item in session.items if _is_bias_test(item)]
        self._roll.collect(item.nodeid for item in session.items)
        self._roll.claim(self._bias_tests)
        self._roll.deselect(self._deselected, "deselected on the command line")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a file that could not be collected."""
        if report.failed and not self._is_worker:
            self._roll.break_collection(report.nodeid, "it could not be collected")

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """Take over what a worker collected."""
        self._roll.collect(ids)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take over which tests of a worker are ours; one that died has nothing to say."""
        said = getattr(node, "workeroutput", {})
        self._roll.claim(said.get(BIAS_TESTS, ()))
        self._roll.deselect(said.get(DESELECTED, ()), "deselected on the command line")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """Keep results between tests and runs, and show long work on the terminal."""
        if not (self._is_worker or self._config.option.collectonly):
            if self._settings.asked or self._bias_tests:
                self._outputs.remove_earlier()
            self._outputs.refuse_unwritable()
            self.baseline.require()
        show_progress_on(self._uncaptured)
        ours = bool(self._bias_tests or self._settings.asked)
        try:
            with terminating_like_an_interrupt(ours), caching(self._cache()):
                return (yield)
        finally:
            show_progress_on(None)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Hear of the gates that a test judges."""

        def heard(judged: Gate | Comparison, result: Result) -> None:
            from biascheck.plugin.facts import properties_of

            if _PARCEL not in item.stash:
                item.stash[_PARCEL] = Parcel(item.nodeid, with_results=self._wants_results)
            parcel = item.stash[_PARCEL]
            parcel.add(judged, result)
            item.user_properties.extend(properties_of(judged, parcel.count))

        with recording(heard):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Let the gates travel with the report of their test, from workers too."""
        report = yield
        if (note := note_of(item, call)) is not None:
            setattr(report, NOTE, asdict(note))
        if (parcel := item.stash.get(_PARCEL, None)) is not None and parcel.judged:
            if self._config.pluginmanager.hasplugin("html"):
                from biascheck.plugin.facts import extra_of

                report.extras = [*getattr(report, "extras", []), *map(extra_of, parcel.judged)]  # type: ignore[attr-defined]
            setattr(report, PARCEL, parcel.sealed(self._sent))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the gates of a test, whichever process ran it. A worker leaves them in the report for its controller."""
        if self._is_worker:
            return
        if text := report.__dict__.pop(PARCEL, ""):
            self._memory.open(report.nodeid, text)
            self._roll.judged(report.nodeid)
            file, line, _ = report.location
            self._locations[report.nodeid] = file, (line or 0) + 1
        if str(report.outcome) == "rerun":  # by pytest-rerunfailures: this attempt does not count
            self._roll.restart(report.nodeid, self._memory.take_back(report.nodeid))
        else:
            self._roll.report(report)

    @pytest.hookimpl(tryfirst=True)  # before the JUnit file is written
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Decide the outcome, compare with the baseline, and write the files that were asked for."""
        if self._is_worker:
            self._config.workeroutput |= {BIAS_TESTS: self._bias_tests, DESELECTED: self._deselected}  # type: ignore[attr-defined]
            return
        if self._config.option.collectonly or not (self._settings.asked or self._roll.outcomes()):
            return
        self._run = self._written(self._judged_against_baseline(self._finished_run(session)))
        self._tell_junit(self._run)
        if session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED) and not self._run.passed:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        """Show how the gates went."""
        if self._run is None:
            return
        from biascheck.plugin.terminal import write_section

        notes = [*self.baseline.notes, *self._outputs.notes]
        write_section(terminalreporter, self._run, self.baseline, notes)
        if os.environ.get("GITHUB_ACTIONS") == "true":
            from biascheck.report.annotations import github_commands

            for command in github_commands(self._run, self._places()):
                terminalreporter.write_line(command)

    def _cache(self) -> DocumentCache:
        return results_cache() if self._settings.cache else DocumentCache(None)

    def _finished_run(self, session: pytest.Session) -> Run:
        from biascheck.gates.outcome import Outcome
        from biascheck.gates.run import Run

        outcome = Outcome(
            tests=self._roll.outcomes(),
            interrupted=session.exitstatus in STOPPED or bool(session.shouldstop),
            problems=tuple(self._memory.problems),
        )
        return Run(self._memory.results(), self._memory.gates(), self._memory.comparisons(), outcome)

    def _judged_against_baseline(self, run: Run) -> Run:
        if self._settings.update_baseline:
            return self._with_problems(run, self.baseline.update(run))
        return replace(run, baseline=self.baseline.judge(run)) if self.baseline.wanted else run

    def _written(self, run: Run) -> Run:
        """Write all files; if one fails, the others are written again, so that all of them say so."""
        if not (problems := self._outputs.write(run, self._places())):
            return run
        run = self._with_problems(run, problems)
        self._outputs.write(run, self._places())
        return run

    @staticmethod
    def _with_problems(run: Run, problems: Iterable[str]) -> Run:
        assert run.outcome is not None
        return replace(run, outcome=replace(run.outcome, problems=(*run.outcome.problems, *problems)))

    def _places(self) -> dict[str, Any]:
        from biascheck.report.annotations import Place

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

        from biascheck.plugin.facts import properties_of_run

        junit = self._config.stash.get(xml_key, None)
        if junit is not None:
            for name, value in properties_of_run(run):
                junit.add_global_property(name, value)

    @contextmanager
    def _uncaptured(self) -> Iterator[TextIO]:
        capture = self._config.pluginmanager.getplugin("capturemanager")
        with ExitStack() as stack:
            if capture is not None:
                stack.enter_context(capture.global_and_fixture_disabled())
            yield sys.stderr


def _is_bias_test(item: pytest.Item) -> bool:
    return item.get_closest_marker("bias") is not None


SESSION: pytest.StashKey[BiasSession] = pytest.StashKey()
