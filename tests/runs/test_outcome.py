"""The outcome of a run: what became of every bias test, and the one verdict that follows."""

from dataclasses import replace

import pytest

from biascheck.results.compare import compare
from biascheck.runs.baseline import Baseline, BaselineComparison, compare_with_baseline
from biascheck.runs.outcome import BiasTestState, RunOutcome, TestOutcome
from biascheck.runs.run import Run
from biascheck.stats import Verdict
from support.handmade import gate_of, items_of, result_of

JUDGED = TestOutcome("t::judged", BiasTestState.JUDGED)
GOOD = gate_of(test="t::judged")
BAD = gate_of(Verdict.EXCEEDS, test="t::judged")
GAPS = {f"job{n}": [1.0 + 0.01 * n] for n in range(8)}


def result(by=0.0, jobs=8, **fields):
    gaps = {job: [gap + by for gap in row] for job, row in list(GAPS.items())[:jobs]}
    return result_of(items_of(gaps), **fields)


SHOWN = TestOutcome("t::shown", BiasTestState.MEASURED, judges=False)


def outcome(*states, **fields):
    return RunOutcome((JUDGED, *(TestOutcome(f"t::{state}", state) for state in states)), **fields)


@pytest.mark.parametrize(
    ("found", "complete", "failures"),
    [
        (outcome(), True, ()),
        (outcome(BiasTestState.MEASURED), True, ()),
        (outcome(BiasTestState.SKIPPED, BiasTestState.DESELECTED), True, ()),
        (outcome(BiasTestState.CRASHED), False, ("1 test crashed",)),
        (outcome(BiasTestState.CRASHED, BiasTestState.CRASHED), False, ("2 tests crashed",)),
        (outcome(BiasTestState.JUDGED_NOTHING), False, ("1 test judged nothing",)),
        (outcome(BiasTestState.NOT_RUN), False, ("1 test did not run",)),
        (outcome(interrupted=True), False, ("the run was interrupted",)),
        (outcome(problems=("disk full",)), False, ("disk full",)),
        (RunOutcome((replace(JUDGED, failed=True),)), True, ("1 test failed a gate",)),
        (RunOutcome(), True, ("nothing was judged",)),
        (RunOutcome((TestOutcome("t", BiasTestState.SKIPPED),)), True, ("nothing was judged",)),
        (RunOutcome((SHOWN,)), True, ()),
        (RunOutcome((SHOWN, TestOutcome("t", BiasTestState.SKIPPED))), True, ("nothing was judged",)),
        (RunOutcome((SHOWN, TestOutcome("t", BiasTestState.SKIPPED, judges=False))), True, ()),
        (RunOutcome((SHOWN, TestOutcome("t", BiasTestState.DESELECTED))), True, ()),
        (
            outcome(BiasTestState.CRASHED, BiasTestState.JUDGED_NOTHING, BiasTestState.NOT_RUN, interrupted=True),
            False,
            ("1 test crashed", "1 test judged nothing", "1 test did not run", "the run was interrupted"),
        ),
    ],
)
def test_whether_a_run_is_complete_and_why_it_fails(found, complete, failures):
    assert (found.complete, found.failures) == (complete, failures)
    run = Run(gates=(GOOD,), outcome=found)
    assert (run.passed, run.verdict) == (not failures, "FAIL" if failures else "PASS")


@pytest.mark.parametrize("state", BiasTestState)
def test_every_state_is_judged_somehow(state):
    """A new state must be given a meaning: it fails the run, or is listed as not tested, or was judged or measured."""
    alone = outcome(state)
    assert (
        bool(alone.failures) + bool(alone.not_tested) + (state in (BiasTestState.JUDGED, BiasTestState.MEASURED)) >= 1
    )


def test_four_tests_of_which_one_passes_are_no_pass():
    found = outcome(BiasTestState.CRASHED, BiasTestState.SKIPPED, BiasTestState.JUDGED_NOTHING)
    run = Run(gates=(GOOD,), outcome=found)
    assert run.headline == "FAIL: 1 test crashed, 1 test judged nothing (1 gate: 1 within; 1 test not tested)"
    assert not run.complete


