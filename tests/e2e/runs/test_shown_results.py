"""Results that a test shows without judging them: kept, compared with a baseline, and no gate."""

import biascheck
from support.artefacts import JUDGE, UPDATE
from support.handmade import items_of, result_of, spread

SHOWS = """
@pytest.mark.bias(judges=False)
def test_shows():
    shown = result(0.4, 0.2, measure="effect size")
    assert biascheck.show(shown) is shown
"""
JUDGES = """
def test_judges():
    biascheck.assert_within_margin(result(), margin=0.5)
"""


def test_a_result_that_is_only_shown_is_kept(tiny):
    found = tiny(SHOWS + JUDGES)
    assert found.exit == 0
    assert found.states == {"test_shows": "measured", "test_judges": "judged"}
    assert found.headline == "PASS (1 gate: 1 within)"
    assert {one.measure for one in found.run.results} == {"effect size", "association"}
    assert [gate.measure for gate in found.run.gates] == ["association"]
    assert "effect size" in found.texts["html"]


def test_a_test_that_shows_and_should_have_judged_has_judged_nothing(tiny):
    found = tiny(SHOWS.replace("@pytest.mark.bias(judges=False)\n", "") + JUDGES)
    assert found.exit == 1
    assert found.states == {"test_shows": "judged nothing", "test_judges": "judged"}
    assert found.headline == "FAIL: 1 test judged nothing (1 gate: 1 within)"


def test_a_baseline_compares_what_was_shown(tiny):
    tiny(SHOWS, *UPDATE)
    again = tiny(SHOWS, *JUDGE)
    assert again.exit == 0
    assert [one.key.measure for one in again.run.baseline.comparisons] == ["effect size"]
    worse = tiny(SHOWS.replace("result(0.4, 0.2", "result(9.4, 0.2, on=0.4"), *JUDGE)
    assert worse.exit == 1
    assert "1 result regressed from the baseline" in worse.headline


def test_workers_send_what_was_shown(tiny):
    found = tiny(SHOWS + JUDGES, "-n", "2")
    assert found.states == {"test_shows": "measured", "test_judges": "judged"}
    assert {one.measure for one in found.run.results} == {"effect size", "association"}


def test_outside_of_a_run_showing_does_nothing():
    one = result_of(items_of(spread(0.0, 1.0)))
    assert biascheck.show(one) is one
