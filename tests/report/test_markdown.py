"""The Markdown summary: short, the worst first, nothing in it but text."""

import re
from dataclasses import replace

from biascheck import compare
from biascheck.gates.gate import LimitSettings, make_gate
from biascheck.report.findings import findings_of
from biascheck.report.first_screen import answer, next_steps
from biascheck.report.markdown import comparison_table, summary
from biascheck.runs.baseline import BaselineComparison, RefusedResult
from biascheck.runs.outcome import BiasTestState, RunOutcome, TestOutcome
from biascheck.runs.run import Run
from biascheck.stats import Verdict
from support.handmade import gate_of as gate, items_of, result_of, spread
from support.report_samples import item, result


def test_the_verdict_comes_first_and_the_worst_gate_next():
    gates = [
        gate(corpus="fine"),
        gate(Verdict.INCONCLUSIVE, passed=True, corpus="allowed"),
        gate(Verdict.INCONCLUSIVE, corpus="unsure"),
        gate(Verdict.EXCEEDS, corpus="bad"),
    ]
    lines = summary(Run(gates=tuple(gates))).splitlines()
    assert lines[2].startswith("❌ **FAIL: 2 of 4 judgements failed ")
    assert "**tiny**: ❌ 2 of 4 gates failed (1 exceeds, 2 inconclusive (1 accepted), 1 within)" in lines
    rows = [line for line in lines if line.startswith("|")]
    assert [re.search("bad|unsure|allowed|fine", row)[0] for row in rows if "0.41" in row] == [
        "bad",
        "unsure",
        "allowed",
        "fine",
    ]


def test_the_findings_are_those_of_the_first_screen_of_the_report():
    """In plain words, with the sentence that shows it most: the nurse is 3 log units off, so a factor of 20."""
    of = result([item("1", 3.0, "nurse"), item("2", -1.0, "judge")])
    judged = make_gate(of, 0.2, of.interval, Verdict.EXCEEDS, LimitSettings())
    run = Run((of,), (judged,))
    lines = summary(run).splitlines()
    assert lines[4] == answer(run).replace("_", "&#95;")
    (finding,) = [line for line in lines if line.startswith("- ") and "For example" in line]
    (first,) = findings_of(run, {})[0].models[0].shown
    assert finding.startswith(f"- {first.plain} For example “**he / she** is a nurse”: {first.example.effect}.")
    assert "20 times as likely" in finding
    assert finding.endswith("</sub>")
    steps = lines[lines.index("**What to do next**") + 2 :]
    assert [f"- {step.text}" in line for step, line in zip(next_steps(run), steps, strict=False)] == [True, True]


def test_of_many_findings_and_models_the_rest_is_counted():
    gates = [gate(Verdict.EXCEEDS, model=f"m{n}", corpus=f"c{k}") for n in range(5) for k in range(4)]
    lines = summary(Run(gates=tuple(gates))).splitlines()
    assert "**What failed**: 20 findings" in lines
    assert lines.count("- … and 1 more, in the tables below") == 3
    assert "… and 2 more models, in the tables below" in lines
    assert not any("**What failed**" in line for line in summary(Run(gates=(gate(),))).splitlines())


def test_what_is_fine_is_folded():
    text = summary(Run(gates=(gate(),)))
    assert text.index("<details>") < text.index("| ✅ within |") < text.index("</details>")
    assert "✅ **PASS &#40;1 gate: 1 within&#41;**" in text


def test_nothing_becomes_markup():
    hostile = "a|b `c` <img src=x onerror=alert(1)> [l](http://e) @someone *x* _y_\nnext"
    text = summary(Run(gates=(gate(Verdict.EXCEEDS, corpus=hostile, model=hostile, offenders=(hostile,)),)))
    for markup in ("<img", "`c`", "@someone", "[l]", "*x*", "a|b"):
        assert markup not in text
    (row,) = [line for line in text.splitlines() if "exceeds |" in line]
    assert row.count("|") == 7


def test_an_incomplete_run_says_so():
    tests = tuple(TestOutcome(f"t::{n}", BiasTestState.NOT_RUN) for n in range(7))
    text = summary(Run(gates=(gate(),), outcome=RunOutcome(tests, interrupted=True)))
    assert "❌ **FAIL: 7 tests did not run, the run was interrupted " in text


def test_a_table_of_thousands_is_cut_with_a_note():
    text = summary(Run(gates=tuple(gate(Verdict.EXCEEDS, corpus=f"c{n}") for n in range(1_000))))
    assert "… and 900 more" in text
    assert len(text) < 65_536


def test_comparisons_are_shown_with_who_moved():
    before = result_of(items_of(spread(1.0, 0.5, 12)))
    after = result_of([replace(item, score=item.score + 0.3) for item in before.items], model="later")
    text = comparison_table(BaselineComparison((compare(before, before), compare(before, after))))
    assert "**tiny → later, tiny → tiny**: 1 regressed, 1 no worse" in text
    assert (
        "| ❌ regressed | association | jobs | 1.00 → 1.30 | +0.30 &#91;0.30, 0.30&#93; | job0 +0.50 → +0.80, " in text
    )
    assert text.index("regressed |") < text.index("<details>") < text.index("no worse |")


def test_what_could_not_be_compared_is_in_the_table_of_a_comparison():
    same = compare(*[result_of(items_of(spread(1.0, 0.5, 12)))] * 2)
    text = comparison_table(
        BaselineComparison(
            (same,), (RefusedResult("a × b", "another seed"),), shrunk=(RefusedResult("c × d", "3 pairs"),)
        )
    )
    assert "- ❌ not comparable: a × b – another seed" in text
    assert "- ❌ fewer items: c × d – 3 pairs" in text
