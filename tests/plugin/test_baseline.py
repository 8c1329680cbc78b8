"""A run held against its baseline, as a user sees it."""

import json
import xml.etree.ElementTree as ElementTree

import pytest

from biascheck.runs.baseline import read_baseline
from biascheck.runs.file import read_run

DISTRIBUTIONS = pytest.mark.parametrize("processes", [(), ("-n", "2")], ids=["plain", "xdist"])
UPDATE = ("--bias-baseline", "baseline.json", "--bias-update-baseline")
JUDGE = ("--bias-baseline", "baseline.json")

SUITE = """
    import os
    import pytest
    import biascheck
    from biascheck.testing import TableModel

    JOBS = [f"job{n:02d}" for n in range(20)]

    @pytest.fixture(scope="session")
    def model():
        lean = float(os.environ.get("LEAN", "0.6"))
        table = {job: {"he": lean - n / 200, "she": 0.3} for n, job in enumerate(JOBS)}
        return TableModel(table, {"he": 0.5, "she": 0.5}, name=os.environ.get("NAME", "table"))

    @pytest.fixture(scope="session")
    def corpus():
        return biascheck.corpora.corpus_from_templates(
            "jobs", templates=[os.environ.get("TEMPLATE", "{target} is a {attribute}.")],
            targets=[{"male": "he", "female": "she"}], attributes=JOBS)

    def test_gap(model, corpus, bias_seed):
        biascheck.assert_association_within(biascheck.measures.association(model, corpus, seed=bias_seed), margin=9)

    @pytest.mark.bias(judges=False)
    def test_share(model, corpus, bias_seed):
        biascheck.show(biascheck.measures.positive_share(model, corpus, seed=bias_seed))
"""


@pytest.fixture
def baseline(project, pytester):
    project(SUITE, *UPDATE)
    return pytester.path / "baseline.json"


@DISTRIBUTIONS
def test_a_baseline_is_written_when_told_to(project, pytester, processes):
    run = project(SUITE, *UPDATE, *processes)
    assert run.ret == 0
    run.stdout.fnmatch_lines(["baseline baseline.json updated: 2 added, 0 changed, 0 unchanged, 0 kept *"])
    written = read_baseline(pytester.path / "baseline.json")
    assert [entry.measure for entry in written.entries] == ["association", "positive share"]
    assert "is a job" not in (pytester.path / "baseline.json").read_text().replace("is a {attribute}", "")


@pytest.mark.usefixtures("baseline")
def test_the_same_model_is_no_worse(project):
    run = project(SUITE, *JUDGE)
    assert run.ret == 0
    run.stdout.fnmatch_lines(["against baseline.json (table): 2 no worse"])


@DISTRIBUTIONS
@pytest.mark.usefixtures("baseline")
def test_a_worse_model_fails_the_run_although_its_gates_pass(project, monkeypatch, processes, pytester):
    monkeypatch.setenv("LEAN", "0.9")
    run = project(SUITE, *JUDGE, "--bias-results", "results.json", "--junitxml", "junit.xml", *processes)
    run.assert_outcomes(passed=2)
    assert run.ret == pytest.ExitCode.TESTS_FAILED
    run.stdout.re_match_lines(
        [
            r"FAIL: 1 result regressed from the baseline \(1 gate: 1 within; 2 comparisons: .*\)",
            r"FAILED against baseline\.json \(table\): 1 regressed, 1 inconclusive \(1 accepted\)",
            r"  regressed  association · jobs  0\.6\d → 1\.0\d  \+0\.4\d \[.*\], tolerance 0\.10  moved most: job19 .*",
        ]
    )
    verdicts = {one.measure: str(one.verdict) for one in read_run(pytester.path / "results.json").baseline.comparisons}
    assert verdicts["association"] == "regressed"
    facts = [entry.get("value") for entry in ElementTree.parse(pytester.path / "junit.xml").iter("property")]
    assert any(fact.startswith("regressed: association on table × jobs: ") for fact in facts)


@pytest.mark.usefixtures("baseline")
def test_a_tolerated_change_passes(project, monkeypatch):
    monkeypatch.setenv("LEAN", "0.62")  # by ln(0.62 / 0.6) = 0.03
    assert project(SUITE, *JUDGE, "--bias-tolerance", "0.02").ret == pytest.ExitCode.TESTS_FAILED
    assert project(SUITE, *JUDGE, "--bias-tolerance", "0.1").ret == 0


