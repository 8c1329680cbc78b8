"""What to do after a run: the next command, for each thing that it found."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from biascheck.gates.outcome import BiasTestState
from biascheck.gates.run import Run
from biascheck.gates.searches import SearchVerdict
from biascheck.stats import Change, Verdict

__all__ = ["Step", "next_steps"]

MOST_NEXT_TESTS = 2
PUBLISHED = "published data sets"


@dataclass(frozen=True)
class Step:
    """What to do, and the command that does it, where one does."""

    text: str
    command: str = ""

    def __str__(self) -> str:
        return f"{self.text} {self.command}".strip()


def next_steps(run: Run) -> tuple[Step, ...]:
    """What a reader can do about the run, the most urgent first."""
    return (*_about_tests(run), *_about_gates(run), *_about_comparisons(run), *_about_data(run))


def _about_tests(run: Run) -> Iterator[Step]:
    if run.outcome is None:
        return
    if run.outcome.interrupted:
        yield Step("Run again to the end: what did not run was not tested.")
    stuck = run.outcome.having(BiasTestState.CRASHED, BiasTestState.JUDGED_NOTHING)
    if stuck:
        named = " ".join(shlex.quote(test.test) for test in stuck[:MOST_NEXT_TESTS])
        yield Step(
            "Fix the tests that did not finish, and run again: until then the run says nothing about them.",
            f"pytest {named}",
        )


def _about_gates(run: Run) -> Iterator[Step]:
    caught = run.caught
    failed = [gate for gate in run.gates if not gate.passed and gate not in caught]
    verdicts = {gate.verdict for gate in failed}
    if Verdict.EXCEEDS in verdicts or any(search.cases for search in run.searches):
        yield Step("Read the sentences behind each finding and decide whether they matter where the model is used.")
        models = [gate.model for gate in failed if gate.verdict is Verdict.EXCEEDS]
        model = next(iter([*models, *(search.model for search in run.searches if search.cases)]))
        yield _debias(model, run)
    if Verdict.INCONCLUSIVE in verdicts:
        yield Step("Measure more: every inconclusive gate says how many clusters would decide it.")
    unread = any(one.verdict is Change.INVALID for one in run.all_comparisons)
    unread = unread or any(one.verdict is SearchVerdict.INVALID for one in run.searches)
    if Verdict.INVALID in verdicts or unread:
        yield Step(
            "Leave out what the model cannot read, or measure a model that can: an invalid figure is no finding."
        )
    if run.passed and run.gates and run.baseline is None:
        yield Step(
            "Keep these figures, so that the next checkpoint is compared with them:",
            "pytest --bias-baseline FILE --bias-update-baseline",
        )


def _debias(model: str, run: Run) -> Step:
    """Weights behind an endpoint are out of reach."""
    if any(result.model == model and "runtime" in result.provenance.model for result in run.results):
        return Step("Train a less biased checkpoint, serve it, and run the same suites on it.")
    return Step(
        "Train a less biased checkpoint, and run the same suites on it:",
        f"biascheck debias {shlex.quote(model)} --text TEXT --out FOLDER",
    )


def _about_comparisons(run: Run) -> Iterator[Step]:
    changes = {one.verdict for one in run.all_comparisons if not one.passed}
    if Change.REGRESSED in changes:
        yield Step("See what got worse under Before and after.")
    if run.baseline is not None and run.baseline.having(Change.REGRESSED):
        yield Step("Accept a change that was intended:", "pytest --bias-baseline FILE --bias-update-baseline")


def _about_data(run: Run) -> Iterator[Step]:
    if run.outcome is None:
        return
    judged = bool(run.gates or run.searches or run.all_comparisons)
    lacking = run.outcome.having(BiasTestState.SKIPPED, BiasTestState.DESELECTED)
    if lacking and not judged:
        yield Step("See under Not tested what each test needs, and run again with it.")
    if any(PUBLISHED in reason for reason in run.outcome.not_tested):
        text = "Test on the published data sets, too:" if judged else "Fetch the published data sets that tests need:"
        yield Step(text, "biascheck data fetch all --to DIR")
