"""What a person sees: findings, the terminal section, JUnit facts, results on disk."""

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from biascheck.runs.file import read_results, read_run

DISTRIBUTIONS = pytest.mark.parametrize("processes", [(), ("-n", "2")], ids=["plain", "xdist"])


def test_a_failing_gate_reads_as_a_finding(project, table_suite):
    run = project(table_suite)
    run.assert_outcomes(passed=1, failed=1)
    run.stdout.re_match_lines(
        [
            r"E\s+biascheck.core.errors.BiasAssertionError: "
            r"association on table × jobs: 0\.92 \[.*\] .*margin 0\.20; .*largest: "
        ]
    )


def test_the_traceback_ends_in_the_users_own_line(project, table_suite):
    run = project(table_suite)
    run.stdout.re_match_lines([r"test_bias\.py:\d+: BiasAssertionError"])
    assert "biascheck/assertions/" not in run.stdout.str()


@DISTRIBUTIONS
def test_results_and_gates_of_all_processes_are_in_one_file(project, table_suite, processes, pytester):
    run = project(table_suite, "--bias-results", "out/results.json", *processes)
    run.stdout.fnmatch_lines(["written: out/results.json"])
    results, gates = read_results(pytester.path / "out" / "results.json")
    assert [result.title for result in results] == ["association on table × jobs"]
    assert sorted(gate.test for gate in gates) == ["test_bias.py::test_loose", "test_bias.py::test_tight"]
    assert {gate.passed for gate in gates} == {True, False}


@DISTRIBUTIONS
def test_junit_carries_the_facts(project, table_suite, processes, pytester):
    project(table_suite, "--junitxml", "junit.xml", *processes)
    tree = ElementTree.parse(pytester.path / "junit.xml")
    case = next(case for case in tree.iter("testcase") if case.get("name") == "test_tight")
    facts = {entry.get("name"): entry.get("value") for entry in case.iter("property")}
    assert facts["bias_verdict"] == "inconclusive"
    assert facts["bias_margin"] == "0.2"
    assert float(facts["bias_low"]) < float(facts["bias_estimate"]) < float(facts["bias_high"])


@DISTRIBUTIONS
def test_one_report_holds_the_gates_and_results_of_all_processes(project, table_suite, processes, pytester):
    run = project(table_suite, "--bias-report", "bias.html", *processes)
    run.stdout.fnmatch_lines(["written: bias.html"])
    html = (pytester.path / "bias.html").read_text()
    assert "test_bias.py::test_loose" in html
    assert "test_bias.py::test_tight" in html
    assert html.count('<details class="result" data-state=') == 1


def test_a_run_that_stops_at_its_first_failure_is_incomplete(project, table_suite, pytester):
    """The tests carry no mark, so the one that did not run is known by its file only."""
    project(table_suite, "--bias-results", "results.json", "--bias-report", "bias.html", "-x")
    stored = read_run(pytester.path / "results.json")
    assert stored.failures == ("1 test failed a gate", "1 test did not run")
    assert not stored.complete
    html = (pytester.path / "bias.html").read_text()
    assert [reason for reason in stored.failures if reason not in html] == []


@DISTRIBUTIONS
def test_a_whole_run_is_complete(project, table_suite, pytester, processes):
    project(table_suite, "--bias-results", "results.json", *processes)
    stored = read_run(pytester.path / "results.json")
    assert stored.complete
    assert stored.failures == ("1 test failed a gate",)


def test_gates_of_a_fixture_are_heard_even_if_the_test_is_never_called(project, table_suite, pytester):
    judged = (
        "\n    @pytest.fixture"
        "\n    def judged(model, corpus):"
        "\n        biascheck.assert_association_within(biascheck.measures.association(model, corpus), margin=0.1)"
        "\n    def test_with_fixture(judged):\n        pass\n"
    )
    project(table_suite + judged, "--bias-results", "results.json", "-k", "with_fixture")
    assert [gate.margin for gate in read_run(pytester.path / "results.json").gates] == [0.1]


def without_times(path):
    return re.sub(r'"created": "[^"]*"', '"created": ""', path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("cache", [(), ("--bias-no-cache",)], ids=["cached", "without cache"])
def test_the_same_run_gives_the_same_bytes(project, table_suite, pytester, cache):
    runs = {"cold": (), "warm": (), "xdist": ("-n", "2"), "backwards": ("-p", "backwards")}
    pytester.makepyfile(backwards="def pytest_collection_modifyitems(items):\n    items.reverse()\n")
    pytester.syspathinsert()
    for name, options in runs.items():
        project(table_suite, "--bias-results", f"{name}.json", *cache, *options)
    written = {name: without_times(pytester.path / f"{name}.json") for name in runs}
    assert written["cold"].count('"created"') == 1
    assert all(text == written["cold"] for text in written.values())


@pytest.mark.parametrize("option", ["--bias-results", "--bias-report"])
def test_a_place_that_cannot_be_written_is_refused_before_anything_runs(project, table_suite, pytester, option):
    (pytester.path / "file").write_text("in the way")
    run = project(table_suite, option, "file/here")
    run.stderr.re_match_lines([r"ERROR: .*here cannot be written \(.*\); name another place"])
    run.assert_outcomes()


def test_a_place_that_becomes_unwritable_loses_nothing(project, table_suite):
    spoiled = table_suite + (
        "\n    def test_zzz_spoils_the_place():"
        "\n        import pathlib, shutil"
        "\n        shutil.rmtree('out'); pathlib.Path('out').write_text('in the way')\n"
    )
    run = project(spoiled, "--bias-results", "out/results.json")
    found = re.search(r"results\.json could not be written \(.*\); saved as (\S+) instead", run.stdout.str())
    assert found is not None
    assert json.loads(Path(found[1]).read_text())["gates"]
    assert run.ret == pytest.ExitCode.TESTS_FAILED


def test_a_run_without_gates_prints_nothing(pytester):
    pytester.makepyfile("def test_one(): pass")
    run = pytester.runpytest_subprocess("-p", "biascheck.plugin")
    assert "bias" not in run.stdout.str().replace("biascheck-", "").split("collected")[1]
