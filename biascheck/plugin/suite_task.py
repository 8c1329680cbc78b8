"""Some tests of a run in another process: the same command line is collected there, and the reports come back."""

from __future__ import annotations

import io
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from typing import Any

import pytest

__all__ = ["SuiteReports", "SuiteTask", "is_worker", "run_suite"]

OTHER_FILES = ("xmlpath", "htmlpath")
"""What other plugins would write here and the controller writes of all tests."""
IS_TASK: pytest.StashKey[bool] = pytest.StashKey()
"""Not ``workerinput``, by which pytest-xdist marks its workers: plugins look for the rest of xdist there."""


def is_worker(config: pytest.Config) -> bool:
    """Whether another process hears of the tests of this one, and writes the files of the run."""
    return hasattr(config, "workerinput") or config.stash.get(IS_TASK, False)


@dataclass(frozen=True)
class SuiteTask:
    """The tests to run, and the command line that collects them."""

    arguments: tuple[str, ...]
    folder: str
    tests: tuple[str, ...]
    paths: tuple[str, ...] = ()


@dataclass(frozen=True)
class SuiteReports:
    """The reports of the tests, as plain data, and why the run is to stop, if it is."""

    reports: list[dict[str, Any]] = field(default_factory=list)
    stopped: str = ""


def run_suite(task: SuiteTask) -> SuiteReports:
    """Run the tests in this process, which is no one else's."""
    os.chdir(task.folder)
    sys.path[:0] = [path for path in task.paths if path not in sys.path]
    worker = _Worker(frozenset(task.tests))
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        code = pytest.main([*task.arguments, "--bias-engine", "local"], plugins=[worker])
    if not worker.reports and code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        lines = [line for line in said.getvalue().splitlines() if line.strip()]
        return SuiteReports(stopped=lines[-1] if lines else f"the worker ended with exit code {int(code)}")
    return SuiteReports(worker.reports, worker.stopped)


class _Worker:
    """Makes this pytest a worker: it runs what it was given, hands over its reports and writes no files."""

    def __init__(self, tests: frozenset[str]) -> None:
        self._tests = tests
        self._config: pytest.Config | None = None
        self.reports: list[dict[str, Any]] = []
        self.stopped = ""

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        self._config = config
        config.stash[IS_TASK] = True
        config.workeroutput = {}  # type: ignore[attr-defined]
        for name in OTHER_FILES:
            if hasattr(config.option, name):
                setattr(config.option, name, None)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        chosen = [item for item in session.items if item.nodeid in self._tests]
        for item, following in zip(chosen, [*chosen[1:], None], strict=False):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.shouldfail or session.shouldstop:
                self.stopped = str(session.shouldfail or session.shouldstop)
                break
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        assert self._config is not None
        hook = self._config.hook
        self.reports.append(hook.pytest_report_to_serializable(config=self._config, report=report))
