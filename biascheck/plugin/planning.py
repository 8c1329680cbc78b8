"""``--bias-plan``: the run is planned and not made. It says what it would cost, and judges nothing."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

    from biascheck.models.scoring.forecast import CostEstimate

__all__ = ["UNPLANNED", "Planning"]

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
        from biascheck.models.scoring.forecast import CostEstimate, estimating

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
    from biascheck.cache.progress import in_time
    from biascheck.wording import escape_control, pluralize

    lines = [escape_control(str(cost)) for cost in estimate.costs.values() if cost.inputs]
    if not lines:
        lines.append("nothing to ask: every result is in the cache, or no test measures a model")
    memory = estimate.memory
    known = "" if memory is None else f", {memory / 1e9:.1f} GB of memory at most"
    lines.append(f"in all: {in_time(estimate.seconds)}{known}; results and answers that are kept cost nothing")
    if training:
        lines.append(f"not in it: {pluralize(training, 'test')} that {UNPLANNED.replace('trains', 'train', 1)}")
    return lines
