"""``--bias-engine``: where the work of a run is done, in this process or spread over a cluster."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest

from biascheck.plugin.options import Settings, settings_of
from biascheck.plugin.roll import CRASHED_WORKER, MODEL_FIXTURE, is_bias_test

if TYPE_CHECKING:
    from biascheck.models.scoring.engine_choice import EngineChoice


# Some tests of a run in another process: the same command line is collected there, and the reports come back.

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


# ``--bias-engine``: where the work of a run is done.
#
# With one model, the batches of its plans go to the workers. With several, each suite of each model is a task
# of its own: its tests run in a worker, and their reports are taken over here as if they had run in this
# process.

NO_MODEL = ("", "")
NOT_SPREAD_WITH = ("collectonly", "setupplan", "setuponly")


class PlanEngine:
    """Lets plans run where the settings say. Workers of pytest-xdist are a spread of their own, and stay local."""

    def __init__(self, config: pytest.Config) -> None:
        given = config.getoption("--bias-engine")
        if given not in (None, "local") and getattr(config.option, "numprocesses", None):
            raise pytest.UsageError(f"--bias-engine {given} spreads the work itself; leave out -n")

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Hand the plans of the run over, unless whole suites are."""
        choice = _choice(session)
        if choice is None or is_grid(session, choice):
            return (yield)
        from biascheck.models.scoring.engine_choice import running_on

        with ExitStack() as stack:
            with _usage_errors():
                stack.enter_context(running_on(choice))
            return (yield)


class SuiteTasks:
    """Runs each suite of each model as a task of the cluster, where there are several models."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Spread the tests, take over their reports; what needs no model runs here."""
        choice = _choice(session)
        if choice is None or not is_grid(session, choice):
            return None
        if session.testsfailed and not session.config.option.continue_on_collection_errors:
            raise session.Interrupted(f"{session.testsfailed} errors during collection")
        groups = groups_of(session.items)
        for item, following in _with_next(groups.pop(NO_MODEL, [])):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        from biascheck.models.scoring.ray import in_order, run_tasks

        suites = list(groups.values())
        with _usage_errors():
            tasks = [_task(session, items) for items in suites]
            # In their order, whichever ends first: the files of the run do not depend on the number of workers.
            for items, reports in zip(suites, in_order(run_tasks(choice, run_suite, tasks)), strict=True):
                _take_over(session, items, reports)
                if session.shouldfail:
                    raise session.Failed(session.shouldfail)
                if session.shouldstop:
                    raise session.Interrupted(session.shouldstop)
        return True


def _choice(session: pytest.Session) -> EngineChoice | None:
    """The engine of this run; ``None`` where nothing is to be run, or nothing of ours."""
    config = session.config
    if any(getattr(config.option, name, False) for name in NOT_SPREAD_WITH) or config.getoption("--bias-plan"):
        return None
    if not any(is_bias_test(item) for item in session.items):
        return None
    settings = settings_of(config)
    if is_worker(config):  # one of many, with what it was given
        settings = replace(settings, engine_actors=None, engine_gpus=0)
    with _usage_errors():
        choice = choice_of(settings)
    return None if is_worker(config) and not choice.is_local else choice


def is_grid(session: pytest.Session, choice: EngineChoice) -> bool:
    """Whether whole suites are spread: there is a cluster, and more than one model."""
    return not choice.is_local and len({_model_of(item) for item in session.items} - {None}) > 1


def groups_of(items: Sequence[pytest.Item]) -> dict[tuple[str, str], list[pytest.Item]]:
    """The tests by model and suite, which is their folder; those without a model under :data:`NO_MODEL`."""
    groups: dict[tuple[str, str], list[pytest.Item]] = {}
    for item in items:
        model = _model_of(item)
        key = NO_MODEL if model is None else (model, str(item.path.parent))
        groups.setdefault(key, []).append(item)
    return groups


def _model_of(item: pytest.Item) -> str | None:
    params: dict[str, Any] = getattr(getattr(item, "callspec", None), "params", {})
    return params.get(MODEL_FIXTURE)


def _with_next(items: Sequence[pytest.Item]) -> Iterator[tuple[pytest.Item, pytest.Item | None]]:
    return zip(items, [*items[1:], None], strict=False)  # of no items there is none to follow


def _task(session: pytest.Session, items: Sequence[pytest.Item]) -> SuiteTask:
    invocation = session.config.invocation_params
    settings = settings_of(session.config)
    device = ("--bias-device", "cuda") if settings.engine_gpus and settings.device is None else ()
    return SuiteTask(
        arguments=(*map(str, invocation.args), *device),
        folder=str(invocation.dir),
        tests=tuple(item.nodeid for item in items),
        paths=tuple(path for path in sys.path if path),
    )


def _take_over(session: pytest.Session, items: Sequence[pytest.Item], found: SuiteReports | Exception) -> None:
    hook = session.config.hook
    if isinstance(found, SuiteReports):
        reports = [hook.pytest_report_from_serializable(config=session.config, data=one) for one in found.reports]
        if found.stopped:
            session.shouldfail = found.stopped
    else:
        reports = [_lost(item, found) for item in items]
    for report in reports:
        if report.when in ("setup", CRASHED_WORKER):
            hook.pytest_runtest_logstart(nodeid=report.nodeid, location=report.location)
        hook.pytest_runtest_logreport(report=report)
        if report.when in ("teardown", CRASHED_WORKER):
            hook.pytest_runtest_logfinish(nodeid=report.nodeid, location=report.location)


def _lost(item: pytest.Item, error: Exception) -> pytest.TestReport:
    when: Any = CRASHED_WORKER
    return pytest.TestReport(item.nodeid, item.location, {}, "failed", str(error), when)


def choice_of(settings: Settings) -> EngineChoice:
    """The engine that the settings ask for."""
    from biascheck.models.scoring.engine_choice import EngineChoice, EngineOptions

    options: EngineOptions = {
        "actors": settings.engine_actors,
        "cpus": settings.engine_cpus,
        "gpus": settings.engine_gpus,
        "threads": settings.engine_threads,
    }
    if settings.engine_chunk is not None:
        options["chunk_tokens"] = settings.engine_chunk
    return EngineChoice(settings.engine, **options)


@contextmanager
def _usage_errors() -> Iterator[None]:
    from biascheck.core.errors import UsageError

    try:
        yield
    except UsageError as error:
        raise pytest.UsageError(str(error)) from error
