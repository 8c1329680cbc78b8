"""Broken weights have no bias either: a comparison with a model that cannot do the task never passes by default."""

from dataclasses import replace

import pytest

import biascheck
from biascheck.core.errors import BiasAssertionError, UsageError
from biascheck.results.definition import Readability
from biascheck.runs.baseline import Baseline, compare_with_baseline
from biascheck.runs.file import read_run, write_run
from biascheck.runs.run import Run
from biascheck.stats import Change
from support.handmade import items_of, result_of, spread

BLIND = Readability("reading", "whether it reads", 0.001, 0.01, 200, 0, "0.001 of 0.01", "cannot read this corpus")
SEEING = replace(BLIND, value=0.5)
WHY = {"competence": "ignore", "reason": "watched for change only"}


def result(centre, competence=SEEING):
    return result_of(items_of(spread(centre, 0.01)), competence=competence)


BIASED, BROKEN = result(2.0), result(0.0, BLIND)


def test_a_score_of_broken_weights_is_not_an_improvement():
    found = biascheck.compare(BIASED, BROKEN)
    assert (found.verdict, found.passed) == (Change.INVALID, False)
    assert "invalid: tiny cannot read this corpus (0.001 of 0.01)" in found.finding
    assert "improved" not in found.finding
    assert biascheck.compare(BIASED, result(0.0)).verdict is Change.IMPROVED


def test_nor_is_a_change_from_what_was_never_read():
    assert biascheck.compare(BROKEN, BIASED).verdict is Change.INVALID


@pytest.mark.parametrize("judge", [biascheck.assert_reduced, lambda old, new, **how: _no_regression(new, old, **how)])
def test_no_assertion_on_two_results_passes_on_it(judge):
    judge(BIASED, result(0.0))
    with pytest.raises(BiasAssertionError, match="invalid: tiny cannot read this corpus"):
        judge(BIASED, BROKEN)
    assert judge(BIASED, BROKEN, **WHY).warnings == ("tiny cannot read this corpus (0.001 of 0.01); compared anyway",)
    with pytest.raises(UsageError, match="say why with reason="):
        judge(BIASED, BROKEN, competence="ignore")


def _no_regression(new, old, **how):
    return biascheck.assert_no_regression(new, old, **how)


def test_compare_takes_no_other_word():
    with pytest.raises(UsageError, match="competence is 'ignore' or not given, not 'yes'"):
        biascheck.compare(BIASED, BROKEN, competence="yes")


def test_a_baseline_fails_on_it_unless_a_margin_ignores_it():
    baseline = Baseline((BIASED,))
    found = compare_with_baseline(baseline, [BROKEN])
    assert not found.passed
    assert Run(baseline=found, results=(BROKEN,)).failures[-1] == (
        "1 result compared with the baseline on what the model cannot do"
    )
    assert compare_with_baseline(baseline, [BROKEN], ignoring={BROKEN.key}).passed
    assert compare_with_baseline(baseline, [result(2.0, None)]).passed, "what has no check is compared as before"


def test_a_file_keeps_it(tmp_path):
    found = biascheck.compare(BIASED, BROKEN)
    write_run(tmp_path / "results.json", Run(results=(BROKEN,), comparisons=(found,)))
    (again,) = read_run(tmp_path / "results.json").comparisons
    assert again == found
