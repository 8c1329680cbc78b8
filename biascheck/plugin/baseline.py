"""What a run compares with and remembers: its baseline, and the worst cases that searches found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from biascheck.core.files import updating
from biascheck.core.wording import escape_control, pluralize
from biascheck.plugin.options import Settings
from biascheck.plugin.outputs import in_words, refuse_unwritable, short

if TYPE_CHECKING:
    from biascheck.gates.search import Search
    from biascheck.results.key import ResultKey
    from biascheck.results.result import Result
    from biascheck.runs.baseline import Baseline, BaselineComparison
    from biascheck.runs.outcome import TestOutcome
    from biascheck.runs.run import Run


# The baseline of a run: read before the work, judged after it, written only on request.

UPDATE = "--bias-update-baseline"


class RunBaseline:
    """What ``--bias-baseline`` names."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._read: Baseline | None = None
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
        if self.wanted:
            self.read()

    def read(self) -> Baseline:
        """The baseline as it was when the run began."""
        if self._read is None:
            self._read = self._from_disk()
        return self._read

    def entry(self, result: Result) -> Result:
        """The entry of a result; while the baseline is being written, every result is its own."""
        from biascheck.core.errors import UsageError
        from biascheck.results.matching import other_runtime

        if self._settings.update_baseline:
            return result
        try:
            found = self.read()[result]
        except UsageError as error:
            raise pytest.UsageError(str(error)) from error
        if not self._settings.allow_other_runtime and (reason := other_runtime(found, result)):
            raise pytest.UsageError(f"{result.title}: {reason}")
        return found

    def check_run(self, run: Run) -> BaselineComparison:
        """Compare the results of a run with it, but for those that a test has compared with their very entry."""
        from biascheck.runs.baseline import compare_with_baseline

        before, tolerance = self.read(), self._settings.tolerance
        done = [one for one in run.results if self._compared(one, run)]
        compare = partial(
            compare_with_baseline,
            before,
            tolerance=tolerance,
            any_runtime=self._settings.allow_other_runtime,
            ignoring=_ignoring(run),
        )
        found = compare([one for one in run.results if one not in done])
        if not done:
            return found
        by_tests = compare(done)
        return replace(
            found,
            unused=tuple(title for title in found.unused if title in by_tests.unused),
            shrunk=(*found.shrunk, *by_tests.shrunk),
            compared_by_tests=len(done),
        )

    def _compared(self, result: Result, run: Run) -> bool:
        """Whether a test has compared a result with its very entry, and failed if it has become worse."""
        from biascheck.results.matching import MATCH_ROUNDING

        entry = self.read().find(result)
        if entry is None:
            return False
        failing = {test.test for test in run.outcome.tests if test.failed} if run.outcome else set()
        return any(
            (one.key_before, one.key) == (entry.key, result.key)
            # a result that was compared with itself may have the key of its entry, but not the figure
            and (entry.key != result.key or abs(one.before - entry.estimate) <= MATCH_ROUNDING)
            and (one.passed or escape_control(one.test) in failing)
            for one in run.comparisons
        )

    def update(self, run: Run) -> tuple[str, ...]:
        """Write the results of a complete run into it; return why not, in words, where that was not done."""
        from biascheck.runs.baseline import write_baseline

        if not run.complete and not self._settings.update_incomplete:
            problem = f"{short(self.path)} was not updated: the run is incomplete"
            self.notes.append(f"{problem}; run all of it, or add --bias-update-incomplete")
            return (problem,)
        try:
            accepted, unread = _parted(run)
            with updating(self.path):
                before = self._from_disk()  # another run may have added to it since this one began
                write_baseline(self.path, before.updated(accepted))
        except Exception as error:
            problem = f"{short(self.path)} could not be written ({in_words(error)})"
            self.notes.append(f"{problem}; it is as it was")
            return (problem,)
        self.notes += _news(before, accepted, short(self.path))
        self.notes += [f"  not accepted: {one.title}: {one.inability}" for one in unread]
        return ()

    def _from_disk(self) -> Baseline:
        from biascheck.core.errors import ResultError
        from biascheck.runs.baseline import Baseline, read_baseline

        if self._settings.update_baseline and not self.path.exists():
            return Baseline()
        try:
            return read_baseline(self.path)
        except ResultError as error:
            raise pytest.UsageError(str(error)) from error


def _parted(run: Run) -> tuple[list[Result], list[Result]]:
    """The results that a baseline may hold, and those on what the model cannot do."""
    parts: tuple[list[Result], list[Result]] = [], []
    ignoring = _ignoring(run)
    for one in run.results:
        parts[bool(one.inability) and one.key not in ignoring].append(one)
    return parts


def _ignoring(run: Run) -> frozenset[ResultKey]:
    """The results that a margin judges although their model cannot do what was asked, each with a reason."""
    from biascheck.stats import Verdict

    return frozenset(gate.key for gate in run.gates if gate.inability and gate.verdict is not Verdict.INVALID)


def _news(before: Baseline, results: Sequence[Result], name: str) -> list[str]:
    """What an update changed, in words."""
    from biascheck.core.wording import format_number
    from biascheck.results.matching import MATCH_ROUNDING

    added, changed, same = [], [], 0
    kept = {entry.key for entry in before.entries}
    for result in results:
        entry = before.find(result) or before.resembling(result)
        if entry is None:
            added.append(f"  added    {result.title}: {format_number(result.estimate)}")
            continue
        kept.discard(entry.key)
        if abs(entry.estimate - result.estimate) <= MATCH_ROUNDING and entry.model == result.model:
            same += 1
        else:
            models = result.model if entry.model == result.model else f"{entry.model} → {result.model}"
            changed.append(
                f"  changed  {result.measure} on {models} × {result.corpus_label}: "
                f"{format_number(entry.estimate)} → {format_number(result.estimate)}"
            )
    tally = f"{len(added)} added, {len(changed)} changed, {same} unchanged, {len(kept)} kept without being measured"
    return [f"baseline {name} updated: {tally}", *changed, *(added if before.entries else [])]


# What searches found, kept at the end of a run, by the process that writes its files.


class CasesAdded(NamedTuple):
    """What to tell of the file, and what went wrong."""

    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def add_worst_cases(file: Path, searches: Sequence[Search], tests: Sequence[TestOutcome]) -> CasesAdded:
    """Add what was found to the memory, unless the test expected it and passed."""
    from biascheck.worst_cases.memory import remember

    failed = {test.test for test in tests if test.failed}
    try:
        count = remember(file, [one for one in searches if escape_control(one.test) in failed])
    except Exception as error:  # the run is worth telling all the same
        return CasesAdded(problems=(f"{short(file)} could not be written ({in_words(error)})",))
    if not count:
        return CasesAdded()
    return CasesAdded((f"{short(file)}: {pluralize(count, 'worst case')} added; commit it, and they are tried first",))
