"""A baseline is never switched off by accident, and a gate on too little never passes."""

import json
from textwrap import dedent

import pytest

from support.artefacts import JUDGE, UPDATE

DISTRIBUTIONS = pytest.mark.parametrize("processes", [(), ("-n", "1")], ids=["plain", "xdist"])

MEASURED = """
import json
FOUND = json.load(open("found.json"))

def found(**fields):
    shape = {"width": FOUND.get("width", 0.05), "clusters": FOUND.get("clusters", 10)}
    return result(FOUND["centre"], by=FOUND["by"], on="jobs", **shape, **fields)
"""
GATE = """
def test_gate():
    biascheck.assert_within_margin(found(), margin=9)
"""
WITH_ITSELF = """
def test_with_itself():
    biascheck.assert_no_regression(found(), found())
"""
REDUCED = """
def test_reduced():
    biascheck.assert_reduced(result(5.0, by=FOUND["by"], on="jobs"), found(treatment=("lora",)))
"""
WITH_ITS_ENTRY = """
def test_with_its_entry(bias_baseline):
    biascheck.assert_no_regression(found(), bias_baseline(found()), tolerance={tolerance})
"""


@pytest.fixture
def models(tiny):
    """Measure one model for the baseline, then another against it."""

    def run(tests, before, after, *options):
        (tiny.folder / "found.json").write_text(json.dumps({"by": "one", **before}))
        first = tiny(MEASURED + tests, *UPDATE, *options)
        assert first.exit == 0, first.section
        (tiny.folder / "found.json").write_text(json.dumps({"by": "two", **after}))
        return tiny(MEASURED + tests, *JUDGE, *options)

    return run


@DISTRIBUTIONS
@pytest.mark.parametrize("by", ["one", "two"], ids=["the same model", "another model"])
def test_a_comparison_with_itself_does_not_switch_the_baseline_off(models, processes, by):
    found = models(WITH_ITSELF, {"centre": 0.1}, {"centre": 0.9, "by": by}, *processes)
    assert found.headline.startswith("FAIL: 1 result regressed from the baseline")
    assert [str(one.verdict) for one in found.run.baseline.comparisons] == ["regressed"]


def test_results_of_mitigation_are_compared_though_assert_reduced_compared_them(models):
    found = models(REDUCED, {"centre": 0.1}, {"centre": 0.9})
    assert found.headline.startswith("FAIL: 1 result regressed from the baseline")
    (one,) = found.run.baseline.comparisons
    assert one.key.treatment == ("lora",)


def test_a_comparison_with_its_very_entry_is_made_once(models):
    found = models(WITH_ITS_ENTRY.format(tolerance=1.0), {"centre": 0.1}, {"centre": 0.9})
    assert found.headline == "PASS (0 gates; 1 comparison: 1 no worse)"
    assert found.run.baseline.comparisons == ()
    failing = models(WITH_ITS_ENTRY.format(tolerance=0.0), {"centre": 0.1}, {"centre": 0.9})
    assert failing.headline == "FAIL: 1 test failed a gate (0 gates; 1 comparison: 1 regressed)"


def test_a_regression_that_a_test_swallows_is_found_by_the_run(models):
    swallowed = """
    def test_swallows(bias_baseline):
        try:
            biascheck.assert_no_regression(found(), bias_baseline(found()))
        except AssertionError:
            pass
    """
    found = models(dedent(swallowed), {"centre": 0.1}, {"centre": 0.9})
    assert found.headline.startswith("FAIL: 1 result regressed from the baseline")


@pytest.mark.parametrize("tests", [GATE, WITH_ITS_ENTRY.format(tolerance=9.0)], ids=["by the run", "by a test"])
def test_fewer_items_than_the_baseline_fail_and_are_shown_everywhere(models, tests):
    of_one_size = {"centre": 0.1, "width": 0.0}
    found = models(tests, {**of_one_size, "clusters": 40}, {**of_one_size, "clusters": 12})
    assert found.headline.startswith("FAIL: 1 result measured on less than the baseline (")
    reason = "12 pairs where the baseline has 40 and 12 clusters where the baseline has 40"
    assert {name: reason in text for name, text in found.texts.items()} == dict.fromkeys(found.texts, True)
    assert any(reason in command for command in found.commands)
    assert reason in found.text("quality.json")


def test_a_comparison_without_an_interval_fails_the_run(models):
    expected = GATE.replace("    biascheck", "    with pytest.raises(biascheck.BiasAssertionError):\n        biascheck")
    found = models(expected, {"centre": 0.1, "clusters": 3}, {"centre": 0.11, "clusters": 3})
    assert found.headline.startswith("FAIL: 1 result compared without an interval (")
    assert not found.run.baseline.passed


