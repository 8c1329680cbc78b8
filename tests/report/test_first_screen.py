"""The first screen: PASS or FAIL and why, what did not finish, what was run again, what was not tested."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from biascheck.report.first_screen import next_steps
from biascheck.report.html import _environment, page_of, render_page
from biascheck.results.compare import compare
from biascheck.results.definition import Readability
from biascheck.results.result import Result
from biascheck.runs.baseline import Baseline, BaselineComparison, RefusedResult, compare_with_baseline
from biascheck.runs.file import read_run, write_run
from biascheck.runs.outcome import BiasTestState, RunOutcome, TestOutcome
from biascheck.runs.run import Run
from biascheck.stats import Verdict
from support.report_markup import Element, parse
from support.report_samples import gate, item, result

EVIL = "<script>alert('x')</script>\"&"
PASSING = TestOutcome("t.py::fine", BiasTestState.JUDGED)
FAILING = TestOutcome("t.py::bad", BiasTestState.JUDGED, failed=True)


def measured(shift: float = 0.0, **more: object) -> Result:
    return result([item(str(n), 0.1 * n + shift, f"job {n}") for n in range(12)], **more)


def page(run: Run) -> Element:
    return parse(render_page(page_of(run)))


def hero(run: Run) -> Element:
    return page(run).find("div", "hero")[0]


def texts(elements: list[Element]) -> list[str]:
    return [" ".join(element.all_text.split()) for element in elements]


def outcome(*tests: TestOutcome, **more: object) -> Run:
    within = replace(gate(verdict=Verdict.WITHIN), test=PASSING.test)
    return Run(gates=(within,), outcome=RunOutcome((PASSING, *tests), **more))


def headings(run: Run) -> list[str]:
    return texts(hero(run).find("h2", "small"))


def test_a_pass_is_one_word():
    found = hero(outcome())
    assert "pass" in found.attributes["class"].split()
    assert texts(found.find("h1")) == ["PASS"]
    assert found.find("ul", "reasons-list") == found.find("ul", "findings") == []
    assert texts(found.find("p", "lead"))[0].startswith("1 gate: 1 within")


@pytest.mark.parametrize(
    ("run", "reasons"),
    [
        (outcome(TestOutcome("t", BiasTestState.CRASHED)), ["1 test crashed"]),
        (
            outcome(TestOutcome("t", BiasTestState.JUDGED_NOTHING), FAILING),
            ["1 test failed a gate", "1 test judged nothing"],
        ),
        (
            outcome(TestOutcome("t", BiasTestState.NOT_RUN), interrupted=True),
            ["1 test did not run", "the run was interrupted"],
        ),
        (outcome(problems=(EVIL,)), [EVIL]),
        (Run(outcome=RunOutcome()), ["nothing was judged"]),
        (
            replace(outcome(), baseline=compare_with_baseline(Baseline((measured(),)), [measured(1.0)])),
            ["1 result regressed from the baseline"],
        ),
    ],
)
def test_a_fail_lists_its_reasons(run, reasons):
    found = hero(run)
    assert "fail" in found.attributes["class"].split()
    assert texts(found.find("h1")) == ["FAIL"]
    assert texts(found.find("ul", "reasons-list")[0].children) == reasons
    assert run.failures == tuple(reasons)


def test_no_gates_are_counted_too():
    assert texts(hero(Run(outcome=RunOutcome())).find("p", "lead")) == ["0 gates"]


def test_tests_that_did_not_finish_are_listed_with_their_reason():
    run = outcome(
        TestOutcome("t.py::memory", BiasTestState.CRASHED, reason="OutOfMemoryError: 3 GB"),
        TestOutcome("t.py::idle", BiasTestState.JUDGED_NOTHING),
    )
    assert headings(run) == ["Tests that did not finish"]
    assert [texts(entry.children) for entry in hero(run).find("ul", "findings")[0].children] == [
        ["crashed", "t.py::memory", "OutOfMemoryError: 3 GB"],
        ["judged nothing", "t.py::idle"],
    ]


def test_reruns_are_listed_by_attempt():
    run = outcome(TestOutcome("t.py::flaky", BiasTestState.JUDGED, earlier=("exceeds", "timed out")))
    assert headings(run) == ["Run again"]
    (listed,) = hero(run).find("details", "listed")
    assert texts(listed.find("summary")) == ["1 test was run again; the last attempt counts"]
    assert [(entry.text.strip(), *texts(entry.children)) for entry in listed.find("li")] == [
        (", attempt 1:", "t.py::flaky", "exceeds"),
        (", attempt 2:", "t.py::flaky", "timed out"),
    ]


def test_what_was_not_tested_is_listed_by_reason():
    tests = [TestOutcome(f"t.py::gap[{n}]", BiasTestState.SKIPPED, reason="no GAP file") for n in range(2)]
    run = outcome(*tests, TestOutcome("t.py::slow", BiasTestState.DESELECTED, reason="-m 'not slow'"))
    assert texts(hero(run).find("h1")) == ["PASS"]
    assert headings(run) == ["Not tested: 3 tests"]
    listed = hero(run).find("details", "listed")
    assert texts([one.find("summary")[0] for one in listed]) == ["2 tests: no GAP file", "1 test: -m 'not slow'"]
    assert texts(listed[0].find("li")) == ["t.py::gap[0]", "t.py::gap[1]"]


def test_thousands_of_tests_stay_bounded():
    states = (BiasTestState.CRASHED, BiasTestState.SKIPPED)
    tests = [TestOutcome(f"t.py::{state}[{n}]", state, reason="x" * 5_000) for state in states for n in range(1_000)]
    reruns = [TestOutcome(f"t.py::again[{n}]", BiasTestState.JUDGED, earlier=("y" * 5_000,)) for n in range(1_000)]
    found = hero(outcome(*tests, *reruns))
    assert [len(listed.children) for listed in found.find("ul", "findings")] == [5, 95]
    assert texts(found.find("p", "soft"))[1:] == ["900 more are in the results file."] * 2
    assert [len(one.find("li")) for one in found.find("details", "listed")] == [100, 100]
    assert len(found.all_text) < 200_000


def test_everything_about_tests_is_text_and_control_characters_are_visible():
    hostile = f"{EVIL}\x1b[2J\u202e"
    states = (BiasTestState.CRASHED, BiasTestState.SKIPPED, BiasTestState.JUDGED)
    run = outcome(*(TestOutcome(hostile, state, reason=hostile, earlier=(hostile,)) for state in states))
    html = render_page(page_of(run))
    root = parse(html)
    assert [len(root.find(tag)) for tag in ("script", "style")] == [2, 1]
    assert "\x1b" not in html
    assert "\u202e" not in html
    assert r"\x1b[2J\u202e" in root.find("div", "hero")[0].all_text


def test_a_run_that_fails_for_a_crash_does_not_say_that_an_accepted_gate_failed():
    accepted = replace(gate(inconclusive_passes=True), test=PASSING.test)
    run = Run(gates=(accepted,), outcome=RunOutcome((PASSING, TestOutcome("t", BiasTestState.CRASHED))))
    assert headings(run) == ["Tests that did not finish", "Accepted"]
    assert headings(replace(run, outcome=RunOutcome((PASSING,)))) == ["Accepted"]


def test_a_failing_gate_that_a_passing_test_expected_is_shown_apart():
    expected = replace(gate(verdict=Verdict.EXCEEDS), test=PASSING.test)
    run = Run(gates=(expected,), outcome=RunOutcome((PASSING,)))
    assert texts(hero(run).find("h1")) == ["PASS"]
    assert headings(run) == ["Expected failures, not counted"]
    assert headings(replace(run, outcome=RunOutcome((replace(PASSING, failed=True),)))) == ["What failed"]


def test_regressions_and_what_a_baseline_cannot_judge_are_findings():
    found = compare_with_baseline(
        Baseline((measured(), measured(corpus="gone"))), [measured(1.0), measured(corpus="new")]
    )
    judgement = replace(
        found,
        refused=(RefusedResult("a × b", "another seed"),),
        shrunk=(RefusedResult("c × d", "3 pairs where it has 9"),),
    )
    run = Run((measured(1.0),), outcome=RunOutcome((PASSING,)), baseline=judgement)
    assert headings(run) == ["What failed", "Since the baseline"]
    listed = texts([entry for listed in hero(run).find("ul", "findings") for entry in listed.children])
    assert listed[0].startswith("Further from equal treatment than before: association was ")
    assert "further from parity by +1.00 [1.00, 1.00], beyond tolerance 0.10: regressed" in listed[0]
    assert listed[1] == "a × b : not comparable with the baseline: another seed"
    assert listed[2] == "c × d : fewer items than the baseline: 3 pairs where it has 9"
    (since,) = texts(hero(run).find("p", "listed"))
    assert since.startswith(
        "1 further from equal treatment, 1 not comparable with the baseline, 1 measured on fewer items, 1 not in"
    )
    (section,) = [one for one in page(run).find("section") if one.attributes.get("id") == "changes"]
    assert texts(section.find("h3"))[-2:] == ["Not comparable with the baseline", "Fewer items than the baseline"]
    assert texts(section.find("summary"))[-2:] == ["Not in the baseline: 1", "Only in the baseline: 1"]
    assert "association on small-model × new" in section.all_text
    assert "association on small-model × gone" in section.all_text


def test_a_baseline_that_could_judge_nothing_has_its_section():
    run = Run(
        (measured(),),
        outcome=RunOutcome((PASSING,)),
        baseline=BaselineComparison(refused=(RefusedResult("a × b", "another seed"),)),
    )
    (section,) = [one for one in page(run).find("section") if one.attributes.get("id") == "changes"]
    assert "Nothing was compared with the baseline." in section.all_text
    assert any(link.attributes["href"] == "#changes" for link in page(run).find("nav")[0].find("a"))


def test_failing_comparisons_of_tests_are_findings():
    worse = compare(measured(), measured(1.0, model="later"))
    better = compare(measured(), measured(-0.5, model="better"))
    run = Run(comparisons=(better, worse), outcome=RunOutcome((FAILING,)))
    (listed,) = texts(hero(run).find("ul", "findings")[0].children)
    assert listed.startswith("Further from equal treatment than before: association was ")
    assert "association on small-model → later × bec-pro" in listed


@pytest.mark.takes_seconds
def test_findings_beyond_the_first_five_are_counted():
    gates = [gate(result(corpus=f"c{n}"), Verdict.EXCEEDS, margin=0.1) for n in range(1_010)]
    found = hero(Run(gates=tuple(gates)))
    assert len(found.find("ul", "findings")[0].children) == 5
    assert "1,005 more; the tables below have them all." in texts(found.find("p", "soft"))


def test_the_outcome_survives_storage(tmp_path):
    tests = (
        PASSING,
        TestOutcome("t", BiasTestState.CRASHED, reason="boom", earlier=("once",)),
        TestOutcome("s", BiasTestState.SKIPPED),
    )
    run = Run((measured(),), (gate(measured()),), outcome=RunOutcome(tests, problems=("disk full",)))
    write_run(tmp_path / "run.json", run)
    assert render_page(page_of(read_run(tmp_path / "run.json"))) == render_page(page_of(run))


def checked(value: float, **more: object) -> Result:
    """A result on a corpus that the model reads if the value is at least 0.6."""
    found = Readability("order", "sentences", value, 0.6, 50, 0, f"{value:.0%} are in order", "cannot read this corpus")
    return measured(competence=found, **more)


def test_an_invalid_gate_says_what_the_model_cannot_do():
    unread = checked(0.5)
    judged = replace(gate(unread), test=FAILING.test)
    root = page(Run((unread,), (judged,), outcome=RunOutcome((FAILING,))))
    (row,) = root.find("table", "gates")[0].find("tr", "invalid")
    assert "small-model cannot read this corpus (50% are in order)" in row.all_text
    found = " ".join(root.find("ul", "findings")[0].all_text.split())
    assert found.startswith("Nothing can be said about association: small-model cannot read this corpus (50% are")
    (section,) = root.find("article", "body")
    (caution,) = section.find("p", "caution")
    assert "Readability check failed:" in caution.all_text
    assert "invalid" in texts(root.find("dl", "reading")[0].find("dt"))


def test_an_ignored_check_is_a_caution_and_a_passed_one_is_shown():
    judged = gate(checked(0.5), Verdict.WITHIN, ignore_readability=True, reason="on purpose")
    root = page(Run((checked(0.5),), (judged,)))
    assert texts(root.find("h1")) == ["PASS"]
    assert "judged anyway" in root.find("ol", "cautions")[0].all_text
    fine = page(Run((checked(0.9),)))
    assert "Readability check passed:" in fine.find("article", "body")[0].all_text
    assert fine.find("p", "caution") == []
    assert "Readability" not in page(Run((measured(),))).find("article", "body")[0].all_text


@pytest.mark.parametrize(
    ("gates", "words"),
    [
        ([gate(verdict=Verdict.WITHIN)] * 2, "All 2 gates are within their margins."),
        (
            [gate(verdict=Verdict.WITHIN), gate(inconclusive_passes=True)],
            "Within the margin in 1 of 2 gates, inconclusive in 1 (accepted).",
        ),
        (
            [gate(verdict=Verdict.EXCEEDS), gate(), gate(verdict=Verdict.WITHIN)],
            "More bias than allowed in 1 of 3 gates, inconclusive in 1 (counts as failed), within the margin in 1.",
        ),
        (
            [replace(gate(verdict=Verdict.EXCEEDS), passed=True)],
            "More bias than the margin allows, but accepted for this model, in 1 of 1 gate.",
        ),
        ([], "Nothing was judged, so this run says nothing about the model."),
    ],
)
def test_the_answer_is_one_sentence_in_plain_words(gates, words):
    assert texts(hero(Run(gates=tuple(gates))).find("p", "answer")) == [words]


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (
            outcome(TestOutcome("t", BiasTestState.CRASHED), TestOutcome("u", BiasTestState.JUDGED_NOTHING)),
            "1 test crashed, so that the bias they test is unknown; 1 test judged nothing; the gate is "
            "within its margin.",
        ),
        (
            outcome(TestOutcome("t", BiasTestState.NOT_RUN), interrupted=True),
            "1 test did not run, so that the run is incomplete; the gate is within its margin.",
        ),
        (
            replace(outcome(), baseline=compare_with_baseline(Baseline((measured(),)), [measured(1.0)])),
            "1 figure is worse than before, or not comparable; the gate is within its margin.",
        ),
        (
            replace(outcome(FAILING, TestOutcome("t", BiasTestState.CRASHED)), gates=(gate(verdict=Verdict.EXCEEDS),)),
            "More bias than allowed in 1 of 1 gate; 1 test crashed, so that the bias they test is unknown.",
        ),
    ],
    ids=["crashed", "interrupted", "regressed", "failed and crashed"],
)
def test_the_answer_begins_with_what_failed_the_run(run, words):
    assert texts(hero(run).find("p", "answer")) == [words]


def test_of_several_models_each_has_its_line_the_worst_first():
    judged = [
        gate(measured(model=name, corpus=corpus), verdict)
        for name, corpus, verdict in (
            ("fair", "jobs", Verdict.WITHIN),
            ("mixed", "jobs", Verdict.WITHIN),
            ("mixed", "names", Verdict.INCONCLUSIVE),
            ("mixed", "pets", Verdict.INCONCLUSIVE),
            ("bad", "jobs", Verdict.EXCEEDS),
        )
    ]
    (listed,) = hero(Run(gates=tuple(judged))).find("ul", "by-model")
    shown = [(*texts([*row.find("bdi"), *row.find("small")]), row.text.strip(": ")) for row in listed.find("li")]
    assert shown == [
        ("bad", "(1 exceeds)", "1 of 1 gate failed"),
        ("mixed", "(2 inconclusive, 1 within)", "2 of 3 gates failed"),
        ("fair", "(1 within)", "1 gate passed"),
    ]
    assert hero(Run(gates=tuple(judged[4:]))).find("ul", "by-model") == []
    many = [gate(measured(model=f"m{n}"), Verdict.WITHIN) for n in range(11)]
    (listed,) = hero(Run(gates=tuple(many))).find("ul", "by-model")
    assert texts(listed.find("li"))[-1] == "3 more; filter the gates by model."


def test_what_was_found_comes_before_what_is_not_known_and_one_inability_is_said_once():
    unread = [gate(replace(checked(0.5), corpus=name)) for name in ("jobs", "names")]
    doubt = gate(measured(corpus="doubt"))
    beyond = gate(measured(corpus="beyond"), Verdict.EXCEEDS)
    worse = compare_with_baseline(Baseline((measured(),)), [measured(1.0)])
    listed = hero(Run(gates=(*unread, doubt, beyond), baseline=worse)).find("ul", "findings")[0].children
    firsts = [" ".join(row.children[0].all_text.split()[:3]) for row in listed]
    assert firsts == ["On average the", "Further from equal", "Inconclusive: on average", "Nothing can be"]
    assert "and 1 more gate: invalid" in listed[-1].all_text


def test_where_nothing_was_judged_the_reasons_are_open_and_the_next_step_is_to_meet_them():
    run = Run(outcome=RunOutcome((TestOutcome("t", BiasTestState.SKIPPED, reason="needs the published data sets: …"),)))
    (listed,) = [one for one in hero(run).find("details", "folded") if "Not tested" in one.all_text]
    assert "open" in listed.attributes
    assert [step.text for step in next_steps(run)] == [
        "See under Not tested what each test needs, and run again with it.",
        "Fetch the published data sets that tests need:",
    ]
    judged = replace(run, gates=(gate(verdict=Verdict.WITHIN),))
    assert [step.text for step in next_steps(judged)][-1] == "Also test on the published data sets:"
    (listed,) = [one for one in hero(judged).find("details", "folded") if "Not tested" in one.all_text]
    assert "open" not in listed.attributes


def test_what_exceeds_comes_before_what_is_in_doubt():
    gates = [gate(result(corpus="a"), margin=0.01), gate(result(corpus="b"), Verdict.EXCEEDS, margin=0.2)]
    listed = texts(hero(Run(gates=tuple(gates))).find("ul", "findings")[0].find("a"))
    assert listed == [f"association on small-model × {name}" for name in "ba"]


def test_of_accepted_gates_those_that_exceed_come_first_whatever_paper_they_are_of():
    """Kurita's measure comes before Manela's on the page; a doubt about the first is less urgent than the second."""
    doubt = gate(measured(corpus="doubt"), inconclusive_passes=True)
    beyond = [
        replace(gate(measured(measure=name, corpus=f"beyond {name}"), Verdict.EXCEEDS), passed=True)
        for name in ("association", "skew")
    ]
    root = page(Run(gates=(doubt, *beyond)))
    (block,) = root.find("div", "block-accepted")
    rows = [row.children[0] for row in block.find("tr") if "data-state" in row.attributes]
    assert texts(rows) == ["exceeds accepted", "exceeds accepted", "inconclusive accepted"]
    (folded,) = root.find("details", "folded")[:1]
    assert [text.partition(" × ")[2] for text in texts(folded.find("a"))] == [
        "beyond association",
        "beyond skew",
        "doubt",
    ]


@pytest.mark.parametrize("word", ["exceeds", "invalid", "inconclusive", "within", "pass", "fail"])
def test_every_verdict_has_a_shape_and_a_colour(word):
    macros = _environment().get_template("macros.html.j2").module
    (svg,) = parse(macros.shape(word)).find("svg", "shape")
    style = page(outcome()).find("style")[0].text
    kind = svg.attributes["class"].split()[-1]
    assert re.search(rf"\.shape\.{kind}\b[^{{]*{{ color: var", style)
    if word not in ("pass", "fail"):
        for place in (".shares .", ".verdict."):
            assert re.search(rf"{re.escape(place)}{word}\b[^{{]*{{ color: var", style), place
        assert re.search(rf"\.{word} \.interval\b[^{{]*{{ fill: var", style)


def test_verdicts_of_gates_have_shapes_of_their_own():
    macros = _environment().get_template("macros.html.j2").module
    words = ("exceeds", "invalid", "inconclusive", "within")
    outlines = {repr([path.attributes for path in parse(macros.shape(word)).find("svg")[0].children]) for word in words}
    assert len(outlines) == 4
