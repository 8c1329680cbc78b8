"""One run, from the first test to the files at the end. On a worker, the part that it sees."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
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
from biascheck.plugin.settings import Settings, settings_of

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

    from biascheck.gates.gate import Gate
    from biascheck.gates.run import Run
    from biascheck.results.comparison import Comparison
    from biascheck.results.result import Result

__all__ = ["SESSION", "BiasSession"]

PARCEL = "biascheck_parcel"
ASKED = "biascheck_asked"
CRASHED = "???"  # what pytest-xdist calls the phase in which a worker died
_PARCEL: pytest.StashKey[Parcel] = pytest.StashKey()


class BiasSession:
    """Hooks that hear of gates, gather them from every process, and write and show them at the end."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._memory = Memory()
        self._sent: dict[str, dict[str, Any]] = {}
        self._locations: dict[str, tuple[str, int]] = {}
        self._run: Run | None = None
        self._skipped: dict[str, bool] = {}

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

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """Keep results between tests and runs, and show long work on the terminal."""
        if not (self._is_worker or self._config.option.collectonly):
            self._outputs.refuse_unwritable()
            self.baseline.require()
        show_progress_on(self._uncaptured)
        try:
            with caching(results_cache() if self._settings.cache else DocumentCache(None)):
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
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Let the gates travel with the report of their test, from workers too."""
        report = yield
        if item.get_closest_marker("bias") is not None:
            setattr(report, ASKED, True)
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
            self._memory.open(text)
            file, line, _ = report.location
            self._locations[report.nodeid] = file, (line or 0) + 1
        if report.when in ("teardown", CRASHED):
            self._memory.finished.add(report.nodeid)
        elif getattr(report, ASKED, False):
            self._skipped[report.nodeid] = report.skipped and not hasattr(report, "wasxfail")

    @property
    def _nothing_judged(self) -> bool:
        """Whether bias tests were asked for and every one of them was skipped before it judged anything."""
        return bool(self._skipped) and all(self._skipped.values()) and not self._memory

    @pytest.hookimpl(tryfirst=True)  # before the JUnit file is written
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Judge against the baseline, and write the files that were asked for."""
        if self._is_worker:
            return
        if self._nothing_judged and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED  # no data is never a pass
        if not self._memory:
            return
        run = self._finished_run(session)
        passed = True
        if self._settings.update_baseline:
            passed = self.baseline.update(run)
        elif self.baseline.wanted:
            run = replace(run, comparisons=(*run.comparisons, *self.baseline.judge(run)))
            passed = self.baseline.judgement is None or self.baseline.judgement.passed
            self._tell_junit(run)
        self._run = run
        written = self._outputs.write(run, self._places())
        if session.exitstatus == pytest.ExitCode.OK and not (passed and written):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        """Show how the gates went."""
        if self._nothing_judged:
            terminalreporter.section("bias gates")
            terminalreporter.write_line(
                f"FAILED: nothing was judged, all {len(self._skipped)} bias tests were skipped; -rs shows why", red=True
            )
        if self._run is None:
            return
        from biascheck.plugin.terminal import write_section

        notes = [*self.baseline.notes, *self._outputs.notes]
        write_section(terminalreporter, self._run, self.baseline, notes)
        if os.environ.get("GITHUB_ACTIONS") == "true":
            from biascheck.report.annotations import github_commands

            for command in github_commands(self._run, self._places()):
                terminalreporter.write_line(command)

    def _finished_run(self, session: pytest.Session) -> Run:
        not_run = max(0, session.testscollected - len(self._memory.finished))
        stopped = session.exitstatus in (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR)
        return self._memory.run(not_run=not_run, complete=not (not_run or stopped))

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

        junit = self._config.stash.get(xml_key, None)
        if junit is not None:
            for number, one in enumerate((one for one in run.comparisons if not one.test), start=1):
                junit.add_global_property(f"bias_baseline_{number}", f"{one.verdict}: {one.finding}")

    @contextmanager
    def _uncaptured(self) -> Iterator[TextIO]:
        capture = self._config.pluginmanager.getplugin("capturemanager")
        with ExitStack() as stack:
            if capture is not None:
                stack.enter_context(capture.global_and_fixture_disabled())
            yield sys.stderr


SESSION: pytest.StashKey[BiasSession] = pytest.StashKey()
