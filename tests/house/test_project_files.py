"""What a visitor of the repository finds: workflows with least permissions, commands, templates, a citation."""

import os
import platform
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
PINNED = re.compile(r"^[\w-]+/[\w-]+@v\d+\.\d+\.\d+$")


def read(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_may_read_and_nothing_else_and_pin_what_they_use(path):
    workflow = read(path)
    assert workflow["permissions"] == {"contents": "read"}
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    used = [step["uses"] for step in steps if "uses" in step]
    assert used
    assert [action for action in used if not PINNED.match(action)] == []
    assert all(step["with"]["persist-credentials"] is False for step in steps if "checkout" in step.get("uses", ""))
    assert all("timeout-minutes" in job for job in workflow["jobs"].values())


def test_workflows_call_only_targets_that_exist():
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    called = re.findall(r"make ([\w-]+)", "".join(path.read_text(encoding="utf-8") for path in WORKFLOWS))
    assert called
    assert set(called) <= set(targets)


def test_the_job_of_the_tests_keeps_what_they_wrote_where_they_fail_and_lint_is_a_job_of_its_own():
    jobs = read(ROOT / ".github" / "workflows" / "tests.yml")["jobs"]
    assert any(step.get("run", "").startswith("make lint") for step in jobs["lint"]["steps"])
    (kept,) = (step for step in jobs["tests"]["steps"] if "upload-artifact" in step.get("uses", ""))
    assert kept["if"] == "failure()"
    assert kept["with"]["path"] == "build/tests/"
    commands = "".join(step.get("run", "") for step in jobs["tests"]["steps"])
    assert "make pytest" in commands
    assert "build/tests/reports.tar.gz" in commands
    assert "--junit-xml build/tests/junit.xml" in (ROOT / "Makefile").read_text(encoding="utf-8")


@pytest.fixture
def made(tmp_path):
    """Runs a target of the Makefile beside programs that say how they were called, and fail where they are told to."""
    shutil.copyfile(ROOT / "Makefile", tmp_path / "Makefile")
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    for name in ("ruff", "mypy", "pytest"):
        (programs / name).write_text(f'#!/bin/sh\necho "{name} $*"\ncase " $FAILING " in *" {name} "*) exit 1;; esac\n')
        (programs / name).chmod(0o755)
    for name in ("pyproject.toml", "constraints.txt", ".venv/.ready"):
        (tmp_path / name).touch()

    def make(*words, failing=""):
        environment = {"PATH": os.environ["PATH"], "FAILING": failing}
        return subprocess.run(["make", *words], cwd=tmp_path, env=environment, capture_output=True, text=True)

    return make


@pytest.mark.parametrize(("failing", "passes"), [("", True), ("ruff", False), ("mypy", False), ("pytest", False)])
def test_linters_and_tests_all_run_and_all_must_pass(made, failing, passes):
    run = made("test", failing=failing)
    called = [line for line in run.stdout.splitlines() if line.split()[0] in ("ruff", "mypy", "pytest")]
    assert [line.split()[:2] for line in called[:3]] == [["ruff", "check"], ["ruff", "format"], ["mypy"]]
    assert called[3].startswith("pytest tests ")
    assert called[3:] == run.stdout.splitlines()[-1:]
    assert (run.returncode == 0) is passes


def test_one_file_is_tested_without_linters(made):
    assert (
        made("one", "T=tests/stats/test_tests_ranks.py").stdout.splitlines()[-1]
        == "pytest tests/stats/test_tests_ranks.py"
    )
    run = made("one")
    assert run.returncode != 0
    assert "make one T=tests/stats/test_tests_ranks.py" in run.stderr


MACHINE = f"py{sys.version_info[0]}{sys.version_info[1]}-{sys.platform}-{platform.machine()}"
LOCK = f"requirements/{MACHINE}.txt"


@pytest.fixture
def locked(made, tmp_path):
    """What ``make`` would install where there is a lock for this machine: the lines of pip with their constraints."""
    (tmp_path / "requirements").mkdir()
    (tmp_path / LOCK).touch()

    def lines(*words):
        run = made("--dry-run", "lint", f"PYTHON={sys.executable}", *words)
        return [line for line in run.stdout.splitlines() if "/pip install" in line and "--editable" in line]

    os.utime(tmp_path / ".venv" / ".ready", (0, 0))
    return lines


def test_make_installs_the_versions_of_the_lock(locked):
    (line,) = locked()
    assert f"--constraint constraints.txt --constraint {LOCK} " in line
    assert "--upgrade" not in line


def test_make_with_an_empty_lock_installs_the_newest_but_for_torch(locked, tmp_path):
    (line,) = locked("LOCK=")
    assert "--constraint constraints.txt --upgrade --upgrade-strategy eager " in line
    assert "requirements/" not in line
    (tmp_path / ".venv" / ".ready").touch()
    assert locked() == [], "what the lock gave is there"
    assert len(locked("LOCK=")) == 1, "and is not what was asked for"


def test_where_there_is_no_lock_for_the_machine_torch_is_pinned(made, tmp_path):
    os.utime(tmp_path / ".venv" / ".ready", (0, 0))
    run = made("--dry-run", "lint", f"PYTHON={sys.executable}")
    assert "--constraint constraints.txt --upgrade " in run.stdout


def test_a_changed_lock_installs_anew(locked, tmp_path):
    (tmp_path / ".venv" / ".ready").touch()
    assert locked() == []
    os.utime(tmp_path / LOCK, (2**33, 2**33))
    assert len(locked()) == 1


def test_the_quick_tests_are_in_folders_that_exist(made):
    words = made("quick").stdout.splitlines()[-1].split()
    folders = [word for word in words if word.startswith("tests/")]
    assert {"tests/stats", "tests/results", "tests/gates", "tests/report"} <= set(folders)
    assert [folder for folder in folders if not (ROOT / folder).is_dir()] == []


NEEDY = """
import pytest

@pytest.mark.parametrize("n", range({count}))
def test_needs_data(n, {fixture}):
    pass

def test_skips_for_another_reason():
    pytest.skip("data not found; set BIASCHECK_DATA to its directory")

def test_passes():
    pass
"""


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "two workers"])
def test_the_last_line_of_a_run_counts_what_was_skipped_for_want_of_data(pytester, monkeypatch, workers):
    """Here the folders are absent: no data lies beside the folder of this run."""
    for variable in ("BIASCHECK_DATA", "BIASCHECK_GOLD"):
        monkeypatch.delenv(variable, raising=False)
    pytester.makeconftest((ROOT / "tests" / "conftest.py").read_text(encoding="utf-8"))
    pytester.makepyfile(
        test_corpora=NEEDY.format(count=3, fixture="shared_data"), test_figures=NEEDY.format(count=2, fixture="gold")
    )
    run = pytester.runpytest_subprocess(*workers)
    run.assert_outcomes(passed=2, skipped=7)
    assert run.outlines[-1] == (
        "5 tests skipped for want of data: set BIASCHECK_DATA and BIASCHECK_GOLD to the folders of published corpora "
        "and golden figures"
    )


