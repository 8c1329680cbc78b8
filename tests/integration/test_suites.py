"""The suites of this repository, as a user runs them."""

import shutil
from pathlib import Path

import pytest

import biascheck.debias
import biascheck.measures
import biascheck.report  # noqa: F401
from biascheck.gates.run_files import read_results
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


def test_every_suite_measures_any_masked_model(suites, pytester):
    run = suites("--bias-model", "reference:tiny", "--bias-results", "results.json")
    outcomes = run.parseoutcomes()
    assert outcomes["skipped"] == 18  # what needs published data, and hypotheses whose premise a random model lacks
    # A random model leans one way by a hair in every word, and shares and F1 count directions only. Its 32
    # dimensions give cosines of 0.14 with any direction.
    assert outcomes["failed"] == 8
    assert outcomes["passed"] == 55
    _, gates = read_results(pytester.path / "results.json")
    assert len(gates) == 57
    failing = {"direct bias", "positive share", "skew", "stereotype"}
    assert {gate.measure for gate in gates if not gate.passed} == failing


def test_german_results_carry_the_validity_warning(suites, pytester):
    suites("--bias-model", "reference:tiny", "--bias-results", "results.json", "-k", "german")
    _, gates = read_results(pytester.path / "results.json")
    assert len(gates) == 3
    assert all("must not be read as social bias" in gate.warnings[0] for gate in gates)


def test_published_figures_stand_beside_the_measured_ones(suites, pytester):
    suites("--bias-model", "reference:tiny", "--bias-results", "results.json", "-k", "career")
    _, gates = read_results(pytester.path / "results.json")
    assert gates[0].published.startswith("1.126 (Kurita 2019, Table 3")
    assert "erratum" in gates[0].published


def test_published_lists_are_measured_where_the_data_is(suites, shared_data):
    run = suites(
        "--bias-model", "reference:tiny", "--bias-data", str(shared_data), "-k", "on_published_lists and traits"
    )
    assert run.parseoutcomes()["failed"] == 2
    run.stdout.re_match_lines([r".*positive share · .*traits"])
