"""What a run gathers: gates from every test, results from every process, files at the end."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import pytest

from biascheck.models.cache import DocumentCache, caching, digest_of, results_cache
from biascheck.models.progress import show_progress_on
from biascheck.plugin.settings import Settings, settings_of
from biascheck.recording import recording

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

    from biascheck.gates import Gate
    from biascheck.results import Result

__all__ = ["SESSION", "BiasSession"]

_GATES: pytest.StashKey[list[Any]] = pytest.StashKey()


class BiasSession:
    """The memory of one run; on a worker, the part that it saw."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._gates: list[Gate] = []
        self._results: dict[str, dict[str, Any]] = {}
        self._notes: list[str] = []
        self._finished: set[str] = set()
        self._sent: set[str] = set()
        self._missing = ""

    @property
    def _is_worker(self) -> bool:
        return hasattr(self._config, "workerinput")

    @property
    def _settings(self) -> Settings:
        return settings_of(self._config)

    @property
    def _wants_results(self) -> bool:
        return bool(self._settings.results or self._settings.report)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """Keep results between tests and runs, and show long work on the terminal."""
        self._check_writable()
        show_progress_on(self._uncaptured)
        try:
            with caching(results_cache() if self._settings.cache else DocumentCache(None)):
                return (yield)
        finally:
            show_progress_on(None)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Hear of the gates that a test judges."""
        gates: list[Gate] = []
        item.stash[_GATES] = gates

        def heard(gate: Gate, result: Result) -> None:
            gates.append(replace(gate, test=item.nodeid))
            item.user_properties.extend(_properties(gate, len(gates)))
            self._keep(result)

        with recording(heard):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Let the gates travel with the report of their test, from workers too."""
        report = yield
        if report.when == "call" and (gates := item.stash.get(_GATES, [])):
            from biascheck.storage import gate_to_dict

            report.bias_gates = [gate_to_dict(gate) for gate in gates]  # type: ignore[attr-defined]
            if self._is_worker:
                # With the report of its test, not at the end: a worker that is stopped has no end.
                fresh = {key: result for key, result in self._results.items() if key not in self._sent}
                report.bias_results = json.dumps(fresh)  # type: ignore[attr-defined]
                self._sent |= fresh.keys()
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the gates and results of a finished test, whichever process ran it."""
        if self._is_worker:
            return
        if report.when not in ("setup", "call"):
            self._finished.add(report.nodeid)
        self._results |= json.loads(getattr(report, "bias_results", "{}"))
        for document in getattr(report, "bias_gates", ()):
            from biascheck.storage import gate_from_dict

            self._gates.append(gate_from_dict(document))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the files that were asked for, after an interrupted run too; workers write nothing."""
        if self._gates and not self._is_worker:
            settings = self._settings
            self._missing = _missing(session.testscollected, len(self._finished))
            for path, write in ((settings.results, self._write_results), (settings.report, self._write_report)):
                if path is not None and not self._written(path, write):
                    session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        """Show one line for each gate."""
        if self._gates:
            from biascheck.plugin.terminal import write_section

            write_section(terminalreporter, self._gates, self._notes)

    def _keep(self, result: Result) -> None:
        if self._wants_results:
            from biascheck.storage import result_to_dict

            document = result_to_dict(result)
            key = digest_of([result.title, result.statistic, result.contrast, result.seed, document["provenance"]])
            self._results.setdefault(key, document)

    def _loaded(self) -> list[Result]:
        from biascheck.storage import result_from_dict

        return [result_from_dict(document) for document in self._results.values()]

    def _write_results(self, path: Path) -> None:
        from biascheck.storage import write_results

        write_results(path, self._loaded(), self._gates)

    def _write_report(self, path: Path) -> None:
        from biascheck.report import write_html

        write_html(path, self._loaded(), self._gates, incomplete=self._missing)

    def _written(self, path: Path, write: Callable[[Path], None]) -> bool:
        """Write a file; if its place has become unwritable, save it elsewhere rather than lose it."""
        try:
            write(path)
        except OSError as error:
            saved = Path(tempfile.mkdtemp(prefix="biascheck-")) / path.name
            write(saved)
            self._notes.append(f"{path} could not be written ({error.strerror or error}); saved as {saved} instead")
            return False
        self._notes.append(f"written: {_short(path)}")
        return True

    def _check_writable(self) -> None:
        if self._is_worker:
            return
        for path in (self._settings.results, self._settings.report):
            if path is not None:
                _refuse_unwritable(path)

    @contextmanager
    def _uncaptured(self) -> Iterator[TextIO]:
        capture = self._config.pluginmanager.getplugin("capturemanager")
        with ExitStack() as stack:
            if capture is not None:
                stack.enter_context(capture.global_and_fixture_disabled())
            yield sys.stderr


SESSION: pytest.StashKey[BiasSession] = pytest.StashKey()


def _properties(gate: Gate, number: int) -> list[tuple[str, object]]:
    """Facts for JUnit, numbered from the second gate of a test on."""
    suffix = "" if number == 1 else f"_{number}"
    facts: dict[str, object] = {
        "bias_gate": gate.title,
        "bias_estimate": gate.estimate,
        "bias_margin": gate.margin,
        "bias_verdict": str(gate.verdict),
        "bias_n": gate.n,
        "bias_seed": gate.seed,
    }
    if gate.interval is not None:
        facts |= {"bias_low": gate.interval.low, "bias_high": gate.interval.high}
    return [(f"{name}{suffix}", value) for name, value in facts.items()]


def _missing(collected: int, finished: int) -> str:
    """What an interrupted run did not do, for the top of its report."""
    if finished >= collected:
        return ""
    return f"The run was stopped: {collected - finished} of {collected} tests did not run to their end."


def _refuse_unwritable(path: Path) -> None:
    """Say before an hour of measuring, not after it, that its report has nowhere to go."""
    if path.is_dir():
        raise pytest.UsageError(f"{path} is a folder; name a file to write to")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise pytest.UsageError(f"{path} cannot be written ({error.strerror}); name another place") from error


def _short(path: Path) -> str:
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