def test_what_was_not_tested_is_listed_by_reason_the_most_frequent_first():
    tests = [TestOutcome(f"t::{n}", BiasTestState.SKIPPED, reason="no GAP file") for n in range(2)]
    tests += [
        TestOutcome("t::slow", BiasTestState.DESELECTED),
        TestOutcome("t::late", BiasTestState.NOT_RUN, reason="worker died"),
    ]
    assert list(RunOutcome((JUDGED, *tests)).not_tested.items()) == [
        ("no GAP file", ("t::0", "t::1")),
        ("deselected", ("t::slow",)),
        ("worker died", ("t::late",)),
    ]


def test_a_passing_run_says_how_much_it_judged():
    warned = gate_of(Verdict.INCONCLUSIVE, passed=True)
    assert Run(gates=(GOOD, warned), outcome=outcome()).headline == (
        "PASS (2 gates: 1 inconclusive (1 accepted), 1 within)"
    )


def test_gates_that_failed_in_a_test_that_passed_are_known():
    assert Run(gates=(GOOD, BAD), outcome=outcome()).caught == (BAD,)
    failing = RunOutcome((replace(JUDGED, failed=True),))
    assert Run(gates=(GOOD, BAD), outcome=failing).caught == ()


@pytest.mark.parametrize(
    ("run", "failures"),
    [
        (Run(gates=(GOOD,)), ()),
        (Run(gates=(GOOD, BAD)), ("1 of 2 judgements failed",)),
        (Run(comparisons=(compare(result(), result(0.5)),)), ("1 of 1 judgement failed",)),
        (Run(comparisons=(compare(result(jobs=3), result(-0.5, jobs=3)),)), ("1 of 1 judgement failed",)),
        (Run(comparisons=(compare(result(), result(-0.5)),)), ()),
        (Run(), ("nothing was judged",)),
        (Run(results=(result(),)), ("nothing was judged",)),
    ],
)
def test_a_run_without_an_outcome_is_judged_by_what_it_holds(run, failures):
    assert (run.failures, run.passed, run.complete) == (failures, not failures, True)


def against(*later, before=()):
    return compare_with_baseline(Baseline(before or (result(),)), later)


@pytest.mark.parametrize(
    ("baseline", "failures"),
    [
        (against(result()), ()),
        (against(result(-0.5)), ()),
        (against(result(), result(corpus="new")), ()),
        (against(result(0.5)), ("1 result regressed from the baseline",)),
        (against(result(seed=3)), ("1 result could not be compared with the baseline",)),
        (against(result(jobs=6)), ("1 result measured on less than the baseline",)),
        (against(result(corpus="new")), ("nothing could be compared with the baseline",)),
        (
            against(result(-0.5, jobs=3), before=(result(jobs=3),)),
            ("1 result compared without an interval",),
        ),
        (
            against(result(0.5, jobs=6)),
            ("1 result regressed from the baseline", "1 result measured on less than the baseline"),
        ),
    ],
)
def test_a_baseline_can_fail_a_run_whose_tests_passed(baseline, failures):
    run = Run(gates=(GOOD,), outcome=outcome(), baseline=baseline)
    assert (run.failures, run.passed) == (failures, not failures)
    assert baseline.passed is not bool(failures)


def test_comparisons_of_tests_come_before_those_with_the_baseline():
    made, found = compare(result(), result(0.1)), against(result(-0.1))
    assert Run(comparisons=(made,), baseline=found).all_comparisons == (made, *found.comparisons)
    assert Run(comparisons=(made,)).all_comparisons == (made,)
    assert Run(baseline=BaselineComparison()).all_comparisons == ()


def test_of_many_tests_with_one_reason_the_first_are_named_and_the_others_counted():
    broken = tuple(TestOutcome(f"t{n}", BiasTestState.CRASHED, reason="no weights") for n in range(8))
    idle = tuple(TestOutcome(f"i{n}", BiasTestState.JUDGED_NOTHING, reason="no assertion") for n in range(2))
    outcome = RunOutcome((*broken, *idle))
    assert len(outcome.stuck()) == 10
    assert outcome.stuck(5) == (
        *(("crashed", f"t{n}", "no weights") for n in range(5)),
        ("crashed", "and 3 more tests", "no weights"),
        *(("judged nothing", f"i{n}", "no assertion") for n in range(2)),
    )
    assert outcome.stuck(7)[7] == ("crashed", "and 1 more test", "no weights")
