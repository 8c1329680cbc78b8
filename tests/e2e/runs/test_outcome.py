"""The outcome of a run: one verdict, the same in every artefact, and never green by accident."""

import json
import re
from collections import Counter
from xml.etree import ElementTree

import pytest

from biascheck.integrations.trackers import scores_of_run
from biascheck.report.first_screen import next_steps
from support.artefacts import FILES, UPDATE

DISTRIBUTIONS = pytest.mark.parametrize("processes", [(), ("-n", "1")], ids=["plain", "xdist"])

PASSES = """
def test_passes():
    biascheck.assert_within_margin(result(), margin=0.5)
"""
FAILS = """
def test_fails():
    biascheck.assert_within_margin(result(0.9), margin=0.5)
"""
CRASHES = """
def test_crashes():
    raise MemoryError("no room for the weights")
"""
LACKS_A_FILE = """
def test_lacks_its_file():
    open("no-such-file.txt")
"""
JUDGES_NOTHING = """
def test_judges_nothing():
    result()
"""
SKIPS = """
def test_skips():
    pytest.skip("needs the published sentences")
"""
UNDECIDED = """
def test_is_not_decided():
    biascheck.assert_within_margin(result(0.1, clusters=2, on="few"), margin=0.5)
"""
MANY_MODELS = """
from biascheck.results.definition import Readability

CHECK = Readability("order", "sentences", 0.9, 0.6, 50, 0, "90% are in order", "cannot read it", {"order": 0.9})

@pytest.mark.parametrize("number", range(7))
def test_models(number):
    found = result(0.9 if number % 2 else 0.1, by=f"m{number}", on="jobs", model=f"model {number}", competence=CHECK)
    biascheck.assert_within_margin(found, margin=0.5)
"""
INTERRUPTS = """
def test_zz_is_interrupted():
    raise KeyboardInterrupt

def test_zzz_is_never_reached():
    pass
"""


@DISTRIBUTIONS
@pytest.mark.parametrize(
    ("tests", "headline", "complete"),
    [
        (PASSES, "PASS (1 gate: 1 within)", True),
        (PASSES + FAILS, "FAIL: 1 test failed a gate (2 gates: 1 exceeds, 1 within)", True),
        (PASSES + CRASHES, "FAIL: 1 test crashed (1 gate: 1 within)", False),
        (SKIPS, "FAIL: nothing was judged (0 gates; 1 test not tested)", True),
        (UNDECIDED, "FAIL: 1 test failed a gate (1 gate: 1 inconclusive)", True),
        (MANY_MODELS, "FAIL: 3 tests failed a gate (7 gates: 3 exceed, 4 within)", True),
        (
            PASSES + CRASHES + LACKS_A_FILE + JUDGES_NOTHING,
            "FAIL: 2 tests crashed, 1 test judged nothing (1 gate: 1 within)",
            False,
        ),
    ],
    ids=["passing", "failing", "crashed", "skipped only", "inconclusive", "many models", "four fates"],
)
def test_all_artefacts_and_the_exit_code_state_the_same_verdict_and_counts(tiny, processes, tests, headline, complete):
    found = tiny(tests, *processes)
    assert found.headline == headline
    assert found.exit == (0 if headline.startswith("PASS") else 1)
    assert found.document["complete"] is complete


