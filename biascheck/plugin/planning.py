"""``--bias-plan``: what a run would cost; and SIGTERM, which ends a run as Ctrl-C does."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

    from biascheck.models.scoring.cost import CostEstimate


# ``--bias-plan``: the run is planned and not made. It says what it would cost, and judges nothing.

UNPLANNED = "trains a model first, which a plan does not"


class Planning:
    """Hooks that count what the bias tests would ask of their models."""

    def __init__(self) -> None:
        self._estimate: CostEstimate | None = None
        self._skipped: list[str] = []

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave out the tests that have nothing to do with bias."""
        others = [item for item in items if item.get_closest_marker("bias") is None]
        if others:
            items[:] = [item for item in items if item not in others]
            config.hook.pytest_deselected(items=others)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """Count instead of measuring."""
        from biascheck.models.scoring.cost import CostEstimate, estimating

        self._estimate = CostEstimate()
        with estimating(self._estimate):
            return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the tests of which a plan knows only the beginning."""
        if report.skipped and UNPLANNED in str(report.longrepr):
            self._skipped.append(report.nodeid)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """A plan is made or it is not; there is nothing to fail."""
        if session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.USAGE_ERROR

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        """Show the plan."""
        if self._estimate is None:
            return
        terminalreporter.section("bias plan")
        for line in lines_of(self._estimate, len(self._skipped)):
            terminalreporter.write_line(line)


def lines_of(estimate: CostEstimate, training: int) -> list[str]:
    """The plan in words: each model, then all of it."""
    from biascheck.core.progress import in_time
    from biascheck.core.wording import escape_control, pluralize

    lines = [escape_control(str(cost)) for cost in estimate.costs.values() if cost.inputs]
    if not lines:
        lines.append("nothing to ask: every result is in the cache, or no test measures a model")
    memory = estimate.memory
    known = "" if memory is None else f", {memory / 1e9:.1f} GB of memory at most"
    lines.append(f"in all: {in_time(estimate.seconds)}{known}; results and answers that are kept cost nothing")
    if training:
        lines.append(f"not in it: {pluralize(training, 'test')} that {UNPLANNED.replace('trains', 'train', 1)}")
    return lines


# SIGTERM ends a run as Ctrl-C does: what was measured is written, and the run says that it was stopped.

INTERRUPTS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def interrupts_wait() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM wait until the block is over.

    A report that is taken over by half would leave gates without results, and numpy, whose import is broken off, cannot
    be imported again: nothing would be written at the end.
    """
    waiting: list[int] = []
    before = {}
    if threading.current_thread() is threading.main_thread():
        known = {one: signal.getsignal(one) for one in INTERRUPTS}
        before = {one: handler for one, handler in known.items() if handler is not None}
    for one in before:
        signal.signal(one, lambda number, _frame: waiting.append(number))
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
        if waiting:
            signal.raise_signal(waiting[0])


class Termination:
    """What SIGTERM does in this process; nothing is changed where somebody else handles it."""

    def __init__(self) -> None:
        self._installed = False
        self._ending = False

    def interrupts(self) -> None:
        """From now on SIGTERM raises KeyboardInterrupt."""
        in_main_thread = threading.current_thread() is threading.main_thread()
        if in_main_thread and not self._installed and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, self._interrupt)
            self._installed = True

    def waits(self) -> None:
        """From now on SIGTERM does nothing: the run is at its end, and writes its files."""
        self._ending = True

    def restore(self) -> None:
        """Leave SIGTERM as it was found."""
        if self._installed:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            self._installed = False

    def _interrupt(self, _signal: int, _frame: FrameType | None) -> None:
        if not self._ending:
            raise KeyboardInterrupt("SIGTERM")
