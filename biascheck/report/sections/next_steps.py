"""What to do after a run: the next command, for each thing that it found."""

from __future__ import annotations

from collections.abc import Iterator

from biascheck.gates.outcome import State
from biascheck.gates.run import Run
from biascheck.stats import Change, Verdict

__all__ = ["next_steps"]


def next_steps(run: Run) -> tuple[str, ...]:
    """What a reader can do about the run, the most urgent first."""
    return (*_about_tests(run), *_about_gates(run), *_about_comparisons(run))


def _about_tests(run: Run) -> Iterator[str]:
    if run.outcome is None:
        return
    if run.outcome.having(State.CRASHED, State.JUDGED_NOTHING) or run.outcome.interrupted:
        yield "Mend the tests that did not finish, and run again: until then the run says nothing about them."


def _about_gates(run: Run) -> Iterator[str]:
    verdicts = {gate.verdict for gate in run.gates if not gate.passed}
    if Verdict.EXCEEDS in verdicts or any(not search.passed for search in run.searches):
        yield (
            "Read the sentences behind each finding and decide whether they matter where the model is used. "
            "biascheck debias trains a checkpoint to compare with; the same run on it shows what that changes."
        )
    if Verdict.INCONCLUSIVE in verdicts:
        yield "Measure more: every inconclusive gate says how many clusters would decide it."
    if Verdict.INVALID in verdicts or any(one.verdict is Change.INVALID for one in run.all_comparisons):
        yield "Leave out what the model cannot read, or measure a model that can: an invalid figure is no finding."
    if run.passed and run.gates and run.baseline is None:
        yield (
            "Keep these figures, so that the next checkpoint is compared with them: "
            "--bias-baseline FILE --bias-update-baseline."
        )


def _about_comparisons(run: Run) -> Iterator[str]:
    changes = {one.verdict for one in run.all_comparisons if not one.passed}
    if Change.REGRESSED in changes:
        yield "See what got worse under Before and after. --bias-update-baseline accepts a change that was intended."
