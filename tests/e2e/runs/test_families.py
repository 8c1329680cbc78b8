"""The run counts the gates that are judged together, and settles them by Holm at its end."""

import shutil
from xml.etree import ElementTree

import pytest

DISTRIBUTIONS = pytest.mark.parametrize("processes", [(), ("-n", "2")], ids=["plain", "xdist"])
FIVE = """
@pytest.mark.parametrize("job", ["nurse", "judge", "baker", "pilot", "cook"])
def test_jobs(job):
    biascheck.assert_within_margin(result(on=job), margin=0.5)
"""
COPY = FIVE.replace("test_jobs", "test_copied_jobs").replace("on=job", 'on=f"{job} again"')
ALONE = """
def test_alone():
    biascheck.assert_within_margin(result(on="alone"), margin=0.5)
"""
NAMED = """
@pytest.mark.bias(family="trades")
@pytest.mark.parametrize("job", ["nurse", "judge"])
def test_one(job):
    biascheck.assert_within_margin(result(on=job), margin=0.5)

@pytest.mark.bias(family="trades")
def test_other():
    biascheck.assert_within_margin(result(on="other"), margin=0.5)
"""
MODELS = """
@pytest.fixture
def bias_model(request):
    return request.param

@pytest.mark.parametrize("job", ["nurse", "judge", "baker"])
def test_jobs(bias_model, job):
    biascheck.assert_within_margin(result(on=job, by=bias_model, model=bias_model), margin=0.5)
"""
IN_CLASSES = """
class TestMen:
    @pytest.mark.parametrize("job", ["nurse", "judge"])
    def test_jobs(self, job):
        biascheck.assert_within_margin(result(on=f"{job} m"), margin=0.5)

class TestWomen:
    @pytest.mark.parametrize("job", ["nurse", "judge", "[baker]"])
    def test_jobs(self, job):
        biascheck.assert_within_margin(result(on=f"{job} f"), margin=0.5)
"""
MARGINAL = """
MARGINAL = result(0.9, 1.0, 200, on="marginal")
MARGIN = (MARGINAL.interval_at(0.95).low + MARGINAL.interval_at(0.975).low) / 2
"""
HOLM = (
    MARGINAL
    + """
@pytest.mark.parametrize("job", ["marginal", "far"])
def test_jobs(job):
    if job == "marginal":
        biascheck.assert_within_margin(MARGINAL, MARGIN, inconclusive="warn")
    else:
        with pytest.raises(biascheck.BiasAssertionError, match="exceeds"):
            biascheck.assert_within_margin(result(9.0, 1.0, 200, on="far"), MARGIN)
"""
)
LATER = "1 test failed a gate once all gates of its family were known"


def sizes(found):
    """How many gates each test says are judged together, by the name of its function."""
    return {(gate.test.rpartition("::")[2].partition("[")[0], gate.family) for gate in found.run.gates}


@DISTRIBUTIONS
def test_the_cases_of_a_test_are_one_family_and_a_copied_test_is_its_own(tiny, processes):
    found = tiny(FIVE + COPY + ALONE, *processes)
    assert found.exit == 0
    assert sizes(found) == {("test_jobs", 5), ("test_copied_jobs", 5), ("test_alone", 1)}
    assert {gate.family_name for gate in found.run.gates} == {
        "test_tiny.py::test_jobs",
        "test_tiny.py::test_copied_jobs",
        "test_tiny.py::test_alone",
    }


@DISTRIBUTIONS
def test_what_is_deselected_is_not_counted(tiny, processes):
    assert sizes(tiny(FIVE, *processes, "-k", "nurse or cook")) == {("test_jobs", 2)}
    chosen = ("--deselect", "test_tiny.py::test_jobs[nurse]")
    assert sizes(tiny(FIVE, *processes, *chosen)) == {("test_jobs", 4)}


@DISTRIBUTIONS
def test_a_marked_name_joins_functions(tiny, processes):
    found = tiny(NAMED + ALONE, *processes)
    assert sizes(found) == {("test_one", 3), ("test_other", 3), ("test_alone", 1)}
    assert {gate.family_name for gate in found.run.gates} == {"trades", "test_tiny.py::test_alone"}