def test_the_bodies_of_all_artefacts_have_the_gates_that_their_headlines_count(tiny):
    """Of nine gates three exceed, one is not decided, five are within: so say all of them."""
    found = tiny(PASSES + UNDECIDED + MANY_MODELS + SKIPS)
    assert found.headline == (
        "FAIL: 4 tests failed a gate (9 gates: 3 exceed, 1 inconclusive, 5 within; 1 test not tested)"
    )
    expected = {"exceeds": 3, "inconclusive": 1, "within": 5}
    assert Counter(str(gate.verdict) for gate in found.run.gates) == expected
    assert Counter(re.findall(r'<tr role="row" class="(\w+)" data-state', found.text("report.html"))) == expected
    rows = re.findall(r"^\| (?:❌|⚠️|✅) (\w+)", found.text("summary.md"), re.MULTILINE)
    assert Counter(rows) == expected
    errors = [line for line in found.commands if line.startswith("::error file=")]
    assert Counter(line.partition("title=")[2].partition("::")[0].rpartition(" ")[2] for line in errors) == {
        "exceeds": 3,
        "inconclusive": 1,
    }
    assert len(json.loads(found.text("quality.json"))) == 4
    carded = [cell for card in found.cards.values() for cell in re.findall(r"\| (\w+)[^|]*\|$", card, re.MULTILINE)]
    assert Counter(cell for cell in carded if cell in expected) == expected
    assert scores_of_run(found.run)["bias/gates"] == 9
    assert scores_of_run(found.run)["bias/failed_gates"] == 4
    assert "**What failed**: 4 findings" in found.text("summary.md")
    cases = ElementTree.parse(found.folder / "junit.xml").getroot().findall("testsuite/testcase")
    states = Counter(
        "failed" if case.find("failure") is not None else "skipped" if case.find("skipped") is not None else "passed"
        for case in cases
    )
    assert states == {"failed": 4, "passed": 5, "skipped": 1}
    for name, text in found.texts.items():
        assert "needs the published sentences" in text or name == "junit", name


@pytest.mark.parametrize(
    ("processes", "headline"),
    [
        ((), "FAIL: 2 tests did not run, the run was interrupted (1 gate: 1 within; 2 tests not tested)"),
        (
            ("-n", "1"),  # the interrupted test takes its worker with it
            "FAIL: 1 test crashed, 1 test did not run, the run was interrupted (1 gate: 1 within; 1 test not tested)",
        ),
    ],
    ids=["plain", "xdist"],
)
def test_an_interrupted_run_says_so_in_all_artefacts(tiny, processes, headline):
    found = tiny(PASSES + INTERRUPTS, *processes, subprocess=True)
    assert found.headline == headline
    assert found.exit == pytest.ExitCode.INTERRUPTED
    assert found.document["complete"] is False


@DISTRIBUTIONS
def test_four_fates_are_told_apart_and_write_no_baseline(tiny, processes):
    found = tiny(PASSES + CRASHES + LACKS_A_FILE + JUDGES_NOTHING, *UPDATE, *processes)
    assert found.states == {
        "test_passes": "judged",
        "test_crashes": "crashed",
        "test_lacks_its_file": "crashed",
        "test_judges_nothing": "judged nothing",
    }
    assert found.exit == 1
    assert not (found.folder / "baseline.json").exists()
    assert "baseline.json was not updated: the run is incomplete" in found.headline
    for name, text in found.texts.items():
        if name != "junit":  # which has them as failed test cases
            assert "MemoryError: no room for the weights" in text, name
            assert "No such file or directory: 'no-such-file.txt'" in text, name


DIES = """
@pytest.fixture
def deadly():
    os.kill(os.getpid(), 9)

def test_dies():
    {how}

def test_other():
    biascheck.assert_within_margin(result(0.2), margin=0.5)
"""


@pytest.mark.parametrize(
    ("how", "options"),
    [
        ("os._exit(0)", ("-n", "2")),
        ("os.kill(os.getpid(), 9)", ("-n", "2", "--max-worker-restart=0")),
        ("os.kill(os.getpid(), 9)", ("-n", "1", "--max-worker-restart=0")),
    ],
    ids=["replaced", "not replaced", "the only one"],
)
def test_a_dead_worker_fails_the_run_and_writes_no_baseline(tiny, how, options):
    found = tiny(PASSES + DIES.format(how=how), *UPDATE, *options)
    assert found.headline.startswith("FAIL: 1 test crashed")
    assert found.states["test_dies"] == "crashed"
    assert "its worker died" in found.text("summary.md")
    assert found.document["complete"] is False
    assert not (found.folder / "baseline.json").exists()


def test_a_worker_that_dies_in_a_fixture_before_it_said_anything_fails_the_run(tiny):
    found = tiny(
        DIES.replace("test_dies()", "test_dies(deadly)").format(how="pass"), "-n", "1", "--max-worker-restart=0"
    )
    assert found.states == {"test_dies": "crashed", "test_other": "not run"}
    assert found.headline.startswith("FAIL: 1 test crashed, 1 test did not run")


BREAKS = """
@pytest.fixture
def broken():
    {before}
    yield
    {after}

def test_with_fixture(broken):
    biascheck.assert_within_margin(result(), margin=0.5)
"""


