"""Annotations: what the runner of GitHub and the widget of GitLab read."""

import json
from dataclasses import replace

from biascheck import compare
from biascheck.report.ci import Place, code_quality, github_commands
from biascheck.runs.run import Run
from biascheck.stats import Verdict
from support.handmade import gate_of as gate, items_of, result_of, spread

PLACES = {"bias/test_jobs.py::test_a": Place("bias/test_jobs.py", 12), "": Place("bias/baseline.json", 1)}


def regressed():
    before = result_of(items_of(spread(1.0, 0.5, 12)))
    return compare(before, result_of([replace(item, score=item.score + 0.3) for item in before.items], model="later"))


def test_a_failing_gate_is_an_error_at_its_test():
    run = Run(gates=(gate(Verdict.EXCEEDS, test="bias/test_jobs.py::test_a"), gate()))
    whole, command = github_commands(run, PLACES)
    assert whole == "::error title=bias gates::FAIL: 1 of 2 judgements failed (2 gates: 1 exceeds, 1 within)"
    assert command.startswith(
        "::error file=bias/test_jobs.py,line=12,title=association%3A exceeds::association on tiny"
    )


def test_commands_are_escaped_as_the_runner_reads_them():
    hostile = gate(Verdict.EXCEEDS, measure="50%: a,b", title="100%\r\n::set-output name=x::y", test="t::x")
    _, command = github_commands(Run(gates=(hostile,)), {"t::x": Place("a,b:c%.py", 3)})
    assert "\n" not in command
    assert command.startswith(
        "::error file=a%2Cb%3Ac%25.py,line=3,title=50%25%3A a%2Cb%3A exceeds::100%25\\r\\n::set-output name=x::y: "
    )


def test_a_regression_is_an_error_at_the_baseline():
    _, command = github_commands(Run(comparisons=(regressed(),)), PLACES)
    assert command.startswith("::error file=bias/baseline.json,line=1,title=association%3A regressed::")


def test_what_passed_is_no_annotation():
    allowed = gate(Verdict.INCONCLUSIVE, passed=True)
    assert list(github_commands(Run(gates=(gate(), allowed)), PLACES)) == []
    assert json.loads(code_quality(Run(gates=(gate(), allowed)), PLACES)) == []


def test_code_quality_has_the_fields_that_gitlab_asks_for():
    run = Run(gates=(gate(Verdict.EXCEEDS, test="bias/test_jobs.py::test_a"),), comparisons=(regressed(),))
    first, second = json.loads(code_quality(run, PLACES))
    assert first.keys() == {"description", "engine_name", "check_name", "fingerprint", "severity", "location"}
    assert first["location"] == {"path": "bias/test_jobs.py", "lines": {"begin": 12}}
    assert (first["severity"], first["check_name"]) == ("major", "bias-gate")
    assert second["location"]["path"] == "bias/baseline.json"
    assert second["check_name"] == "bias-regression"


def test_a_fingerprint_survives_another_figure_and_separates_findings():
    def fingerprint(one):
        return json.loads(code_quality(Run(gates=(one,)), PLACES))[0]["fingerprint"]

    failing = gate(Verdict.EXCEEDS, test="t.py::a")
    assert fingerprint(failing) == fingerprint(replace(failing, estimate=0.9, seed=3))
    others = [replace(failing, key=replace(failing.key, **{name: "other"})) for name in ("measure", "corpus")]
    others += [replace(failing, key=replace(failing.key, slice=((label, "north"),))) for label in ("home", "work")]
    others += [replace(failing, **{name: "other"}) for name in ("model", "test")]
    assert len({fingerprint(one) for one in (failing, *others)}) == 7