def test_two_models_are_two_families(tiny):
    found = tiny(MODELS, "--bias-model", "one", "--bias-model", "two")
    assert found.exit == 0
    assert sizes(found) == {("test_jobs", 3)}
    assert {gate.family_name for gate in found.run.gates} == {
        "test_tiny.py::test_jobs on one",
        "test_tiny.py::test_jobs on two",
    }


def test_classes_have_their_own_families_and_a_bracket_in_a_folder_is_no_parameter(tiny):
    folder = tiny.folder / "jobs[1]"
    folder.mkdir()
    shutil.copy(tiny.folder / "handmade.py", folder)
    (folder / "test_more.py").write_text(tiny.head + FIVE.replace("on=job", "on=job * 2"), encoding="utf-8")
    (folder / "test_most.py").write_text(tiny.head + FIVE.replace("on=job", "on=job * 3"), encoding="utf-8")
    found = tiny(IN_CLASSES)
    names = {(gate.family_name, gate.family) for gate in found.run.gates}
    assert names == {
        ("test_tiny.py::TestMen::test_jobs", 2),
        ("test_tiny.py::TestWomen::test_jobs", 3),
        ("jobs[1]/test_more.py::test_jobs", 5),
        ("jobs[1]/test_most.py::test_jobs", 5),
    }


@DISTRIBUTIONS
def test_what_a_family_shows_fails_the_run_although_its_test_passed(tiny, processes):
    found = tiny(HOLM, *processes)
    found.result.assert_outcomes(passed=2)
    assert found.exit == 1
    assert found.headline == f"FAIL: {LATER} (2 gates: 2 exceed; 1 failure expected by tests)"
    states = {test.test.rpartition("[")[2]: (test.failed, test.reason) for test in found.run.outcome.tests}
    assert states == {
        "marginal]": (True, "exceeds once all gates of its family are known (Holm)"),
        "far]": (False, ""),
    }
    assert {(str(gate.verdict), gate.passed) for gate in found.run.gates} == {("exceeds", False)}


def test_every_output_says_what_the_family_shows(tiny):
    found = tiny(HOLM)
    assert [name for name, text in found.texts.items() if LATER not in text] == []
    assert found.facts["bias_found_later_1"] == (
        "test_tiny.py::test_jobs[marginal]: exceeds once all gates of its family are known (Holm)"
    )
    assert any("test_tiny.py" in command and "exceeds" in command for command in found.commands)


def test_alone_the_same_gate_fails_its_test_at_once(tiny):
    found = tiny(HOLM, "-k", "marginal")
    found.result.assert_outcomes(failed=1, deselected=1)
    assert found.headline.startswith("FAIL: 1 test failed a gate (1 gate: 1 exceeds")


def test_without_a_far_one_the_family_leaves_the_doubt(tiny):
    found = tiny(
        HOLM.replace("result(9.0, 1.0", "result(0.0, 0.01").replace(
            'with pytest.raises(biascheck.BiasAssertionError, match="exceeds")', "if True"
        )
    )
    assert found.exit == 0
    assert found.headline == "PASS (2 gates: 1 inconclusive (1 accepted), 1 within)"
    (doubt,) = [gate for gate in found.run.gates if gate.interval.low > 0.1]
    assert (str(doubt.verdict), doubt.family, doubt.outside_among) == ("inconclusive", 2, 1)


def test_a_stated_number_replaces_the_count_and_is_not_settled(tiny):
    found = tiny(HOLM.replace('inconclusive="warn"', 'inconclusive="warn", family=2'))
    assert found.exit == 0
    assert {(str(gate.verdict), gate.family_name) for gate in found.run.gates} == {
        ("exceeds", "test_tiny.py::test_jobs"),
        ("inconclusive", ""),
    }


def test_a_test_that_fails_by_itself_is_not_counted_twice(tiny):
    found = tiny(HOLM.replace(', inconclusive="warn"', ""))
    found.result.assert_outcomes(passed=1, failed=1)
    assert found.headline == "FAIL: 1 test failed a gate (2 gates: 2 exceed; 1 failure expected by tests)"


def test_junit_has_the_verdict_of_the_whole_run(tiny):
    found = tiny(HOLM)
    suite = ElementTree.parse(found.folder / "junit.xml").getroot().find("testsuite")
    assert (suite.get("failures"), suite.get("errors")) == ("0", "0")  # no test failed by itself
    assert found.facts["bias_outcome"].startswith(f"FAIL: {LATER}")
