"""What a person sees: findings, the terminal section, JUnit facts, results on disk."""

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from biascheck.storage import read_results

DISTRIBUTIONS = pytest.mark.parametrize("processes", [(), ("-n", "2")], ids=["plain", "xdist"])


def test_a_failing_gate_reads_as_a_finding(project, table_suite):
    run = project(table_suite)
    run.assert_outcomes(passed=1, failed=1)
    run.stdout.re_match_lines(
        [
            r"E\s+biascheck.errors.BiasAssertionError: "
            r"association on table × jobs: 0\.92 \[.*\] .*margin 0\.20; largest: "
        ]
    )


def test_the_traceback_ends_in_the_users_own_line(project, table_suite):
    run = project(table_suite)
    run.stdout.re_match_lines([r"test_bias\.py:\d+: BiasAssertionError"])
    assert "biascheck/assertions.py" not in run.stdout.str()


@DISTRIBUTIONS
def test_the_terminal_section_has_one_line_for_each_gate(project, table_suite, processes):
    run = project(table_suite, *processes)
    run.stdout.re_match_lines(
        [
            r"=+ bias gates =+",
            r"table: 1 inconclusive, 1 within",
            r"  inconclusive  association · jobs  0\.92 \[.*\]  ± 0\.20  nurse −2\.20, plumber \+2\.20, ",
            r"  within        association · jobs  0\.92 \[.*\]  ± 9\.00$",
        ]
    )


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


def test_a_report_is_written_and_named(project, table_suite, pytester):
    run = project(table_suite, "--bias-report", "bias.html")
    run.stdout.fnmatch_lines(["written: bias.html"])
    assert "table" in (pytester.path / "bias.html").read_text()


STOPS = {
    "by hand": "raise KeyboardInterrupt",
    "by a crash of pytest": "raise pytest.exit.Exception('enough')",
    "by the first failure": "assert False",
}


@pytest.mark.parametrize("stop", STOPS.values(), ids=STOPS)
def test_an_interrupted_run_keeps_what_it_has_and_says_so(table_suite, pytester, stop):
    more = f"""
    def test_zz_stops():
        {stop}

    def test_zzz_never_runs():
        pass
"""
    pytester.makepyfile(test_bias=table_suite + more)
    files = ("--bias-results", "results.json", "--bias-report", "bias.html")
    chosen = ("-x", "--deselect", "test_bias.py::test_tight")
    pytester.runpytest_subprocess("-p", "biascheck.plugin", *files, *chosen)
    results, gates = read_results(pytester.path / "results.json")
    assert (len(results), len(gates)) == (1, 1)
    unfinished = 1 if "assert" in stop else 2
    html = (pytester.path / "bias.html").read_text()
    assert f"The run was stopped: {unfinished} of 3 tests did not run to their end." in html


def test_a_run_that_was_not_stopped_does_not_say_so(project, table_suite, pytester):
    project(table_suite, "--bias-report", "bias.html")
    assert "The run was stopped" not in (pytester.path / "bias.html").read_text()


def test_an_interrupted_run_of_several_processes_keeps_the_results_of_all(table_suite, pytester):
    more = """
    def test_zz_interrupts_the_controller():
        import os, signal, time
        time.sleep(1)
        os.kill(os.getppid(), signal.SIGINT)
        time.sleep(5)
"""
    pytester.makepyfile(test_bias=table_suite + more)
    files = ("--bias-results", "results.json", "--bias-report", "bias.html")
    pytester.runpytest_subprocess("-p", "biascheck.plugin", "-n", "2", "--dist", "loadfile", *files)
    results, gates = read_results(pytester.path / "results.json")
    assert [result.title for result in results] == ["association on table × jobs"]
    assert len(gates) == 2
    assert "1 of 3 tests did not run to their end" in (pytester.path / "bias.html").read_text()


@DISTRIBUTIONS
def test_one_report_holds_the_gates_and_items_of_all_processes(project, table_suite, processes, pytester):
    run = project(table_suite, "--bias-report", "bias.html", *processes)
    run.stdout.fnmatch_lines(["written: bias.html"])
    html = (pytester.path / "bias.html").read_text()
    assert "test_bias.py::test_loose" in html
    assert "test_bias.py::test_tight" in html
    assert html.count('<details class="result">') == 1
    assert "Incomplete." not in html


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
    run = pytester.runpytest("-p", "biascheck.plugin")
    assert "bias" not in run.stdout.str().replace("biascheck-", "").split("collected")[1]
