"""The first screen of a report: the answer in plain words, tests without a verdict, and next steps."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from biascheck.core.wording import CANNOT_DO_TASK, INCONCLUSIVE, NOT_COMPARABLE, pluralize, shortened, tally
from biascheck.gates.gate import Gate
from biascheck.gates.search import SearchVerdict
from biascheck.report.gates import state_of
from biascheck.runs.baseline import BaselineComparison
from biascheck.runs.outcome import BiasTestState, RunOutcome
from biascheck.runs.run import Run
from biascheck.stats import Change, Verdict

# Tests without a verdict: unfinished ones, earlier attempts of reruns, and tests that were not run.

MOST_UNTESTED = 100
REASON_LENGTH = 600


@dataclass(frozen=True)
class Attempt:
    """One attempt to run a test: its state, and why."""

    test: str
    state: str
    reason: str


@dataclass(frozen=True)
class NotTested:
    """Tests that were not run for the same reason."""

    reason: str
    count: str
    tests: tuple[str, ...]
    hidden: int


@dataclass(frozen=True)
class Untested:
    """The lists of tests without a verdict that a page shows."""

    unfinished: tuple[Attempt, ...]
    unfinished_hidden: int
    reruns: tuple[Attempt, ...]
    rerun: int
    not_tested: tuple[NotTested, ...]
    not_tested_count: str


def untested(outcome: RunOutcome) -> Untested:
    """Gather the lists; long ones are cut, and say so."""
    stuck = outcome.having(BiasTestState.CRASHED, BiasTestState.JUDGED_NOTHING)
    attempts = [(test, number, words) for test in outcome.tests for number, words in enumerate(test.earlier, start=1)]
    groups = outcome.not_tested
    return Untested(
        unfinished=tuple(
            Attempt(test.test, str(test.state), shortened(test.reason, REASON_LENGTH)) for test in stuck[:MOST_UNTESTED]
        ),
        unfinished_hidden=len(stuck[MOST_UNTESTED:]),
        reruns=tuple(
            Attempt(test.test, f"attempt {number}", shortened(words, REASON_LENGTH))
            for test, number, words in attempts[:MOST_UNTESTED]
        ),
        rerun=sum(bool(test.earlier) for test in outcome.tests),
        not_tested=tuple(_not_tested(reason, tests) for reason, tests in groups.items()),
        not_tested_count=pluralize(sum(map(len, groups.values())), "test"),
    )


def _not_tested(reason: str, tests: tuple[str, ...]) -> NotTested:
    return NotTested(
        shortened(reason, REASON_LENGTH),
        pluralize(len(tests), "test"),
        tests[:MOST_UNTESTED],
        len(tests[MOST_UNTESTED:]),
    )


# Next steps: a command for each kind of finding.

MOST_NEXT_TESTS = 2
PUBLISHED = "published data sets"


@dataclass(frozen=True)
class Step:
    """A next step, with its command if there is one."""

    text: str
    command: str = ""

    def __str__(self) -> str:
        return f"{self.text} {self.command}".strip()


def next_steps(run: Run) -> tuple[Step, ...]:
    """The next steps after a run, the most urgent first."""
    return (*_about_tests(run), *_about_gates(run), *_about_comparisons(run), *_about_data(run))


def _about_tests(run: Run) -> Iterator[Step]:
    if run.outcome is None:
        return
    if run.outcome.interrupted:
        yield Step("Run again to the end: some tests did not run.")
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
            "Leave out corpora that the model cannot read, or use a model that can: an invalid figure is no finding."
        )
    if run.passed and run.gates and run.baseline is None:
        yield Step(
            "Save these figures as a baseline, so that the next checkpoint is compared with them:",
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
        yield Step("See under Before and after which figures got worse.")
    if run.baseline is not None and run.baseline.having(Change.REGRESSED):
        yield Step("Accept an intended change:", "pytest --bias-baseline FILE --bias-update-baseline")


def _about_data(run: Run) -> Iterator[Step]:
    if run.outcome is None:
        return
    judged = bool(run.gates or run.searches or run.all_comparisons)
    lacking = run.outcome.having(BiasTestState.SKIPPED, BiasTestState.DESELECTED)
    if lacking and not judged:
        yield Step("See under Not tested what each test needs, and run again with it.")
    if any(PUBLISHED in reason for reason in run.outcome.not_tested):
        text = "Also test on the published data sets:" if judged else "Fetch the published data sets that tests need:"
        yield Step(text, "biascheck data fetch all --to DIR")


# The first sentences of a report: the answer in plain words, and what changed since the baseline.

CHANGES_IN_WORDS = {
    Change.REGRESSED: "further from equal treatment",
    Change.INVALID: f"{NOT_COMPARABLE.lower()}, as {CANNOT_DO_TASK}",
    Change.INCONCLUSIVE: INCONCLUSIVE.lower(),
    Change.NO_WORSE: "no worse",
    Change.IMPROVED: "closer to equal treatment",
}

SEARCHES = {
    SearchVerdict.FOUND: "found some",
    SearchVerdict.INVALID: "could not be made, as the model cannot read the sentences",
    SearchVerdict.NOT_SEARCHED: "got too few figures from the model",
}

UNFINISHED = {
    BiasTestState.CRASHED: "crashed, so that the bias they test is unknown",
    BiasTestState.JUDGED_NOTHING: "judged nothing",
    BiasTestState.NOT_RUN: "did not run, so that the run is incomplete",
}

GATES = {
    "exceeds": "more bias than allowed in {}",
    "invalid": f"{CANNOT_DO_TASK} in {{}}",
    "inconclusive": "inconclusive in {} (counts as failed)",
    "accepted": "inconclusive in {} (accepted)",
    "tolerated": "more bias than the margin allows, but accepted for this model, in {}",
    "expected": "a failure that a test expects in {}",
    "within": "within the margin in {}",
}


@dataclass(frozen=True)
class ModelVerdict:
    """One model of several: whether its gates passed, how many failed, and their tally."""

    model: str
    passed: bool
    text: str
    tally: str


def answer(run: Run) -> str:
    """The outcome of the run in one sentence that needs no statistics; failures come first."""
    caught = run.caught
    gates, rest = [*_gates(run)], [*_rest(run)]
    exceeding = any(gate.verdict is Verdict.EXCEEDS and not gate.passed and gate not in caught for gate in run.gates)
    words = "; ".join([*gates, *rest] if exceeding else [*rest, *gates])
    if not words:
        return "Nothing was judged, so this run says nothing about the model."
    return f"{words[:1].upper()}{words[1:]}."


def _gates(run: Run) -> Iterator[str]:
    caught = run.caught
    states = Counter(_word(gate, caught) for gate in run.gates)
    total = len(run.gates)
    if not total:
        return
    if states["within"] == total:
        yield "the gate is within its margin" if total == 1 else f"all {total:,} gates are within their margins"
        return
    listed = [(text, states[word]) for word, text in GATES.items() if states[word]]
    if all(gate.passed or gate in caught for gate in run.gates):
        listed.insert(0, listed.pop())  # "within" comes first if nothing failed
    first, count = listed[0]
    others = [f"{text.format(count)}" for text, count in listed[1:]]
    yield ", ".join([first.format(f"{count:,} of {pluralize(total, 'gate')}"), *others])


def _word(gate: Gate, caught: Sequence[Gate]) -> str:
    state = state_of(gate, caught)
    if state == "accepted" and gate.verdict is not Verdict.INCONCLUSIVE:
        return "tolerated"
    return {Verdict.INVALID: "invalid"}.get(gate.verdict, "exceeds") if state == "failed" else state


def _rest(run: Run) -> Iterator[str]:
    verdicts = Counter(one.verdict for one in run.searches)
    for verdict, words in SEARCHES.items():
        if count := verdicts[verdict]:
            yield f"{pluralize(count, 'search', 'searches')} for worst cases {words}"
    if worse := sum(not one.passed for one in run.all_comparisons):
        yield f"{pluralize(worse, 'figure')} {'is' if worse == 1 else 'are'} worse than before, or not comparable"
    if run.outcome is not None:
        for state, words in UNFINISHED.items():
            if count := len(run.outcome.having(state)):
                yield f"{pluralize(count, 'test')} {words}"


def by_model(run: Run) -> tuple[ModelVerdict, ...]:
    """The outcome of each model's gates, the worst first; empty if there is only one model."""
    caught = run.caught
    gates: dict[str, list[Gate]] = {}
    for gate in run.gates:
        gates.setdefault(gate.model, []).append(gate)
    if len(gates) < 2:
        return ()
    failed = {
        model: Counter(gate.verdict for gate in of if not gate.passed and gate not in caught)
        for model, of in gates.items()
    }
    worst_first = sorted(gates, key=lambda m: (-failed[m][Verdict.EXCEEDS], -failed[m].total(), m))
    return tuple(_fares(model, failed[model].total(), gates[model]) for model in worst_first)


def _fares(model: str, failed: int, gates: Sequence[Gate]) -> ModelVerdict:
    total = pluralize(len(gates), "gate")
    return ModelVerdict(
        model, not failed, f"{failed:,} of {total} failed" if failed else f"{total} passed", tally(gates)
    )


def since_baseline(found: BaselineComparison | None) -> str:
    """How the results compare with the baseline, in words; empty where there is none."""
    if found is None:
        return ""
    counts = [(len(found.having(verdict)), words) for verdict, words in CHANGES_IN_WORDS.items()]
    counts += [
        (len(found.refused), f"{NOT_COMPARABLE.lower()} with the baseline"),
        (len(found.shrunk), "measured on fewer items"),
        (len(found.new), "not in the baseline"),
        (len(found.unused), "only in the baseline"),
    ]
    listed = [f"{count:,} {words}" for count, words in counts if count]
    return f"{', '.join(listed)}." if listed else "Nothing was compared."