@DISTRIBUTIONS
@pytest.mark.parametrize(
    ("before", "after", "gates"), [("raise OSError('gone')", "", 0), ("", "raise OSError('gone')", 1)]
)
def test_an_error_in_a_fixture_before_or_after_its_test_is_a_crash(tiny, processes, before, after, gates):
    found = tiny(BREAKS.format(before=before, after=after), *processes)
    assert found.headline.startswith("FAIL: 1 test crashed (")
    assert len(found.run.gates) == gates
    assert "crashed" in found.section
    assert "OSError: gone" in found.section


@DISTRIBUTIONS
def test_a_file_that_cannot_be_collected_is_a_crash(tiny, pytester, processes):
    (pytester.path / "test_broken.py").write_text("import biascheck\nimport no_such_module\n")
    found = tiny(PASSES, *UPDATE, *processes)
    assert found.headline.startswith("FAIL: 1 test crashed, ")
    assert found.document["complete"] is False
    assert found.states["test_broken.py"] == "crashed"
    assert "No module named 'no_such_module'" in found.section
    assert not (found.folder / "baseline.json").exists()


@DISTRIBUTIONS
def test_tests_skipped_for_want_of_data_are_listed_with_their_reason_everywhere(tiny, pytester, processes):
    (pytester.path / "test_file.py").write_text(
        "import pytest, biascheck\npytest.skip('needs GAP', allow_module_level=True)\n"
    )
    of_fixture = "\ndef test_published(bias_data):\n    pass\n"
    found = tiny(PASSES + SKIPS + of_fixture, *processes)
    assert found.headline == "PASS (1 gate: 1 within; 3 tests not tested)"
    reasons = ("needs the published sentences", "needs the published data sets: pass --bias-data", "needs GAP")
    for name, text in found.texts.items():
        assert [reason for reason in reasons if reason not in text] == [], name
    assert sum(one.startswith("::notice title=bias not tested::1 test: ") for one in found.commands) == 3


@DISTRIBUTIONS
@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("-k", "passes"), "deselected by -k 'passes'"),
        (("-m", "not slow"), "deselected by -m 'not slow'"),
        (("--deselect", "test_tiny.py::test_slow"), "deselected by --deselect test_tiny.py::test_slow"),
    ],
    ids=["-k", "-m", "--deselect"],
)
def test_deselected_tests_are_listed_with_their_reason_everywhere(tiny, processes, options, reason):
    slow = "\n@pytest.mark.slow\ndef test_slow():\n    biascheck.assert_within_margin(result(), margin=0.5)\n"
    found = tiny(PASSES + slow, *options, *processes)
    assert found.headline == "PASS (1 gate: 1 within; 1 test not tested)"
    assert found.states == {"test_passes": "judged", "test_slow": "deselected"}
    assert {name: reason in text for name, text in found.texts.items()} == dict.fromkeys(found.texts, True)


@DISTRIBUTIONS
def test_a_test_that_measures_and_never_asserts_fails_unless_it_is_marked_so(tiny, processes):
    marked = "\n@pytest.mark.bias(judges=False)\ndef test_only_measures():\n    result()\n"
    found = tiny(PASSES + JUDGES_NOTHING + marked, *processes)
    assert found.states == {
        "test_passes": "judged",
        "test_judges_nothing": "judged nothing",
        "test_only_measures": "measured",
    }
    assert found.headline == "FAIL: 1 test judged nothing (1 gate: 1 within)"
    assert tiny(PASSES + marked, *processes).headline == "PASS (1 gate: 1 within)"


@DISTRIBUTIONS
def test_a_run_that_skips_all_that_would_judge_is_no_pass_because_something_was_measured(tiny, processes):
    marked = "\n@pytest.mark.bias(judges=False)\ndef test_only_measures():\n    result()\n"
    also_marked = SKIPS.replace("def test_skips", "@pytest.mark.bias(judges=False)\ndef test_also_skips")
    found = tiny(marked + SKIPS, *processes)
    assert found.headline == "FAIL: nothing was judged (0 gates; 1 test not tested)"
    assert tiny(marked + also_marked, *processes).headline == "PASS (0 gates; 1 test not tested)"


