"""What a run leaves for a CI: Markdown, annotations, a Code Quality report, extras of pytest-html."""

import json
import re

import pytest

DISTRIBUTIONS = pytest.mark.parametrize("processes", [(), ("-n", "2")], ids=["plain", "xdist"])


def line_of(pytester, name):
    lines = (pytester.path / "test_bias.py").read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, start=1) if line.startswith(f"def {name}("))


def test_markdown_is_written_where_asked(project, table_suite, pytester):
    run = project(table_suite, "--bias-markdown", "out/bias.md")
    run.stdout.fnmatch_lines(["written: out/bias.md"])
    text = (pytester.path / "out" / "bias.md").read_text(encoding="utf-8")
    assert "**table**: ❌ 1 of 2 gates failed (1 inconclusive, 1 within)" in text


def test_the_summary_of_a_github_job_is_appended_to(project, table_suite, pytester, monkeypatch):
    summary = pytester.path / "summary.md"
    summary.write_text("# Earlier step\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    project(table_suite)
    assert summary.read_text(encoding="utf-8").startswith("# Earlier step\n## Bias gates\n")


def test_a_summary_that_cannot_be_written_does_not_fail_the_run(project, table_suite, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "/nowhere/summary.md")
    run = project(table_suite, "-k", "loose")
    assert run.ret == 0
    run.stdout.fnmatch_lines(["GITHUB_STEP_SUMMARY /nowhere/summary.md could not be written *"])


@DISTRIBUTIONS
def test_a_failing_gate_is_annotated_on_github(project, table_suite, pytester, monkeypatch, processes):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    run = project(table_suite, *processes)
    commands = [line for line in run.stdout.lines if line.startswith("::")]
    place = f"file=test_bias.py,line={line_of(pytester, 'test_tight')}"
    assert len(commands) == 2
    assert commands[0] == "::error title=bias gates::FAIL: 1 test failed a gate (2 gates: 1 inconclusive, 1 within)"
    assert commands[1].startswith(
        f"::error {place},title=association%3A inconclusive::association on table × jobs: 0.92 "
    )


def test_files_are_named_as_the_repository_knows_them(project, table_suite, pytester, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(pytester.path.parent))
    run = project(table_suite)
    assert any(line.startswith(f"::error file={pytester.path.name}/test_bias.py,") for line in run.stdout.lines)


def test_elsewhere_nothing_is_annotated(project, table_suite):
    assert "::error" not in project(table_suite).stdout.str()


def test_a_code_quality_report_is_written(project, table_suite, pytester):
    project(table_suite, "--bias-code-quality", "quality.json")
    (entry,) = json.loads((pytester.path / "quality.json").read_text(encoding="utf-8"))
    assert entry["location"] == {"path": "test_bias.py", "lines": {"begin": line_of(pytester, "test_tight")}}
    assert re.fullmatch("[0-9a-f]{64}", entry["fingerprint"])


def test_a_code_quality_report_without_findings_is_an_empty_list(project, table_suite, pytester):
    project(table_suite, "--bias-code-quality", "quality.json", "-k", "loose")
    assert json.loads((pytester.path / "quality.json").read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("option", ["--bias-markdown", "--bias-code-quality", "--bias-report"])
def test_a_place_that_cannot_be_written_is_refused_before_anything_runs(project, table_suite, pytester, option):
    (pytester.path / "file").write_text("in the way")
    run = project(table_suite, option, "file/out")
    run.assert_outcomes()
    assert run.ret == pytest.ExitCode.USAGE_ERROR


@DISTRIBUTIONS
def test_findings_are_extras_of_pytest_html(project, table_suite, pytester, processes):
    pytest.importorskip("pytest_html")
    project(table_suite, "--html", "report.html", "--self-contained-html", *processes)
    html = (pytester.path / "report.html").read_text(encoding="utf-8")
    assert "bias: inconclusive" in html
    assert "bias: within" in html


def test_without_pytest_html_nothing_is_missing(project, table_suite):
    project(table_suite, "-p", "no:html").assert_outcomes(passed=1, failed=1)