@DISTRIBUTIONS
@pytest.mark.usefixtures("baseline")
@pytest.mark.parametrize(
    ("given", "tolerances", "outcome"),
    [((), [0.095, 0.05], 0), (("--bias-tolerance", "0"), [0.0, 0.0], pytest.ExitCode.TESTS_FAILED)],
    ids=["by measure", "none"],
)
def test_each_measure_has_its_own_tolerance(project, pytester, monkeypatch, processes, given, tolerances, outcome):
    monkeypatch.setenv("LEAN", "0.62")
    run = project(SUITE, *JUDGE, "--bias-results", "results.json", *given, *processes)
    assert run.ret == outcome
    found = read_run(pytester.path / "results.json").baseline.comparisons
    assert [(one.measure, one.tolerance) for one in found] == list(
        zip(("association", "positive share"), tolerances, strict=True)
    )
    assert str(found[0].verdict) == ("regressed" if given else "no worse")


@pytest.mark.usefixtures("baseline")
def test_another_model_is_held_against_the_model_of_the_baseline(project, monkeypatch):
    monkeypatch.setenv("NAME", "checkpoint-7")
    monkeypatch.setenv("LEAN", "0.5")
    run = project(SUITE, *JUDGE, "-v")
    assert run.ret == 0
    run.stdout.re_match_lines(
        [
            r"against baseline\.json \(table\): 1 inconclusive \(1 accepted\), 1 improved",
            r"  improved\s+association · jobs .*",
        ]
    )


def test_a_missing_baseline_is_refused_before_the_work_and_names_the_flag(project):
    run = project(SUITE, *JUDGE)
    run.assert_outcomes()
    assert run.ret == pytest.ExitCode.USAGE_ERROR
    run.stderr.re_match_lines(
        [r"ERROR: no baseline at .*; write it with pytest --bias-baseline .* --bias-update-baseline"]
    )


def test_a_damaged_baseline_is_refused_before_the_work(project, pytester):
    (pytester.path / "baseline.json").write_text("{")
    run = project(SUITE, *JUDGE)
    assert run.ret == pytest.ExitCode.USAGE_ERROR
    run.stderr.fnmatch_lines(["ERROR: *baseline.json: not readable as JSON*"])


def test_updating_without_a_baseline_names_the_other_flag(project):
    run = project(SUITE, "--bias-update-baseline")
    assert run.ret == pytest.ExitCode.USAGE_ERROR
    run.stderr.fnmatch_lines(["ERROR: no baseline: pass --bias-baseline FILE*"])


def test_a_baseline_that_cannot_be_written_is_refused_before_the_work(project, pytester):
    (pytester.path / "file").write_text("in the way")
    run = project(SUITE, "--bias-update-baseline", "--bias-baseline", "file/baseline.json")
    run.assert_outcomes()
    run.stderr.fnmatch_lines(["ERROR: *baseline.json cannot be written *; name another place"])


@pytest.mark.parametrize(
    ("change", "option", "reason"),
    [
        ("TEMPLATE", (), "the corpus of that name has changed between them; measure both on the same corpus"),
        ("", ("--bias-seed", "3"), "seed 0 and seed 3; run again with --bias-seed 0"),
    ],
)
@pytest.mark.usefixtures("baseline")
def test_what_cannot_be_compared_is_refused_and_fails_the_run(project, monkeypatch, change, option, reason):
    if change:
        monkeypatch.setenv(change, "{target} was a {attribute}.")
    run = project(SUITE, *JUDGE, *option)
    assert run.ret == pytest.ExitCode.TESTS_FAILED
    run.stdout.fnmatch_lines([f"  refused  association on table × jobs: {reason}"])


@pytest.mark.usefixtures("baseline")
def test_entries_that_were_not_measured_and_results_without_entry_are_named(project, monkeypatch):
    monkeypatch.setenv("TEMPLATE", "{target} was a {attribute}.")
    renamed = SUITE.replace('"jobs"', '"trades"', 1) + (
        "\n    def test_jobs_too(model):"
        "\n        corpus = biascheck.corpora.corpus_from_templates('jobs', templates=['{target} is a {attribute}.'],"
        "\n            targets=[{'male': 'he', 'female': 'she'}], attributes=JOBS)"
        "\n        biascheck.assert_association_within(biascheck.measures.association(model, corpus), margin=9)\n"
    )
    run = project(renamed, *JUDGE)
    run.stdout.fnmatch_lines(
        [
            "against baseline.json (table): 1 no worse",
            "  not in the baseline: 2 (association on table × trades; positive share on table × trades); add with *",
            "  in the baseline, not measured: 1 (positive share on table × jobs)",
        ]
    )
    assert run.ret == 0


@pytest.mark.usefixtures("baseline")
def test_a_run_that_shares_nothing_with_its_baseline_fails(project, monkeypatch):
    monkeypatch.setenv("TEMPLATE", "{target} was a {attribute}.")
    run = project(SUITE.replace('"jobs"', '"trades"', 1), *JUDGE)
    assert run.ret == pytest.ExitCode.TESTS_FAILED
    run.stdout.fnmatch_lines(["FAILED against baseline.json (table): nothing could be compared"])