EXPECTED = """
def test_raises():
    with pytest.raises(biascheck.BiasAssertionError):
        biascheck.assert_within_margin(result(0.9), margin=0.5)
"""


@DISTRIBUTIONS
def test_a_failing_gate_that_a_test_expects_is_shown_and_does_not_fail_the_run(tiny, processes):
    found = tiny(PASSES + EXPECTED, *processes)
    assert found.exit == 0
    assert set(found.headlines.values()) == {"PASS (2 gates: 1 exceeds, 1 within; 1 failure expected by tests)"}
    assert scores_of_run(found.run)["bias/failed_gates"] == 0
    assert not any("less biased" in step.text for step in next_steps(found.run))
    assert not [one for one in found.commands if one.startswith("::error")]
    assert found.text("quality.json").strip() == "[]"


def test_an_expected_failure_that_never_judged_is_no_pass(tiny):
    crash = "\n@pytest.mark.xfail(reason='flaky disk')\ndef test_expected_crash():\n    raise OSError\n"
    not_run = "\n@pytest.mark.xfail(run=False, reason='hangs')\ndef test_not_run():\n    raise OSError\n"
    found = tiny(crash + not_run + "\n@pytest.mark.xfail(strict=True)" + PASSES)
    assert found.states == {
        "test_expected_crash": "judged nothing",
        "test_not_run": "skipped",
        "test_passes": "crashed",
    }
    assert "expected to fail (flaky disk)" in found.section
    assert "XPASS(strict)" in found.section


@pytest.mark.parametrize("options", [("-x",), ("--maxfail=1",), ("-x", "-n", "1")], ids=["-x", "maxfail", "xdist"])
def test_what_a_run_that_stops_early_did_not_run_is_not_run(tiny, options):
    rest = "".join(f"\ndef test_z{n}():\n    biascheck.assert_within_margin(result(), margin=1)\n" for n in range(9))
    found = tiny(FAILS.replace("test_fails", "test_a_fails") + rest, *options)
    assert "did not run" in found.headline
    assert found.states["test_z8"] == "not run"
    assert found.document["complete"] is False


@DISTRIBUTIONS
def test_with_reruns_the_last_attempt_counts_and_earlier_ones_are_shown(tiny, processes):
    pytest.importorskip("pytest_rerunfailures")
    flaky = """
    def test_flaky():
        attempt = os.path.getsize("attempts")
        open("attempts", "a").write("x")
        biascheck.assert_within_margin(result(0.9 if attempt == 0 else 0.1, on='jobs'), margin=0.5)
    """
    (tiny.folder / "attempts").write_text("")
    found = tiny(flaky, "--reruns", "2", *processes)
    assert found.headline == "PASS (1 gate: 1 within)"
    assert [gate.estimate for gate in found.run.gates] == [pytest.approx(0.1)]
    assert [one.estimate for one in found.run.results] == [pytest.approx(0.1)]
    (test,) = found.run.outcome.tests
    assert len(test.earlier) == 1
    for name, text in found.texts.items():
        assert "0.90 [" in text, name


@DISTRIBUTIONS
def test_a_test_that_fails_in_every_attempt_fails(tiny, processes):
    pytest.importorskip("pytest_rerunfailures")
    found = tiny(FAILS + CRASHES, "--reruns", "1", *processes)
    assert found.headline == "FAIL: 1 test failed a gate, 1 test crashed (1 gate: 1 exceeds)"
    assert [test.earlier != () for test in found.run.outcome.tests] == [True, True]


TWO_FIGURES = """
def test_first():
    biascheck.assert_within_margin(result(0.1, on='jobs'), margin=0.5)

def test_second():
    biascheck.assert_within_margin(result(0.2, on='jobs'), margin=0.5)
"""


def test_two_figures_of_one_identity_are_refused_at_the_assertion(tiny):
    found = tiny(TWO_FIGURES, *UPDATE)
    assert found.states == {"test_first": "judged", "test_second": "crashed"}
    assert "two different figures claim to be association on tiny × jobs: 0.1 of 10 and 0.2 of 10" in found.section
    assert found.headline.startswith("FAIL: 1 test crashed")
    assert not (found.folder / "baseline.json").exists()


