"""``biascheck init``, then its own tests: they judge every kind of model, and catch a planted bias in each."""

import re
import sys
from pathlib import Path

import pytest

# Pytester forgets modules that were first imported inside a run, and then there are two of a class.
import biascheck.gates.check
import biascheck.gates.margins
import biascheck.loading
import biascheck.measures
import biascheck.plugin.terminal
import biascheck.runs.baseline
import biascheck.testing  # noqa: F401
from biascheck import cli
from biascheck.models.local.bundled import build_reference

TESTS = Path(__file__).resolve().parents[1]
build_reference("reference:tiny")
OPTIONS = ("-p", "biascheck.plugin", "-p", "no:cacheprovider", "--import-mode=importlib", "bias/test_own.py")
CONFTEST = """
import sys
import pytest
sys.path.insert(0, {tests!r})
from support import planted_models

@pytest.fixture(scope="session")
def bias_model():
    return planted_models.{model}
"""
LANGUAGE_GATES = {
    "test_jobs_pull_no_gender[women]",
    "test_jobs_pull_no_gender[men]",
    "test_a_single_job_pulls_no_gender",
}


@pytest.fixture
def starter(pytester, monkeypatch, capsys):
    """A project with the starter in it; returns a function that runs its own tests."""
    monkeypatch.setenv("BIASCHECK_CACHE", str(pytester.path / "cache"))
    monkeypatch.setattr(sys, "argv", ["biascheck", "init", "--suites", "bartl2020", "--ci", "none"])
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert left.value.code == 0
    capsys.readouterr()

    def run(*options, model=""):
        if model:
            pytester.makeconftest(CONFTEST.format(tests=str(TESTS), model=model))
        return pytester.runpytest(*OPTIONS, *options)

    return run


def failed(run):
    return set(re.findall(r"^FAILED bias/test_own\.py::(\S+)", run.stdout.str(), re.MULTILINE))


@pytest.mark.parametrize(
    ("biased", "even", "gates"),
    [
        ("masked_model(4)", "masked_model(1)", LANGUAGE_GATES),
        ("causal_model(4)", "causal_model(1)", LANGUAGE_GATES),
        ("word_vectors(10)", "word_vectors(0)", {"test_job_titles_point_to_no_gender"}),
        ("classifier(0.5)", "classifier(0.0)", {"test_ratings_follow_no_gender"}),
    ],
    ids=["masked", "causal", "vectors", "classifier"],
)
def test_each_kind_of_model_is_judged_and_its_bias_is_found(starter, biased, even, gates):
    found = starter(model=biased)
    assert (found.ret, failed(found)) == (1, gates), found.stdout.str()
    assert found.parseoutcomes()["skipped"] == 5 - len(gates)
    assert len(re.findall(r"Error: .* exceeds (?:margin|bound)", found.stdout.str())) == len(gates)
    fine = starter(model=even)
    assert fine.ret == 0, fine.stdout.str()
    outcomes = fine.parseoutcomes()
    assert (outcomes["passed"], outcomes["skipped"]) == (len(gates), 5 - len(gates))


def test_the_workforce_is_found_and_is_a_regression_from_parity(starter):
    parity = starter("--bias-model", "reference:parity", "--bias-baseline", "b.json", "--bias-update-baseline")
    assert parity.ret == 0, parity.stdout.str()
    assert parity.parseoutcomes()["passed"] == 3
    workforce = starter("--bias-model", "reference:workforce", "--bias-baseline", "b.json")
    shown = workforce.stdout.str()
    assert workforce.ret == 1, shown
    assert workforce.parseoutcomes()["failed"] == 3
    assert len(re.findall(r"Error: .* exceeds (?:margin|bound) 0\.36", shown)) == 3
    assert "3 comparisons: 3 regressed" in shown


@pytest.mark.parametrize(
    ("family", "prefix", "judged"), [("gpt2", "", 3), ("bert-uncased", "encoder:", 1)], ids=["causal", "encoder"]
)
def test_random_weights_are_run_to_the_end(starter, pytester, family, prefix, judged):
    """They cannot read, so their gates are invalid: the run fails and says why, and nothing crashes."""
    from support.model_folders import save_folder

    folder = save_folder(pytester.path / "random", family)
    run = starter("--bias-model", f"{prefix}{folder}")
    shown = run.stdout.str()
    assert run.ret == 1, shown
    assert run.parseoutcomes().get("failed") == judged, shown
    assert run.parseoutcomes()["skipped"] == 5 - judged
    assert "crashed" not in shown
    assert len(re.findall(r"Error: .*: invalid: ", shown)) == judged


@pytest.mark.slow
def test_a_real_causal_model_is_judged(starter, pytester):
    from biascheck.core.errors import ModelError
    from biascheck.models.local.bundled import materialise_smollm2

    try:
        folder = materialise_smollm2(pytester.path)
    except ModelError as error:
        pytest.skip(f"no SmolLM2 here: {error}")
    run = starter("--bias-model", str(folder))
    shown = run.stdout.str()
    assert run.parseoutcomes()["skipped"] == 2, shown
    assert "crashed" not in shown
    assert "invalid" not in shown