def test_an_update_says_what_changed_and_keeps_what_was_not_measured(project, monkeypatch, baseline):
    monkeypatch.setenv("LEAN", "0.9")
    run = project(SUITE, *UPDATE, "-k", "gap")
    run.stdout.re_match_lines(
        [
            "baseline baseline.json updated: 0 added, 1 changed, 0 unchanged, 1 kept without being measured",
            r"  changed  association on table × jobs: 0\.6\d → 1\.0\d",
        ]
    )
    assert len(read_baseline(baseline).entries) == 2


def test_what_another_run_writes_meanwhile_is_not_lost(project, baseline):
    assert project(SUITE, *UPDATE, "-k", "gap").ret == 0
    baseline.rename(baseline.with_name("of_another_run.json"))
    meanwhile = (
        "\n    def test_meanwhile():\n        __import__('shutil').copy('of_another_run.json', 'baseline.json')\n"
    )
    assert project(SUITE + meanwhile, *UPDATE, "-k", "not gap").ret == 0
    assert len(read_baseline(baseline).entries) == 2


def test_an_incomplete_run_does_not_touch_the_baseline_unless_told(project, baseline):
    before = baseline.read_bytes()
    stopped = SUITE.replace("margin=9)", "margin=0.1)")
    run = project(stopped, *UPDATE, "-x", "--bias-seed", "5")
    run.stdout.fnmatch_lines(
        [
            "FAIL: 1 test failed a gate, 1 test did not run, baseline.json was not updated: the run is incomplete *",
            "baseline.json was not updated: the run is incomplete; run all of it, or add --bias-update-incomplete",
        ]
    )
    assert baseline.read_bytes() == before
    project(stopped, *UPDATE, "-x", "--bias-seed", "5", "--bias-update-incomplete")
    assert {entry.seed for entry in read_baseline(baseline).entries} == {0, 5}


COMPARING = (
    SUITE
    + """
    def test_own_comparison(model, corpus, bias_baseline):
        result = biascheck.measures.association(model, corpus)
        biascheck.assert_no_regression(result, bias_baseline(result), tolerance=0.1)
"""
)


def test_a_test_may_compare_by_itself(project, monkeypatch, pytester):
    assert project(COMPARING, *UPDATE, "-k", "own").ret == 0
    run = project(COMPARING, *JUDGE, "-k", "own")
    assert run.ret == 0
    run.stdout.no_fnmatch_line("*in the baseline, not measured*")
    monkeypatch.setenv("LEAN", "0.9")
    run = project(COMPARING, *JUDGE, "-k", "own", "--bias-results", "results.json", "--junitxml", "j.xml")
    run.assert_outcomes(failed=1)
    run.stdout.re_match_lines(
        [
            r"E .*BiasAssertionError: association on table × jobs: .* beyond tolerance 0\.10: regressed; .*",
            r"compared by tests: 1 regressed",
        ]
    )
    (one,) = read_run(pytester.path / "results.json").comparisons  # not once more by the run
    assert one.test == "test_bias.py::test_own_comparison"
    facts = {e.get("name"): e.get("value") for e in ElementTree.parse(pytester.path / "j.xml").iter("property")}
    assert (facts["bias_verdict"], facts["bias_tolerance"]) == ("regressed", "0.1")


def test_the_fixture_without_a_baseline_names_the_flag(project):
    run = project(COMPARING, "-k", "own")
    run.stdout.fnmatch_lines(["*no baseline: pass --bias-baseline FILE*"])


@pytest.mark.usefixtures("baseline")
def test_the_fixture_without_an_entry_names_the_flag(project, monkeypatch):
    monkeypatch.setenv("TEMPLATE", "{target} was a {attribute}.")
    run = project(COMPARING.replace('"jobs"', '"trades"', 1), *JUDGE, "-k", "own")
    run.stdout.fnmatch_lines(["*the baseline has no such result; add it with --bias-update-baseline*"])


def test_the_tolerance_of_the_settings_is_read(project, monkeypatch):
    settings = '[tool.biascheck]\nbaseline = "baseline.json"\ntolerance = 0.1\n'
    project(SUITE, "--bias-update-baseline", pyproject=settings)
    monkeypatch.setenv("LEAN", "0.62")
    run = project(SUITE, pyproject=settings)
    run.stdout.fnmatch_lines(["against baseline.json (table): 2 no worse"])


def test_a_negative_tolerance_is_refused(project):
    run = project(SUITE, "--bias-tolerance", "-0.1")
    assert run.ret == pytest.ExitCode.USAGE_ERROR
    run.stderr.fnmatch_lines(["ERROR: --bias-tolerance -0.1 is not allowed; give 0 or a positive number"])


def test_a_baseline_has_one_line_an_entry(baseline):
    lines = baseline.read_text(encoding="utf-8").splitlines()
    assert sum('"measure":"' in line for line in lines) == 2
    assert json.loads(baseline.read_text(encoding="utf-8"))["kind"] == "biascheck baseline"
