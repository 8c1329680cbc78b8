"""The baseline of a run: read before the work, judged after it, written only when told to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from biascheck.plugin.outputs import refuse_unwritable, short
from biascheck.plugin.settings import Settings
from biascheck.results.file_kinds import BASELINE, BASELINE_SCHEMA, kind_of

if TYPE_CHECKING:
    from biascheck.gates.run import Run
    from biascheck.results.baselines import Baseline, Judgement
    from biascheck.results.comparison import Comparison
    from biascheck.results.result import Result

__all__ = ["RunBaseline"]

UPDATE = "--bias-update-baseline"


class RunBaseline:
    """What ``--bias-baseline`` names."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._read: Baseline | None = None
        self.judgement: Judgement | None = None
        self.notes: list[str] = []

    @property
    def path(self) -> Path:
        """Where it is; only for runs that have one."""
        if self._settings.baseline is None:
            raise pytest.UsageError(f"no baseline: pass --bias-baseline FILE (and, to write it, {UPDATE})")
        return self._settings.baseline

    @property
    def wanted(self) -> bool:
        """Whether the run has a baseline."""
        return self._settings.baseline is not None

    def require(self) -> None:
        """Refuse, before the work, a baseline that is missing, damaged or cannot be written."""
        if self._settings.update_baseline:
            refuse_unwritable(self.path)
        # A whole one is read when a result needs it: a run without gates need not know numpy.
        if self.wanted and kind_of(self.path) not in [(BASELINE, n) for n in range(1, BASELINE_SCHEMA + 1)]:
            self.read()

    def read(self) -> Baseline:
        """The baseline as it was when the run began."""
        if self._read is None:
            self._read = self._from_disk()
        return self._read

    def entry(self, result: Result) -> Result:
        """The entry of a result; while the baseline is being written, every result is its own."""
        from biascheck.errors import UsageError

        if self._settings.update_baseline:
            return result
        try:
            return self.read()[result]
        except UsageError as error:
            raise pytest.UsageError(str(error)) from error

    def judge(self, run: Run) -> tuple[Comparison, ...]:
        """Hold the results of a run against it, but for those that a test has compared by itself."""
        from biascheck.results.baselines import judge_against

        compared = {(one.measure, one.corpus, one.statistic, one.model_after) for one in run.comparisons}
        rest = [one for one in run.results if (one.measure, one.corpus, one.statistic, one.model) not in compared]
        found = judge_against(self.read(), rest, tolerance=self._settings.tolerance)
        measured = {one.title for one in run.results}  # those that a test has compared are not missing
        self.judgement = replace(found, unused=tuple(title for title in found.unused if title not in measured))
        return self.judgement.comparisons

    def update(self, run: Run) -> bool:
        """Write the results of a complete run into it; false if that was not done."""
        from biascheck.results.baseline_files import write_baseline

        if not run.complete and not self._settings.update_incomplete:
            self.notes.append(
                f"{short(self.path)} was not updated: the run is incomplete, {run.not_run} tests did not run; "
                "run all of it, or add --bias-update-incomplete"
            )
            return False
        before = self.read()
        try:
            write_baseline(self.path, before.updated(run.results))
        except OSError as error:
            self.notes.append(f"{self.path} could not be written ({error.strerror or error}); it is as it was")
            return False
        self.notes += _news(before, run.results, short(self.path))
        return True

    def _from_disk(self) -> Baseline:
        from biascheck.errors import ResultError
        from biascheck.results.baseline_files import read_baseline
        from biascheck.results.baselines import Baseline

        if self._settings.update_baseline and not self.path.exists():
            return Baseline()
        try:
            return read_baseline(self.path)
        except ResultError as error:
            raise pytest.UsageError(str(error)) from error


def _news(before: Baseline, results: Sequence[Result], name: str) -> list[str]:
    """What an update changed, in words."""
    from biascheck.results.comparison import ROUNDING
    from biascheck.wording import figure

    added, changed, same = [], [], 0
    kept = {id(entry): entry for entry in before.entries}
    for result in results:
        entry = before.find(result)
        if entry is None:
            added.append(f"  added    {result.title}: {figure(result.estimate)}")
            continue
        kept.pop(id(entry), None)
        if abs(entry.estimate - result.estimate) <= ROUNDING and entry.model == result.model:
            same += 1
        else:
            models = result.model if entry.model == result.model else f"{entry.model} → {result.model}"
            changed.append(
                f"  changed  {result.measure} on {models} × {result.corpus}: "
                f"{figure(entry.estimate)} → {figure(result.estimate)}"
            )
    tally = f"{len(added)} added, {len(changed)} changed, {same} unchanged, {len(kept)} kept without being measured"
    return [f"baseline {name} updated: {tally}", *changed, *(added if before.entries else [])]
