"""No test depends on the speed of the machine or on what an earlier run left behind."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

TESTS = Path(__file__).resolve().parents[1]
SETTINGS_OF_THE_PROFILE = {"deadline", "database", "derandomize", "suppress_health_check"}


@pytest.mark.parametrize("name", ["repeatable", "random"])
def test_no_profile_knows_a_clock_or_an_earlier_run(name: str):
    profile = settings.get_profile(name)
    assert profile.deadline is None
    assert profile.database is None
    assert HealthCheck.too_slow in profile.suppress_health_check
    assert profile.derandomize is (name == "repeatable")


def test_the_tests_run_under_one_of_them(pytestconfig: pytest.Config):
    chosen = pytestconfig.getoption("--hypothesis-profile") or "repeatable"
    assert repr(settings()) == repr(settings.get_profile(chosen))


def test_no_test_has_settings_of_its_own_for_what_the_profile_decides():
    calls = [
        (path.relative_to(TESTS), node)
        for path in TESTS.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "settings"
    ]
    assert len(calls) > 5
    own = [(str(path), word.arg) for path, call in calls for word in call.keywords if word.arg != "max_examples"]
    assert [found for found in own if found[1] in SETTINGS_OF_THE_PROFILE] == []


def test_the_mutation_run_names_files_that_exist():
    root = TESTS.parent
    chosen = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["mutmut"]
    patterns = [*chosen["only_mutate"], *chosen["also_copy"], *chosen["pytest_add_cli_args_test_selection"]]
    assert [pattern for pattern in patterns if not list(root.glob(pattern))] == []
