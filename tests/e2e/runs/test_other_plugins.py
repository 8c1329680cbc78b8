"""The plugins that people have installed beside this one: a run comes to the same verdict with each, and with all."""

from importlib.util import find_spec

import pytest

TESTS = """
    @pytest.fixture(scope="session")
    def drawn():
        import random
        return random.Random(7).random()

    @pytest.mark.parametrize("job", ["nurse", "mason", "baker", "pilot"])
    def test_within(job, drawn):
        biascheck.assert_within_margin(result(0.1, on=job), margin=0.5)

    def test_exceeds():
        biascheck.assert_within_margin(result(0.9, on="clerk"), margin=0.5)

    def test_inconclusive():
        biascheck.assert_within_margin(result(0.5, on="cook"), margin=0.5)

    def test_crashes():
        raise OSError("the disk is gone")

    def test_skips():
        pytest.skip("no such data")
"""
HEADLINE = (
    "FAIL: 2 tests failed a gate, 1 test crashed (6 gates: 1 exceeds, 1 inconclusive, 4 within; 1 test not tested)"
)
OPTIONS = {
    "randomly": ("-p", "pytest_randomly", "--randomly-seed=3"),
    "rerunfailures": ("--reruns", "1"),
    "timeout": ("--timeout", "300"),
    "html": ("--html", "page.html", "--self-contained-html"),
    "xdist": ("-n", "2"),
}
MODULES = {"randomly": "pytest_randomly", "rerunfailures": "pytest_rerunfailures", "timeout": "pytest_timeout",
           "html": "pytest_html", "xdist": "xdist"}  # fmt: skip
COMBINATIONS = [(), *((name,) for name in OPTIONS), ("randomly", "xdist"), ("rerunfailures", "timeout"), tuple(OPTIONS)]


def identity(found):
    """What a run says, whatever the order in which its tests ran."""
    gates = {(gate.key.digest, str(gate.verdict), gate.passed, gate.estimate, gate.family) for gate in found.run.gates}
    return found.headline, found.states, gates


@pytest.mark.parametrize("plugins", COMBINATIONS, ids=lambda names: "+".join(names) or "none")
def test_a_run_says_the_same_beside_other_plugins(tiny, plugins):
    if missing := [MODULES[name] for name in plugins if find_spec(MODULES[name]) is None]:
        pytest.skip(f"needs {', '.join(missing)}; make test installs them")
    plain = identity(tiny(TESTS))
    found = tiny(TESTS, *(word for name in plugins for word in OPTIONS[name]))
    assert plain[0] == HEADLINE
    assert identity(found) == plain
    assert found.exit == 1
    if "html" in plugins:
        assert "exceeds margin 0.50" in found.text("page.html")
    if "rerunfailures" in plugins:
        assert {bool(test.earlier) for test in found.run.outcome.tests if "crashes" in test.test} == {True}


@pytest.mark.skipif(find_spec("pytest_timeout") is None, reason="needs pytest_timeout; make test installs it")
def test_a_test_that_takes_too_long_crashed_and_the_run_says_so(tiny):
    slow = """
    def test_hangs():
        import time
        time.sleep(60)

    def test_within():
        biascheck.assert_within_margin(result(0.1), margin=0.5)
    """
    found = tiny(slow, "--timeout", "1", "--timeout-method", "signal")
    assert found.headline == "FAIL: 1 test crashed (1 gate: 1 within)"
    assert found.states == {"test_hangs": "crashed", "test_within": "judged"}


@pytest.mark.skipif(find_spec("pytest_randomly") is None, reason="needs pytest_randomly; make test installs it")
def test_another_order_and_another_global_seed_change_no_figure(tiny):
    first, second = (identity(tiny(TESTS, "-p", "pytest_randomly", f"--randomly-seed={seed}")) for seed in (1, 2))
    assert first == second