SKIPPED = """
from biascheck.results.items import Skipped

def test_gate(bias_margins):
    items = items_of(spread(0.1, 0.05, 20))
    skipped = tuple(Skipped(f"gone/{{n}}", "'she' is not a token") for n in range(380))
    biascheck.assert_within_margin(result_of(items, skipped=skipped), {how})
"""
MARGINS = '[jobs]\nmargin = 0.5\nreason = "agreed"\n'


@pytest.mark.parametrize(
    ("how", "margins", "passes"),
    [
        ("margin=0.5", MARGINS, False),
        ("margin=0.5, skipped=0.95", MARGINS, True),
        ("margin=0.5, skipped=0.94", MARGINS, False),
        ("**bias_margins['jobs'].as_arguments()", MARGINS, False),
        ("**bias_margins['jobs'].as_arguments()", MARGINS + "skipped = 0.95\n", True),
    ],
    ids=["default", "enough allowed", "too little allowed", "margin", "margin that allows it"],
)
def test_most_items_skipped_fails_unless_the_share_is_allowed(tiny, how, margins, passes):
    (tiny.folder / "margins.toml").write_text(margins)
    found = tiny(SKIPPED.format(how=how))
    assert found.headline.startswith("PASS" if passes else "FAIL: 1 test failed a gate")
    if not passes:
        assert "380 of 400 pairs were skipped, e.g. 'she' is not a token" in found.result.stdout.str()


def test_an_update_shows_what_changed_and_an_incomplete_run_changes_nothing(models, tiny):
    models(GATE, {"centre": 0.1}, {"centre": 0.1})
    before = (tiny.folder / "baseline.json").read_bytes()
    (tiny.folder / "found.json").write_text(json.dumps({"by": "one", "centre": 0.3}))
    crash = "\ndef test_crashes():\n    raise OSError('gone')\n"
    found = tiny(MEASURED + GATE + crash, *UPDATE)
    assert (tiny.folder / "baseline.json").read_bytes() == before
    assert "baseline.json was not updated: the run is incomplete" in found.headline
    found = tiny(MEASURED + GATE, *UPDATE)
    assert "baseline baseline.json updated: 0 added, 1 changed, 0 unchanged, 0 kept" in found.section
    assert "  changed  association on tiny × jobs: 0.10 → 0.30" in found.section
    assert (tiny.folder / "baseline.json").read_bytes() != before


def test_one_result_that_a_test_compared_and_one_that_is_new_is_something_compared(models, tiny):
    tests = WITH_ITS_ENTRY.format(tolerance=1.0)
    models(tests, {"centre": 0.1}, {"centre": 0.1})
    found = tiny(MEASURED + tests + GATE.replace("found()", "result(0.2, on='others', corpus='others')"), *JUDGE)
    assert found.exit == 0
    assert found.run.baseline.new == ("association on tiny × others",)


READ = """
from biascheck.results.definition import Readability

def read():
    value = 0.0 if FOUND.get("broken") else 1.0
    return found(competence=Readability("reading", "reads", value, 0.5, 9, 0, f"{value} of 0.5", "cannot read this"))
"""
ONLY_SHOWN = """
import pytest

@pytest.mark.bias(judges=False)
def test_shown():
    biascheck.show(read())
"""
JUDGED_ANYWAY = """
def test_judged_anyway():
    biascheck.assert_within_margin(read(), margin=9, competence="ignore", reason="only watched")
"""


@DISTRIBUTIONS
def test_a_checkpoint_that_can_no_longer_read_is_no_improvement(models, processes):
    found = models(READ + ONLY_SHOWN, {"centre": 2.0}, {"centre": 0.0, "broken": True}, *processes)
    assert found.headline.startswith("FAIL: 1 result compared with the baseline on what the model cannot do")
    for name, text in found.texts.items():
        assert name == "junit" or "invalid" in text, name


def test_it_is_not_accepted_into_a_baseline(models, tiny):
    models(READ + ONLY_SHOWN, {"centre": 2.0}, {"centre": 0.0, "broken": True})
    before = (tiny.folder / "baseline.json").read_text()
    again = tiny(MEASURED + READ + ONLY_SHOWN, *UPDATE)
    assert "not accepted: " in again.section
    assert (tiny.folder / "baseline.json").read_text() == before


def test_a_margin_that_ignores_it_with_a_reason_lets_it_be_compared(models):
    found = models(READ + JUDGED_ANYWAY, {"centre": 2.0, "broken": True}, {"centre": 0.0, "broken": True})
    assert found.headline == "PASS (1 gate: 1 within; 1 comparison: 1 improved)"
