"""The suites of this repository, as a user runs them."""

import shutil
from collections import Counter
from pathlib import Path

import pytest

import biascheck.debias
import biascheck.measures
import biascheck.report
from biascheck.gates.outcome import State
from biascheck.gates.run_files import read_run
from biascheck.models.loading.random_references import build_reference

SUITES = Path(__file__).resolve().parents[2] / "suites"

# Pytester forgets modules that were first imported inside a run, and numpy cannot be imported twice.
build_reference("reference:tiny")


@pytest.fixture
def suites(pytester, monkeypatch, tmp_path):
    monkeypatch.setenv("BIASCHECK_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("BIASCHECK_DATA", raising=False)
    shutil.copytree(SUITES, pytester.path / "suites")

    def run(*arguments):
        # By path, not by name: our own tests have modules of the same names.
        by_path = "--import-mode=importlib"
        return pytester.runpytest("-p", "biascheck.plugin", "-p", "no:cacheprovider", by_path, "suites", *arguments)

    return run


def test_every_suite_judges_any_masked_model_and_none_crashes(suites, pytester):
    """A random model cannot read: what fails, fails as invalid, and what has no premise is skipped."""
    suites("--bias-model", "reference:tiny", "--bias-results", "results.json")
    run = read_run(pytester.path / "results.json")
    counts = Counter(test.state for test in run.outcome.tests)
    assert set(counts) == {State.JUDGED, State.MEASURED, State.SKIPPED}
    assert counts[State.JUDGED] >= 25
    assert counts[State.MEASURED] >= 14
    assert run.complete
    assert {str(gate.verdict) for gate in run.gates if not gate.passed} == {"invalid"}
    assert (
        len(run.outcome.not_tested["needs the published data sets: pass --bias-data DIR or set BIASCHECK_DATA"]) == 75
    )


def test_a_model_that_cannot_read_german_is_not_tested_on_it(suites, pytester):
    run = suites("--bias-model", "reference:tiny", "--bias-results", "results.json", "-k", "german")
    assert run.ret == pytest.ExitCode.TESTS_FAILED
    (reason,) = [
        reason
        for reason in read_run(pytester.path / "results.json").outcome.not_tested
        if not reason.startswith("deselected by -k 'german'")
    ]
    assert reason.startswith("reference:tiny cannot read German: ")


def test_published_figures_stand_beside_the_measured_ones(suites, pytester):
    suites("--bias-model", "reference:tiny", "--bias-results", "results.json", "-k", "effect_size and career")
    (result,) = read_run(pytester.path / "results.json").results
    (attached,) = [one for one in result.attachments if isinstance(one, biascheck.extend.Published)]
    (figure,) = attached.figures
    assert (figure.value, figure.source, figure.table) == (1.126, "Kurita 2019", "Table 3")
    assert figure.erratum


def test_published_lists_are_measured_where_the_data_is(suites, pytester, shared_data):
    suites(
        "--bias-model", "reference:tiny", "--bias-data", str(shared_data), "--bias-results", "results.json",
        "-k", "on_published_lists and traits",
    )  # fmt: skip
    run = read_run(pytester.path / "results.json")
    assert [gate.measure for gate in run.gates] == ["association"] * 2
    assert sorted(result.measure for result in run.results) == ["association"] * 2 + ["positive share"] * 2
