"""The end of a run: the comparison with its baseline, then its files, which report whatever goes wrong there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest

from biascheck.plugin.baseline import RunBaseline
from biascheck.plugin.outputs import Outputs, in_words
from biascheck.plugin.settings import Settings

if TYPE_CHECKING:
    from biascheck.gates.run import Run
    from biascheck.report.annotations import Places

__all__ = ["Ending"]


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