def test_the_last_line_names_the_folder_that_is_absent(pytester, monkeypatch, tmp_path):
    monkeypatch.setenv("BIASCHECK_DATA", str(tmp_path))
    monkeypatch.delenv("BIASCHECK_GOLD", raising=False)
    pytester.makeconftest((ROOT / "tests" / "conftest.py").read_text(encoding="utf-8"))
    pytester.makepyfile(
        test_corpora=NEEDY.format(count=3, fixture="shared_data"), test_figures=NEEDY.format(count=1, fixture="gold")
    )
    run = pytester.runpytest_subprocess()
    assert run.outlines[-1] == "1 test skipped for want of data: set BIASCHECK_GOLD to the folder of golden figures"
    monkeypatch.setenv("BIASCHECK_GOLD", str(tmp_path))
    assert "2 skipped in" in pytester.runpytest_subprocess().outlines[-1]


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_forms_ask_for_what_is_needed(path):
    form = read(path)
    assert {"name", "description", "body"} <= set(form)
    assert any(field.get("validations", {}).get("required") for field in form["body"])


def test_the_citation_has_the_version_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = read(ROOT / "CITATION.cff")
    assert citation["version"] == project["version"]
    assert citation["license"] == project["license"]
    assert len(citation["references"]) == 5


def test_the_changelog_dates_this_release_below_what_is_not_released():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == "Unreleased"
    version, _, date = headings[1].partition(" – ")
    assert version == project["version"]
    assert date == str(read(ROOT / "CITATION.cff")["date-released"])


def test_no_requirement_has_an_upper_bound():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    listed = [*project["dependencies"], *(one for extra in project["optional-dependencies"].values() for one in extra)]
    assert [one for one in listed if re.search(r"<|==|~=|!=", one)] == []
