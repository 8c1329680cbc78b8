"""What a visitor of the repository finds: workflows with least permissions, templates, a citation."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
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