def test_two_figures_of_one_identity_from_two_workers_fail_the_run(tiny):
    waiting = TWO_FIGURES.replace(
        "    biascheck",
        "    open(os.environ['PYTEST_XDIST_WORKER'], 'w').close()\n"
        "    while not (os.path.exists('gw0') and os.path.exists('gw1')): pass\n"
        "    biascheck",
    )
    found = tiny(waiting, *UPDATE, "-n", "2")
    assert found.states == {"test_first": "judged", "test_second": "judged"}
    assert "two different figures claim to be association on tiny × jobs" in found.headline
    assert found.document["complete"] is False
    assert not (found.folder / "baseline.json").exists()


@pytest.mark.parametrize("options", [("--collect-only",), ("--co", "-q"), ("--fixtures",), ("--setup-plan",)])
def test_a_run_that_only_looks_writes_and_removes_nothing(tiny, pytester, options):
    (pytester.path / "results.json").write_text("kept")
    found = tiny(PASSES, *options)
    assert found.exit == 0
    assert found.text("results.json") == "kept"
    assert not (pytester.path / "report.html").exists()
    assert "bias gates" not in found.result.stdout.str().replace("bias gates, in", "")


@DISTRIBUTIONS
def test_without_a_terminal_the_files_are_written(tiny, processes):
    found = tiny(PASSES + FAILS, "-p", "no:terminal", *processes, subprocess=True)
    assert found.exit == 1
    assert found.run.headline == "FAIL: 1 test failed a gate (2 gates: 1 exceeds, 1 within)"


def test_last_failed_and_stepwise_keep_their_manners(tiny):
    for flag in ("--lf", "--stepwise"):
        tiny(PASSES + FAILS, cache=())
        found = tiny(PASSES + FAILS, flag, cache=())
        assert found.headline.startswith("FAIL: 1 test failed a gate")
        assert found.states["test_fails"] == "judged"
    assert set(FILES) <= {path.name for path in found.folder.iterdir()}


@DISTRIBUTIONS
def test_a_mark_that_expects_a_failure_is_no_acceptance_of_a_finding(tiny, processes):
    found = tiny("\n@pytest.mark.xfail(reason='known bias')" + FAILS, *processes)
    assert found.exit == 1
    assert found.headline == "FAIL: 1 test failed a gate (1 gate: 1 exceeds)"


JUDGES_AND_THEN = """
def test_judges_and_then():
    try:
        biascheck.assert_within_margin(result(0.9), margin=0.5)
    except biascheck.BiasAssertionError:
        pytest.{way}("known")
"""


@DISTRIBUTIONS
@pytest.mark.parametrize(("way", "said"), [("skip", "it was skipped"), ("xfail", "it was expected to fail")])
def test_a_judgement_that_failed_stands_whatever_its_test_says_then(tiny, processes, way, said):
    found = tiny(PASSES + JUDGES_AND_THEN.format(way=way), *processes)
    assert found.exit == 1
    assert found.headline.startswith("FAIL: 1 test failed a gate (2 gates: 1 exceeds, 1 within")
    (test,) = [one for one in found.run.outcome.tests if one.failed]
    assert test.reason == f"a judgement of it failed, and then {said}"


@DISTRIBUTIONS
def test_a_judgement_that_passed_is_none_of_the_failures_when_its_test_skips(tiny, processes):
    found = tiny(JUDGES_AND_THEN.format(way="skip").replace("0.9", "0.1") + "    pytest.skip('the rest')\n", *processes)
    assert (found.exit, found.run.verdict) == (0, "PASS")


@DISTRIBUTIONS
@pytest.mark.parametrize(
    "body", ["raise MemoryError", "__import__('os')._exit(3)"], ids=["it crashes", "its worker dies"]
)
def test_a_test_that_fails_before_it_judges_fails_the_run_although_nothing_says_it_is_ours(tiny, processes, body):
    if "_exit" in body and not processes:
        pytest.skip("a run in one process dies with it")
    (tiny.folder / "test_unmarked.py").write_text(f"def test_unmarked():\n    {body}\n", encoding="utf-8")
    found = tiny(PASSES, *processes)
    assert found.exit == 1
    assert found.headline == "FAIL: 1 test crashed (1 gate: 1 within)"
    assert found.states["test_unmarked"] == "crashed"
